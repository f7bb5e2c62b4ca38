"""Thread density of a proposed subarray in closed form, from the references that its tile would serve.

For a block, TD is the sum over elements of the threads that use them, over the elements of the box that is copied
(issue 23; ``accache.density`` measures the same of a trace).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

from msgspec import Struct

from accache.analysis.canonical import canonical_loop
from accache.analysis.loop_context import ArrayUse
from accache.caching.estimates.access_cost import AccessCost
from accache.caching.estimates.banks import WARP
from accache.caching.estimates.lanes import SECTOR_BYTES
from accache.caching.estimates.places import flat
from accache.caching.estimates.unrolled_places import SequentialLoop
from accache.caching.requests import Request
from accache.caching.survey import Site
from accache.counting.trips import trips_of
from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.polynomial import Polynomial
from accache.ir.tree import For, Stmt
from accache.ir.walk import used_variables, walk

ABOUT_ONE = 0.9
"""The least density with which it may be copied where its loads move far more sectors than it needs."""
UNCOALESCED = 2.0
"""So many times the sectors that the elements of loads fill are far more."""
MOST_POSITIONS = 1 << 14
"""Positions of one thread in its subarray that are counted one by one; of more, all are taken to be used."""
SIZE = 1024
"""What names in trip counts are taken to be."""


class ThreadDensity(Struct, frozen=True):
    """The density of a subarray in a block, and how many sectors loads ask for, for each that their elements fill."""

    density: float
    asked: float

    def is_candidate(self, threshold: float) -> bool:
        """Whether threads share enough, or scattered loads would become rows."""
        return self.density >= threshold or (self.density >= ABOUT_ONE and self.asked >= UNCOALESCED)


def density_of(request: Request, stmt: Stmt, site: Site) -> ThreadDensity:
    """The thread density of a subarray that the block shares, in the statement that its directive is for."""
    survey = site.survey
    loops = {loop.variable: loop for loop in _sequential(stmt, site)}
    cells = prod(dimension.extent for dimension in request.dimensions)
    memory = AccessCost(survey, survey.kernel.body)
    asked, loads, positions = 0.0, 0.0, set[tuple[int, ...]]()
    is_known = True
    for use, index in request.references.pairs:
        found = _positions(index, request, loops)
        is_known = is_known and found is not None
        positions |= found or set()
        count = _iterations(index, loops)
        asked, loads = asked + _sectors(use, request, memory, loops) * count, loads + count
    touched = len(positions) if is_known else prod(dimension.length for dimension in request.dimensions)
    filled = loads * min(WARP, request.sharing.threads) * request.element_bytes / SECTOR_BYTES
    return ThreadDensity(request.sharing.threads * touched / cells, asked / filled)


def _sequential(stmt: Stmt, site: Site) -> Iterator[SequentialLoop]:
    """The counted sequential loops around a directive's statement and in it."""
    definitions = site.survey.definitions
    known = used_variables(site.survey.kernel.body)
    far = frozenset(name for name, _ in site.context.ranges)
    for node in (*site.path, *walk(stmt)):
        loop = canonical_loop(node) if isinstance(node, For) else None
        if isinstance(node, For) and isinstance(loop, CanonicalLoop):
            trips = trips_of(node, definitions, known, far)
            if trips is None:
                yield SequentialLoop(loop.variable, SIZE, False, index_polynomial(loop.first, definitions))
                continue
            count = trips.count.value
            steps = range(0, min(count or 0, MOST_POSITIONS) * trips.step, trips.step)
            yield SequentialLoop(loop.variable, trips.count.evaluate(_Sizes()), False, trips.first, steps)


class _Sizes(dict[str, int]):
    """A size for every name."""

    def __missing__(self, name: str) -> int:
        return SIZE


def _iterations(index: tuple[Polynomial | None, ...], loops: Mapping[str, SequentialLoop]) -> float:
    """How many elements a thread refers to in loops, but for those in which the element stays the same."""
    moving = {name for part in index if part is not None for name in part.names if name in loops}
    return prod(max(1.0, loops[name].trips) for name in moving)


def _positions(
    index: tuple[Polynomial | None, ...], request: Request, loops: Mapping[str, SequentialLoop]
) -> set[tuple[int, ...]] | None:
    """The places in a thread's own subarray that a reference has in all iterations; None where they are not known."""
    offsets = [
        part - dimension.lower for part, dimension in zip(index, request.dimensions, strict=True) if part is not None
    ]
    names = sorted({name for offset in offsets for name in offset.names})
    if any(name not in loops or not loops[name].steps for name in names):
        return None
    if prod(len(loops[name].steps) for name in names) > MOST_POSITIONS:
        return None
    found = set()
    for values in product(*(loops[name].values for name in names)):
        chosen = dict(zip(names, values, strict=True))
        place = [_settled(offset, chosen) for offset in offsets]
        if any(part is None for part in place):
            return None
        found.add(tuple(part for part in place if part is not None))
    return found


def _settled(offset: Polynomial, values: Mapping[str, Polynomial]) -> int | None:
    """The value of an offset with loop variables replaced, which may start from one another."""
    for _ in range(len(values)):
        offset = offset.substitute(values)
    return offset.constant_value


def _sectors(use: ArrayUse, request: Request, memory: AccessCost, loops: Mapping[str, SequentialLoop]) -> float:
    """The sectors that a warp's access moves."""
    indices = [index_polynomial(subscript, memory.definitions) for subscript in use.subscripts]
    known = [index for index in indices if index is not None]
    if len(known) != len(indices):
        return WARP
    size = request.element_bytes
    return memory.sectors(flat(known, request.array_type), size, tuple(loops.values()), size)
