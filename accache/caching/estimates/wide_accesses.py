"""Which elements of memory one instruction loads or stores, and what must be true of addresses for that.

A compiler joins accesses of neighbouring elements where it knows that the first of them is aligned to their size.
Arrays then begin at a multiple of 16 bytes, and their rows are apart by a multiple of the elements of an access: the
launch can test both, and tell the kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

from msgspec import Struct, field

from accache.caching.survey import Survey
from accache.ir.arrays import is_variable_length
from accache.ir.kernels.alignment import Alignment, widest
from accache.ir.polynomial import Polynomial
from accache.ir.types import element_type, holds_volatile


class WideAccesses(Struct, dict=True):
    """The wide accesses of a kernel, in which ``places`` tells what variables are in terms of the thread.

    ``arrays`` and ``multiples`` are what they were found to need.
    """

    survey: Survey
    places: Mapping[str, Polynomial]
    arrays: set[str] = field(default_factory=set)
    multiples: dict[str, int] = field(default_factory=dict)

    @property
    def needed(self) -> Alignment:
        """What the launch has to make sure of."""
        return Alignment(tuple(sorted(self.arrays)), tuple(sorted(self.multiples.items())))

    @cached_property
    def in_memory(self) -> frozenset[str]:
        """The launch's arrays, but for volatile ones, each access of which has its size from the program.

        And but for those of variable row lengths, whose indices mix numbers of 32 and 64 bits.
        """
        variables = self.survey.kernel.region.variables
        elements = {item.name: element_type(item.type) for item in variables if not is_variable_length(item.type)}
        return frozenset(
            name for name, element in elements.items() if element is not None and not holds_volatile(element)
        )

    @property
    def sizes(self) -> frozenset[str]:
        """The numbers that the launch knows."""
        return self.survey.kernel.launched_numbers

    def grouped(self, array: str, common: Polynomial, constants: Iterable[int], size: int) -> Mapping[int, int]:
        """How many accesses of how many elements a compiler makes of an array's places, which differ by constants."""
        width = widest(size) if array in self.in_memory else 1
        offset, needed = 0, frozenset[str]()
        while width > 1:
            found = self.offset(common, width)
            if found is not None:
                offset, needed = found
                break
            width //= 2
        rows: dict[int, set[int]] = {}
        for constant in constants:
            row, place = divmod(offset + constant, width)
            rows.setdefault(row, set()).add(place)
        accesses = Counter(count for elements in rows.values() for count in _runs(elements, width))
        if any(count > 1 for count in accesses):
            self.note(array, width, needed)
        return accesses

    def offset(self, place: Polynomial, width: int) -> tuple[int, frozenset[str]] | None:
        """How far a place lies behind a multiple of ``width``, and the numbers that must be multiples for that."""
        place = place.substitute(self.places)
        needed = set[str]()
        for names, factor in sorted(place.terms, key=lambda term: len(term[0])):
            is_multiple = any(self.multiples.get(name, 1) % width == 0 or name in needed for name in names)
            if not names or factor % width == 0 or is_multiple:
                continue
            size = next((name for name in reversed(names) if name in self.sizes), None)
            if size is None:
                return None
            needed.add(size)
        return place.constant_term % width, frozenset(needed)

    def note(self, array: str, width: int, needed: Iterable[str]) -> None:
        """Ask the launch for what an access of ``width`` elements needs."""
        self.arrays.add(array)
        for name in needed:
            self.multiples[name] = max(width, self.multiples.get(name, 1))


def _runs(offsets: Collection[int], width: int) -> Iterator[int]:
    """How many elements each access has of some of ``width`` neighbours: all at once, aligned halves, or one by one."""
    if len(offsets) == width:
        yield width
        return
    for first in range(0, width, 2):
        count = (first in offsets) + (first + 1 in offsets)
        if count:
            yield count
