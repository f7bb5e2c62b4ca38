"""Which elements of memory one instruction loads or stores, and what must be true of addresses for that.

A compiler joins accesses of neighbouring elements where it knows that the first of them is aligned to their size.
Arrays then begin at a multiple of 16 bytes, and their rows are apart by a multiple of the elements of an access: the
launch can test both, and tell the kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from math import prod

from msgspec import Struct, field

from accache.base.properties import cached_property
from accache.caching.estimates.places import in_view
from accache.caching.survey import Survey
from accache.ir.arrays import inner_lengths, is_variable_length
from accache.ir.as_polynomial import index_polynomial
from accache.ir.constants import constant
from accache.ir.kernels.alignment import WIDEST, Alignment, widest
from accache.ir.kernels.simt import ParallelFor
from accache.ir.kernels.tiles import Tile
from accache.ir.names import FIRST, block
from accache.ir.polynomial import Polynomial
from accache.ir.sizes import sizeof, tile_alignment
from accache.ir.types import element_type, holds_volatile
from accache.ir.walk import nodes_of


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
        place = common.substitute(self.places) if width > 1 else common
        while width > 1:
            found = self.offset(place, width)
            if found is not None:
                offset, needed = found
                break
            width //= 2
        accesses = _joined((offset + number for number in constants), width)
        if any(count > 1 for count in accesses):
            self.note(array, width, needed)
        return accesses

    def offset(self, place: Polynomial, width: int) -> tuple[int, frozenset[str]] | None:
        """How far a place lies behind a multiple of ``width``, and the numbers that must be multiples for that.

        The place is in terms of the thread.
        """
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

    def copied_at_once(self, tile: Tile) -> int:
        """How many neighbours of a block's tile a thread may copy at once; asks the launch for what that needs."""
        start, pitches = self.start_of(tile), _pitches(tile)
        if tile.scope != "block" or tile.array not in self.in_memory or start is None or tile_alignment(tile) < WIDEST:
            return 1
        width = widest(sizeof(tile.element))
        places = [place.substitute(self.places) for place in (start, *pitches)]
        while width > 1:
            found = [self.offset(place, width) for place in places]
            known = [item for item in found if item is not None]
            is_aligned = len(known) == len(found) and not any(offset for offset, _ in known)
            if is_aligned and tile.range.extents[-1] % width == 0:
                self.note(tile.array, width, frozenset[str]().union(*(needed for _, needed in known)))
                return width
            width //= 2
        return 1

    def of_tile(self, tile: Tile, common: Polynomial, constants: Iterable[int]) -> Mapping[int, int]:
        """How many accesses of how many elements a compiler makes of places of a tile, which differ by constants."""
        start, numbers = self.start_of(tile), list(constants)
        width = widest(sizeof(tile.element)) if start is not None and tile_alignment(tile) == WIDEST else 1
        if width == 1 or start is None:
            return {1: len(numbers)}
        pitches = frozenset[str]().union(*(pitch.names for pitch in _pitches(tile)))
        place = (common - start).substitute(self.places)
        columns = [factor for names, factor in place.terms if names and not pitches & set(names)]
        if any(factor % width for factor in columns):
            return {1: len(numbers)}
        return _joined((place.constant_term + number for number in numbers), width)

    def start_of(self, tile: Tile) -> Polynomial | None:
        """Where a tile begins in its array; None where that is no polynomial of what is known."""
        starts = [dimension.start.substitute(self.firsts) for dimension in tile.range.dimensions]
        pitches = _pitches(tile)
        return in_view(starts, pitches) if starts and len(pitches) == len(starts) - 1 else None

    @cached_property
    def firsts(self) -> Mapping[str, Polynomial]:
        """A block's first iterations of parallel loops, in terms of the number of the block."""
        found = {}
        for loop in nodes_of(self.survey.kernel.body, ParallelFor):
            first = index_polynomial(loop.loop.first, self.survey.definitions)
            if first is not None:
                reach = loop.threads * loop.per_thread * loop.loop.step
                found[FIRST.format(loop.loop.variable)] = first + reach * block(loop.grid) if loop.grid else first
        return found

    def note(self, array: str, width: int, needed: Iterable[str]) -> None:
        """Ask the launch for what an access of ``width`` elements needs."""
        self.arrays.add(array)
        for name in needed:
            self.multiples[name] = max(width, self.multiples.get(name, 1))


def _pitches(tile: Tile) -> tuple[Polynomial, ...]:
    """How far rows of a tile's array are apart, in each dimension but the last; none where only the run knows them."""
    if tile.range.pitches:
        return tile.range.pitches
    lengths = [constant(length) for length in inner_lengths(tile.array_type)]
    if not all(lengths):
        return ()
    return tuple(Polynomial.constant(prod(length or 1 for length in lengths[depth:])) for depth in range(len(lengths)))


def _joined(places: Iterable[int], width: int) -> Counter[int]:
    """How many accesses of how many elements a compiler makes of places, ``width`` of which are aligned."""
    rows: dict[int, set[int]] = {}
    for number in places:
        row, place = divmod(number, width)
        rows.setdefault(row, set()).add(place)
    return Counter(count for elements in rows.values() for count in _runs(elements, width))


def _runs(offsets: Collection[int], width: int) -> Iterator[int]:
    """How many elements each access has of some of ``width`` neighbours: all at once, aligned halves, or one by one."""
    if len(offsets) == width:
        yield width
        return
    for first in range(0, width, 2):
        count = (first in offsets) + (first + 1 in offsets)
        if count:
            yield count
