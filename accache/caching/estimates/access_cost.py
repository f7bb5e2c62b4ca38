"""What accesses cost a warp: of tiles, and of memory, by how lanes and iterations of unrolled loops share elements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, prod, sqrt

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.loop_context import subscripts_of
from accache.base.properties import cached_property
from accache.caching.estimates.banks import WARP, BankModel, random_degree
from accache.caching.estimates.cost import FREE, Cost
from accache.caching.estimates.lanes import SECTOR_BYTES, Strides, Surroundings, lane_places, surroundings_of, touched
from accache.caching.estimates.places import flat
from accache.caching.estimates.unrolled_places import Loops, Places, SequentialLoop, single, unrolled
from accache.caching.estimates.wide_accesses import WideAccesses
from accache.caching.survey import Survey
from accache.ir.constants import constant
from accache.ir.kernels.tiles import Tile, TileAccess
from accache.ir.polynomial import Polynomial
from accache.ir.sizes import sizeof, tile_elements
from accache.ir.tree import (
    Assign,
    Binary,
    Cache,
    Declare,
    Expr,
    Member,
    Stmt,
    Subscript,
    Variable,
)
from accache.ir.types import Record, is_array, resolve
from accache.ir.walk import nodes_of, rewrite, used_variables, walk

L1_BYTES = 192 << 10
"""What L1 holds of arrays, where shared memory takes a part of it."""
BASE, ROW, STRIDE, GATHERED = 2.5, 1.5, 2.5, 3
"""Slots of the address of an array's element; of the product that finds its row; of an address that moves by no
constant; of one that an index from memory leads to."""
WHOLE = (8, 16)
"""Bytes of structures that one instruction loads, where they are aligned to that."""
POINTER = 0.5
"""Slots of moving a pointer in a loop that is not unrolled whole, an access."""
OWN = 0.1
"""Slots of an element that each thread has for itself in a tile: it stays in a register."""


class AccessCost(Struct, dict=True):
    """The accesses of a kernel's planned ``body``.

    ``bases`` are what the addresses cost that accesses share, ``loaded`` the places in memory that an iteration of the
    loops around, but for unrolled ones, has loaded. ``streams`` are the bytes that a warp reads at least of arrays in
    which each of its lanes has elements of its own. ``joins`` says that a compiler is told what it needs to join
    accesses of neighbouring elements.
    """

    survey: Survey
    body: Stmt
    joins: bool = False
    bases: dict[object, float] = field(default_factory=dict)
    loaded: dict[tuple[str, tuple[str, ...], Polynomial], frozenset[int]] = field(default_factory=dict)
    streams: dict[str, float] = field(default_factory=dict)

    @cached_property
    def surroundings(self) -> Surroundings:
        """What is known of the kernel's body, in which tiles do not stand for arrays."""
        return surroundings_of(self.survey.kernel)

    @cached_property
    def banks(self) -> BankModel:
        """Where the lanes of a warp are."""
        return self.surroundings.banks

    @cached_property
    def own(self) -> frozenset[str]:
        """The variables that the kernel declares."""
        return self.surroundings.own

    @cached_property
    def definitions(self) -> Mapping[str, Expr]:
        """The variables that have one value each far from edges."""
        return self.surroundings.definitions

    @cached_property
    def wide(self) -> WideAccesses:
        """The accesses of several elements."""
        return WideAccesses(self.survey, self.banks.places)

    def index(self, subscript: Expr) -> Polynomial | None:
        """A subscript far from edges."""
        return self.surroundings.index(subscript)

    @cached_property
    def in_registers(self) -> frozenset[str]:
        """The arrays that each thread has for itself."""
        declares = (node for node in nodes_of(self.body, Declare) if is_array(node.type))
        return frozenset(node.name for node in declares) - self.survey.gang_arrays()

    @cached_property
    def written(self) -> frozenset[str]:
        """The arrays that the kernel writes."""
        return self.surroundings.written

    def tile(self, access: TileAccess, loops: Loops) -> Cost:
        """An access of a tile: its address, and how many turns the banks take."""
        size = sizeof(access.tile.element)
        base, subscripts = subscripts_of(access.original)
        indices = [self.index(subscript) for subscript in subscripts]
        exact = [index for index in indices if index is not None]
        place = flat(exact, base.type) if len(exact) == len(indices) else None
        strides = self.strides(place, loops) if place is not None else None
        if access.tile.is_fetched:
            self.note_stream(access.tile.array, size, strides)
        if access.tile.scope == "block" and all(
            part.length == 1 and part.variable for part in access.tile.range.dimensions
        ):
            return Cost(slots=OWN)  # a thread's one element stays in a register
        degree, _ = self.banks.tile_degree(access)
        if access.tile.range.pitches and indices[0] is not None:
            rates = [1.0 for loop in loops if not loop.unrolled and loop.variable in indices[0].names]
        else:
            known = [index for index in indices if index is not None]
            rates = [0.5 for loop in loops if not loop.unrolled and any(loop.variable in p.names for p in known)]
            rates += [1.0] * (len(indices) - len(known))
        turns = degree * max(1, size / 4) if degree is not None else self.random_turns(access, subscripts)
        found = Cost(1 + access.tile.traits.slots + min(1.0, sum(rates)) * 0.25, 0, turns)
        if place is None or strides is None or not access.tile.is_direct or access.tile.policy:
            return found
        total = FREE
        for width, accesses in self.of_tile_anew(access.tile, place, loops).items():
            of_all, _ = self.banks.tile_degree(access, width)
            turns = (of_all or 1) * max(1, width * size / 4) if width > 1 else found.turns
            total += replace(found, turns=turns).times(accesses)
        return total

    def random_turns(self, access: TileAccess, subscripts: Iterable[Expr]) -> float:
        """Turns of an access of a tile whose index only the data knows."""
        size = sizeof(access.tile.element)
        if access.tile.scope == "thread" or not self.is_scattered(subscripts):
            return 2 * max(1, size / 4)
        return _between(random_degree(tile_elements(access.tile), size))

    def element(self, expr: Subscript, written: bool, loops: Loops, member: Member | None = None) -> Cost:
        """A load or a store of a variable's element, or of a member of it.

        It may be one of memory, or of an array of the block's or the thread's own.
        """
        base, subscripts = subscripts_of(expr)
        assert isinstance(base, Variable)
        size = max(1, sizeof(expr.type))
        if base.name in self.survey.gang_arrays():
            return Cost(slots=1, turns=max(1, size / 4))
        indices = [self.index(subscript) for subscript in subscripts]
        known = [index for index in indices if index is not None]
        if len(known) != len(indices):
            return Cost(slots=GATHERED + 1, sectors=self.gathered_sectors(base, subscripts, size, loops))
        place = flat(known, base.type)
        unrolled = {loop.variable for loop in loops if loop.unrolled}
        if base.name in self.in_registers and place.names <= unrolled:
            return FREE  # it lies in registers
        part = self.part(base.name, expr, member, written)
        if member is not None and written and part == ("", 0) and member.field != min(fields_of(expr)):
            return FREE  # stored with another member
        return self.in_memory(base.name, place, size, written, loops=loops, part=part)

    def part(self, array: str, record: Subscript, member: Member | None, written: bool) -> tuple[str, int]:
        """The part of a structure that an access of one of its members needs, by its name, and bytes; ("", 0) for all.

        A compiler that knows structures of 8 or 16 bytes to be aligned to that loads them whole, and stores those whole
        of which all members are stored.
        """
        if member is None:
            return "", 0
        is_whole = self.joins and sizeof(record.type) in WHOLE and array in self.wide.in_memory
        if is_whole and (not written or self.stored.get(array) == fields_of(record)):
            self.wide.arrays.add(array)
            return "", 0
        return member.field, max(1, sizeof(member.type))

    @cached_property
    def stored(self) -> Mapping[str, frozenset[str]]:
        """The members that the kernel stores of arrays of structures."""
        found: dict[str, frozenset[str]] = {}
        for node in walk(self.body):
            target = node.target if isinstance(node, Assign) else None
            if isinstance(target, Member) and isinstance(target.base, Subscript):
                array, _ = subscripts_of(target.base)
                if isinstance(array, Variable):
                    found[array.name] = found.get(array.name, frozenset()) | {target.field}
        return found

    def in_memory(
        self,
        array: str,
        place: Polynomial,
        size: int,
        written: bool,
        *,
        loops: Loops,
        part: tuple[str, int] = ("", 0),
        is_copied: bool = False,
    ) -> Cost:
        """A load or a store, on average over the iterations of unrolled loops: what is loaded again is at hand.

        Of what ``is_copied`` all is loaded before anything is stored.
        """
        strides = self.strides(place, loops)
        is_known = strides is not None  # else each iteration may have another value from memory
        rolled, places = unrolled(place, loops) if is_known else (loops, single(place))
        count = sum(map(len, places.values()))
        repeated = written or (array in self.written and not is_copied)
        while is_known and not repeated and rolled and rolled[-1].hoists and not _moves(rolled[-1], places):
            rolled = rolled[:-1]
        found, keys = FREE, (part[0], *(loop.variable for loop in rolled))
        if not written and strides is not None:
            self.note_stream(array, size, strides)
        anew = self.anew(array, keys, places)
        is_apart = array in self.written and not (written or is_copied)
        for common, constants in (places if repeated else anew).items():
            for width, accesses in self.joined(array, common, constants, size, is_apart=is_apart).items():
                address = self.address(array, common, rolled)
                sectors = self.sectors(common, size, rolled, part[1] or size * width)
                found += Cost(1 + address, sectors).times(accesses)
        return found.times(1 / count if repeated else 1 / prod(max(1, loop.trips) for loop in loops[len(rolled) :]))

    def anew(self, name: str, keys: tuple[str, ...], places: Places) -> Places:
        """The places that an iteration of the loops around has not loaded yet, each once; from now on it has."""
        found: Places = {}
        for common, constants in places.items():
            known = self.loaded.get((name, keys, common), frozenset())
            new = [constant for constant in dict.fromkeys(constants) if constant not in known]
            if new:
                found[common] = new
                self.loaded[name, keys, common] = known.union(new)
        return found

    def of_tile_anew(self, tile: Tile, place: Polynomial, loops: Loops) -> Mapping[int, float]:
        """The accesses of a tile for what is not at hand, by the elements of each.

        On average over the iterations of unrolled loops. A compiler joins neighbours where rows are aligned.
        """
        rolled, places = unrolled(place, loops)
        keys = ("", *(loop.variable for loop in rolled))
        found: Counter[int] = Counter()
        for common, constants in self.anew(tile.name, keys, places).items():
            found.update(self.wide.of_tile(tile, common, constants))
        iterations = prod(max(1, loop.trips) for loop in loops[len(rolled) :])
        return {width: count / iterations for width, count in found.items()}

    def note_stream(self, array: str, size: int, strides: Strides | None) -> None:
        """Note what the lanes of a warp read of an array: each its own where strides are not known."""
        count = len(set(lane_places(strides, self.survey.kernel.shape.block))) if strides is not None else WARP
        if count > 1:
            self.streams[array] = max(count * size, self.streams.get(array, 0))

    @property
    def read(self) -> Mapping[str, float]:
        """Bytes that a warp's iterations read of each array from L2, on average.

        What a block reads of the planes around its own, other blocks read, too, long before or after it: L1 holds none
        of them, unless all planes that a block touches are small.
        """
        own = dict(self.survey.kernel.coarse.outputs).get("z", 1) * self.survey.kernel.shape.block[2]
        found = {}
        for array, size in self.streams.items():
            plane, touched = self.planes.get(array, (0, own))
            is_held = 0 < plane * touched * size / WARP < L1_BYTES
            found[array] = size * (1 if is_held else max(1, touched / own))
        return found

    @cached_property
    def planes(self) -> Mapping[str, tuple[int, int]]:
        """The elements of a plane of the loop along z, of which a block has some iterations, and how many it touches.

        For each array that it reads; 0 elements where only the run knows them.
        """
        elements: dict[str, int] = {}
        touched: dict[str, set[int]] = {}
        for (array, _, common), constants in self.loaded.items():
            whole = common.substitute(self.banks.places)
            rate = whole.coefficient("@thread.z")
            if rate is None or not rate.terms:
                continue
            monomial, factor = rate.terms[0]
            elements[array] = 0 if monomial else abs(factor)
            start = dict(whole.terms).get(monomial, 0) + abs(factor) // 2
            for first in {(start + each * (not monomial)) // factor for each in constants}:
                touched.setdefault(array, set()).update(range(first, first + self.survey.kernel.shape.block[2]))
        return {array: (elements[array], len(numbers)) for array, numbers in touched.items()}

    def joined(
        self, array: str, common: Polynomial, constants: list[int], size: int, *, is_apart: bool
    ) -> Mapping[int, int]:
        """How many accesses of how many elements places are: one each if others may stand between them."""
        if not self.joins or is_apart or len(set(constants)) < len(constants):
            return {1: len(constants)}
        return self.wide.grouped(array, common, constants, size)

    def address(self, array: str, place: Polynomial, loops: Loops) -> float:
        """Slots of an address an access; what several accesses share is counted once, as often as it changes."""
        moving = [loop for loop in loops if loop.variable in place.names]
        rates = {loop.variable: place.coefficient(loop.variable) for loop in moving}
        constant_rates = {name for name, rate in rates.items() if rate is not None and rate.constant_value is not None}
        far = [loop for loop in moving if loop.variable not in constant_rates]
        shared = place - place.constant_term
        for name in constant_rates:
            shared = shared.without(name)
        anew = loops[: 1 + max(loops.index(loop) for loop in far)] if far else ()
        base = BASE + ROW * any(len(names) > 1 for names, _ in shared.terms)
        self.bases.setdefault((array, shared), STRIDE * prod(loop.trips for loop in anew) if far else base)
        return sum(POINTER for loop in moving if loop.variable in constant_rates and not loop.unrolled)

    def sectors(self, place: Polynomial, size: int, loops: Loops, width: int) -> float:
        """Sectors of a warp's access to ``width`` bytes of a flat array, on average over where its rows begin."""
        strides = self.strides(place, loops)
        if strides is None:
            return WARP
        return touched(strides, self.survey.kernel.shape.block, size, width)

    def strides(self, place: Polynomial, loops: Loops) -> Strides | None:
        """Elements from a thread to the next along each axis; far away where that is no constant.

        None if threads have what they refer to from memory.
        """
        place = place.substitute({loop.variable: loop.first for loop in loops if loop.first is not None})
        return self.surroundings.strides(place)

    def is_scattered(self, subscripts: Iterable[Expr]) -> bool:
        """Whether lanes may have different elements where an index comes from memory."""
        names = {node.name for subscript in subscripts for node in nodes_of(subscript, Variable)}
        return bool(names & self.banks.varying)

    def gathered_sectors(self, array: Variable, subscripts: Sequence[Expr], size: int, loops: Loops) -> float:
        """Sectors where an index is no polynomial: no more than without the quotients by constants in it."""
        indices = [self.index(_without_quotients(subscript)) for subscript in subscripts]
        exact = [index for index in indices if index is not None]
        random = self.random_sectors(array, subscripts, size)
        if len(exact) != len(indices):
            return random
        return min(random, self.sectors(flat(exact, array.type), size, loops, size))

    def random_sectors(self, array: Variable, subscripts: Iterable[Expr], size: int) -> float:
        """Sectors where an index comes from memory, if lanes may differ."""
        if not self.is_scattered(subscripts):
            return 1
        elements = self.lengths.get(array.name)
        if elements is None:
            return WARP
        sectors = ceil(elements * size / SECTOR_BYTES)
        return _between(sectors * (1 - (1 - 1 / sectors) ** WARP))

    @cached_property
    def lengths(self) -> Mapping[str, int]:
        """How many elements cache directives name of arrays, where that is a constant, and all lanes name the same."""
        found: dict[str, int] = {}
        kernel = self.survey.kernel
        regions = (kernel.region,) if kernel.written is None else (kernel.written.region, kernel.region)
        directives = (node for region in regions for node in nodes_of(region.body, Cache))
        for subarray in (item for node in directives for item in node.subarrays):
            counts = [constant(part.length) for part in subarray.dimensions]
            lowers = frozenset[str]().union(*(used_variables(p.lower) for p in subarray.dimensions if p.lower))
            known = [count for count in counts if count]
            if known and len(known) == len(counts) and not lowers & self.banks.varying:
                found[subarray.variable] = max(prod(known), found.get(subarray.variable, 0))
        return found


def _without_quotients(subscript: Expr) -> Expr:
    """An index that is the further apart from one lane to the next: ``x/2`` is ``x``, as is ``x % 8``."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        is_by_constant = isinstance(node, Binary) and node.op in ("/", "%") and (constant(node.right) or 0) > 0
        return node.left if isinstance(node, Binary) and is_by_constant else node

    return rewrite(subscript, change)


def _between(random: float) -> float:
    """What accesses of a short array cost where only the data knows the places: between one place and random ones.

    Lanes that are neighbours mostly have values that are near each other, such as the shades of an image.
    """
    return sqrt(random)


def fields_of(record: Subscript) -> frozenset[str]:
    """The members of an element of an array of structures."""
    plain = resolve(record.type)
    fields = plain.fields if isinstance(plain, Record) else None
    return frozenset(item.name for item in fields or ())


def _moves(loop: SequentialLoop, places: Places) -> bool:
    """Whether places differ from one iteration of a loop to another."""
    return any(common.names & (loop.changed | {loop.variable}) for common in places)
