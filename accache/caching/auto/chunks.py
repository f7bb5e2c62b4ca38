"""Loops that would have to be tiled before a directive helps: which ones, and by how many iterations.

Before: ``for (int k = 0; k < n; ++k) sum += a[i*n + k] * b[k*n + j];``. Tried, for chunks of several lengths::

    for (int k0 = 0; k0 < n; k0 += 16)
        for (int k = k0; k < k0 + 16 && k < n; ++k)
            sum += a[i*n + k] * b[k*n + j];

and told of if directives for the chunks are estimated to make the kernel faster than what it has without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop, constant_trips
from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.base.text import Location
from accache.caching.auto.decision import Placed, Preparing, placed
from accache.caching.cached import CachedKernel
from accache.caching.caching import plan_caches
from accache.caching.estimates.coarse_choice import OVER_L1
from accache.caching.estimates.kernel_cost import kernel_cost
from accache.caching.survey import Survey
from accache.ir.build import BOOL, number
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.names import free_name, user_name
from accache.ir.openacc.regions import Region
from accache.ir.tree import Assign, Binary, Declare, Expr, For, Stmt, Variable
from accache.ir.types import promoted
from accache.ir.walk import declared_variables, nodes_of, rewrite
from accache.mapping.mapped import MappedKernel
from accache.mapping.mapping import map_region

LENGTHS = (16, 32, 64, 128, 256)
WORTH = 0.95
"""The part of the clocks that must be left for a loop to be worth tiling. Less is asked of its tiles, which move along
it, as where they are chosen."""


class Chunk(Struct, frozen=True):
    """Advice to tile a loop: its place and variable, the iterations of a chunk, and what directives could name then."""

    loop: Location
    variable: str
    length: int
    tile_variable: str
    texts: tuple[str, ...]


def chunks(
    region: Region,
    kernels: tuple[MappedKernel, ...],
    now: Placed,
    options: Options,
    *,
    names: frozenset[str],
    prepare: Preparing,
) -> Iterator[Chunk]:
    """The loops of a construct's kernels that are worth tiling; ``now`` is what is decided without."""
    loops = dict.fromkeys(item.proposal.anchor.loop for item in now.candidates if item.proposal.is_single)
    usual = _clocks(now.kernels, options, names, prepare) if loops else []
    for loop in loops:
        best: tuple[float, Chunk] | None = None
        for length in LENGTHS:
            tiled = _tiled(region, loop, length)
            if tiled is None:
                break
            other, variable, outer = tiled
            mapped = map_region(other, Reporter())
            found = placed(other, mapped, options, names, prepare=prepare)
            texts = tuple(item.proposal.text for item in found.kept if item.proposal.anchor.loop == loop)
            if not texts or len(mapped) != len(kernels):
                continue
            clocks = _clocks(found.kernels, options, names, prepare)
            part = min(each / before for each, before in zip(clocks, usual, strict=True))
            if OVER_L1 * part <= WORTH and (best is None or part < best[0]):
                best = part, Chunk(loop, variable, length, outer, texts)
        if best is not None:
            yield best[1]


def _clocks(
    kernels: Sequence[MappedKernel], options: Options, names: frozenset[str], prepare: Preparing
) -> list[float]:
    """What a warp of each kernel is estimated to take for one iteration of a thread."""
    planned = (plan_caches(prepare(kernel, Reporter()), options, names, Reporter()) for kernel in kernels)
    return [_cost(cached) for cached in planned]


def _cost(cached: CachedKernel) -> float:
    emitted = next((item for item in cached.candidates if not item.refused), None)
    if emitted is not None:
        return emitted.cost.clocks
    return kernel_cost(Survey(cached.kernel), cached.body, cached.tiles).clocks


def _tiled(region: Region, loop: Location, length: int) -> tuple[Region, str, str] | None:
    """The construct with a loop in chunks, the loop's variable and that of the chunks; None if it cannot be tiled."""
    nodes = [node for node in nodes_of(region.body, For) if node.location == loop]
    canonical = canonical_loop(nodes[0]) if len(nodes) == 1 else ""
    start = nodes[0].init[0] if nodes and nodes[0].init else None
    if not isinstance(canonical, CanonicalLoop) or not isinstance(start, Declare):
        return None
    if canonical.step != 1 or canonical.operator not in ("<", "<=") or constant_trips(canonical):
        return None
    taken = {user_name(name) for name in declared_variables(region.body)}
    taken |= {user_name(variable.name) for variable in region.variables}
    name = user_name(canonical.variable)
    outer = free_name(f"{name}0", taken.__contains__)

    def change(node: Expr | Stmt) -> Expr | Stmt:
        return (
            _in_chunks(node, canonical, start, outer, length=length)
            if node is nodes[0] and isinstance(node, For)
            else node
        )

    return replace(region, body=rewrite(region.body, change)), name, outer


def _in_chunks(loop: For, canonical: CanonicalLoop, start: Declare, outer: str, *, length: int) -> For:
    """Two loops in the place of one; the inner one keeps its place."""
    where, ctype = loop.location, canonical.type
    chunk, variable = Variable(ctype, where, outer), Variable(ctype, where, canonical.variable)
    end = Binary(promoted(ctype, ctype), where, "+", chunk, number(length, where))
    ends = Binary(BOOL, where, "<", variable, end)
    assert loop.condition is not None
    inner = replace(
        loop,
        init=(replace(start, init=chunk),),
        condition=Binary(BOOL, where, "&&", ends, loop.condition),
    )
    limit = Binary(BOOL, where, canonical.operator, chunk, canonical.limit)
    step = Assign(ctype, where, "+=", chunk, number(length, where))
    around = replace(where, column=where.column + 1)  # no other loop is there
    return For(around, (replace(start, name=outer),), limit, step, inner)
