"""Where the lanes of a warp refer to: strides between threads, and the sectors of memory that they touch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from math import ceil

from msgspec import Struct

from accache.analysis.canonical import constant_trips
from accache.analysis.uniformity import written_arrays
from accache.base.properties import cached_property
from accache.caching.estimates.banks import WARP, BankModel
from accache.caching.estimates.far_from_edges import far_value, far_values
from accache.caching.estimates.places import FAR
from accache.ir.as_polynomial import index_polynomial, residue_polynomial
from accache.ir.kernels.simt import ParallelFor
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    Expr,
)
from accache.ir.walk import declared_variables, nodes_of, remembered
from accache.mapping.mapped import MappedKernel

SECTOR_BYTES = 32
THREADS = frozenset(("@thread.x", "@thread.y", "@thread.z"))
"""The symbols of a thread's place in its block."""
Strides = tuple[int, int, int]
"""Elements from a thread to the next along each axis."""


class Surroundings(Struct, frozen=True, dict=True):
    """What all estimates of a mapped kernel ask about its body, with one set of tiles and another one."""

    kernel: MappedKernel

    @cached_property
    def banks(self) -> BankModel:
        """Where the lanes of a warp are."""
        return BankModel(self.kernel.body, self.kernel.shape.block)  # which still defines what only tiles used

    @cached_property
    def own(self) -> frozenset[str]:
        """The variables that the kernel declares."""
        return declared_variables(self.kernel.body)

    @cached_property
    def definitions(self) -> Mapping[str, Expr]:
        """The variables that have one value each far from edges."""
        return far_values(self.kernel.body, self.own)

    @cached_property
    def opaque(self) -> frozenset[str]:
        """Those of them whose value is no polynomial, such as a quotient: it stands for itself in places."""
        return frozenset(
            name for name, value in self.definitions.items() if index_polynomial(value, self.definitions) is None
        )

    @cached_property
    def written(self) -> frozenset[str]:
        """The arrays that the kernel writes."""
        return written_arrays(self.kernel.body)

    @cached_property
    def index(self) -> Callable[[Expr], Polynomial | None]:
        """A subscript far from edges, and from where its type wraps; each is read once."""

        def read(subscript: Expr) -> Polynomial | None:
            value = far_value(subscript, self.own)
            exact = index_polynomial(value, self.definitions)
            return exact if exact is not None else residue_polynomial(value, self.definitions)

        return cache(read)

    @cached_property
    def strides(self) -> Callable[[Polynomial], Strides | None]:
        """The strides of a place; those of each are found once, as many references lie alike."""
        return cache(lambda place: _strides(place, self.banks))


@remembered
def surroundings_of(kernel: MappedKernel) -> Surroundings:
    """What is known of a kernel's body, found once."""
    return Surroundings(kernel)


def _strides(place: Polynomial, banks: BankModel) -> Strides | None:
    """The strides of a place, by where the lanes of a warp are."""
    place = place.substitute(banks.places)
    if place.names & banks.varying:
        return None
    found = dict.fromkeys(THREADS, 0)
    for monomial, coefficient in place.terms:
        for axis in THREADS & place.names & frozenset(monomial):
            found[axis] = FAR if len(monomial) > 1 or found[axis] == FAR else coefficient
    return found["@thread.x"], found["@thread.y"], found["@thread.z"]


@lru_cache(maxsize=1024)
def lane_places(strides: Strides, block: tuple[int, int, int]) -> tuple[int, ...]:
    """The elements that the lanes of a warp access, counted from that of the first lane."""
    x, y, _ = block
    lanes = ((n % x, n // x % y, n // (x * y)) for n in range(WARP))
    return tuple(sum(s * t for s, t in zip(strides, lane, strict=True)) for lane in lanes)


@lru_cache(maxsize=1024)  # most accesses of a program lie alike, for each number of iterations that is tried
def touched(strides: Strides, block: tuple[int, int, int], size: int, width: int) -> float:
    """Sectors of a warp's access of ``width`` bytes, on average over where its rows begin; strides are elements."""
    places = [size * place for place in lane_places(strides, block)]
    offsets = range(0, SECTOR_BYTES, max(width, 4))
    sectors = [len({(byte + offset) // SECTOR_BYTES for byte in places}) for offset in offsets]
    return sum(sectors) / len(sectors)


def used_lanes(kernel: MappedKernel) -> float:
    """The part of a warp's lanes that have an iteration, in warps that have any: less than 1 where loops are short."""
    inner = (node for node in nodes_of(kernel.body, ParallelFor) if node.block and not node.grid)
    lengths = {loop.block: constant_trips(loop.loop) for loop in inner}
    columns = min(kernel.shape.block[0], WARP)
    rows = min(kernel.shape.block[1], WARP // columns)
    used = 1.0
    for axis, lanes, threads in (("x", columns, kernel.shape.block[0]), ("y", rows, rows)):
        length = lengths.get(axis, 0)
        used *= length / (lanes * ceil(length / lanes)) if 0 < length < threads else 1
    return used * min(1.0, kernel.shape.threads / WARP)
