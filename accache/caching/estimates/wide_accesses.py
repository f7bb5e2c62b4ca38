"""Which elements of memory one instruction loads or stores, and what must be true of addresses for that.

A compiler joins accesses of neighbouring elements where it knows that the first of them is aligned to their size.
Arrays then begin at a multiple of 16 bytes, and their rows are apart by a multiple of the elements of an access: the
launch can test both, and tell the kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from msgspec import Struct, field

from accache.caching.survey import Survey
from accache.ir.arrays import is_variable_length
from accache.ir.kernels.alignment import Alignment, widest
from accache.ir.polynomial import Polynomial
from accache.ir.types import element_type


class _Row(Struct, frozen=True):
    """``width`` neighbours from an aligned place on, which it is if some numbers are multiples of that."""

    start: Polynomial
    width: int
    needed: frozenset[str] = frozenset()


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
        """The launch's arrays, but for those of variable row lengths, whose indices mix numbers of 32 and 64 bits."""
        variables = self.survey.kernel.region.variables
        arrays = (item for item in variables if element_type(item.type) is not None)
        return frozenset(item.name for item in arrays if not is_variable_length(item.type))

    @property
    def sizes(self) -> frozenset[str]:
        """The numbers that the launch knows."""
        return self.survey.kernel.launched_numbers

    def grouped(self, array: str, places: Iterable[Polynomial], size: int) -> Iterator[tuple[Polynomial, int]]:
        """The accesses that a compiler makes of those of an array's ``places``: the first place and how many."""
        width = widest(size) if array in self.in_memory else 1
        rows: dict[_Row, dict[int, Polynomial]] = {}
        for place in places:
            row, offset = self.row(place, width)
            rows.setdefault(row, {})[offset] = place
        for row, elements in rows.items():
            for first, count in _runs(frozenset(elements), row.width):
                if count > 1:
                    self.note(array, row)
                yield elements[first], count

    def row(self, place: Polynomial, width: int) -> tuple[_Row, int]:
        """The aligned neighbours that a place is one of, ``width`` of them at most, and which one."""
        while width > 1:
            found = self.offset(place, width)
            if found is not None:
                return _Row(place - found[0], width, found[1]), found[0]
            width //= 2
        return _Row(place, 1), 0

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

    def note(self, array: str, row: _Row) -> None:
        """Ask the launch for what a wide access needs."""
        self.arrays.add(array)
        for name in row.needed:
            self.multiples[name] = max(row.width, self.multiples.get(name, 1))


def _runs(offsets: frozenset[int], width: int) -> Iterator[tuple[int, int]]:
    """The accesses of some of ``width`` neighbours: all at once, aligned halves, or one by one."""
    if len(offsets) == width:
        yield 0, width
        return
    for first in range(0, width, 2):
        pair = [offset for offset in (first, first + 1) if offset in offsets]
        if len(pair) > 1:
            yield first, 2
        elif pair:
            yield pair[0], 1
