"""Several iterations of parallel loops a thread: what they share is loaded once, and stays in registers.

Before, one element of a matrix product a thread::

    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[i*n + k] * b[k*n + j];
    c[i*n + j] = sum;

After, four rows a thread, which lie next to each other (and those on x a block's width apart, so that the threads of a
warp still touch neighbours)::

    if (i_base + 3 < n) {
        float sum[4];
        for (int di = 0; di < 4; ++di)
            sum[di] = 0;
        for (int k = 0; k < n; ++k)
            for (int di = 0; di < 4; ++di) {
                const int i = i_base + di;
                sum[di] += a[i*n + k] * b[k*n + j];
            }
        ...
    } else
        for (int i = i_base; i < n; ++i)
            ...                                   // the iterations one by one

Iterations of parallel loops are independent, so their statements may take turns (unroll and jam); those of one
iteration keep their order, so that results stay the same to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from accache.analysis.calls import collective_calls
from accache.analysis.canonical import counts_up_unsigned, may_wrap, with_tested_limit
from accache.analysis.uniformity import leaving_jumps, varying_names
from accache.ir.build import BOOL, INT, both
from accache.ir.kernels.simt import CacheRegion, ParallelFor, WholeBlock
from accache.ir.kernels.tiles import Tile
from accache.ir.names import FIRST
from accache.ir.tree import (
    Block,
    Declare,
    Expr,
    If,
    Jump,
    Label,
    Stmt,
)
from accache.ir.types import Arithmetic, resolve
from accache.ir.walk import assigned_variables, declared_variables, nodes_of, remembered, used_variables, walk
from accache.mapping.blocks import Outputs
from accache.mapping.coarsening.coarse_loops import CoarseLoop
from accache.mapping.coarsening.half_planes import half_plane, is_half
from accache.mapping.coarsening.interior import interior
from accache.mapping.coarsening.jamming import Jam, one_by_one, renamed
from accache.mapping.coarsening.kept_elements import with_kept_elements
from accache.mapping.loops.constant_trips import with_constant_trips
from accache.mapping.mapped import Coarse, MappedKernel


def coarsened(
    kernel: MappedKernel, outputs: Outputs, blocked: bool = False, plain: MappedKernel | None = None
) -> MappedKernel | str:
    """A mapped kernel whose threads have several iterations each, or why there is none.

    Those along x are neighbours if ``blocked`` says so. Its tiles hold what all iterations of a block use; ``plain`` is
    the same kernel without tiles, if it has any. It takes for granted that no two arrays are the same memory, which
    its launch has to test.
    """
    chain = _nest(kernel.body)
    obstacle = _obstacle(kernel, chain)
    if obstacle:
        return obstacle
    chain = [with_tested_limit(loop) for loop in _nest(_with_kept_elements(kernel))]
    without = _nest(_with_kept_elements(plain))[-1].body if plain is not None else chain[-1].body
    factors = {axis: factor for axis, factor in outputs if factor > 1}
    coarse = [
        CoarseLoop(loop, factors[loop.block], loop.block == "x" and not blocked)
        for loop in chain
        if loop.block in factors
    ]
    if len(coarse) < len(factors):
        return "it has no loop along one of the axes"
    regions, iteration = _tiles_around(chain[-1].body)
    triangle = half_plane(coarse, chain, iteration) if kernel.is_rectangle else None
    inside = interior(tuple(coarse), triangle.body if triangle is not None else iteration)
    far = with_constant_trips(inside.far)
    jam = Jam(tuple(coarse), far)
    body = jam.whole()
    if isinstance(body, str):
        return body
    if any(nodes_of(body, CacheRegion)):
        if inside.edges or triangle is not None:
            return "threads wait for each other in it, and some are at an edge"
        from_memory = interior(tuple(coarse), without)
        otherwise = Jam(jam.loops, renamed(with_constant_trips(from_memory.far), "memory"), jam.numbers).whole()
        if isinstance(otherwise, str):
            return otherwise
        if from_memory.conditions:
            rest = one_by_one(coarse, without)
            otherwise = If(otherwise.location, both(from_memory.conditions), otherwise, rest)
        body = _for_whole_blocks(body, otherwise, chain, coarse)
    elif triangle is not None:
        some = If(body.location, triangle.any, one_by_one(coarse, iteration))
        body = If(body.location, both((*inside.conditions, triangle.all)), body, some)
    elif inside.conditions:
        body = If(body.location, both(inside.conditions), body, one_by_one(coarse, iteration))
    for region in reversed(regions):
        body = replace(region, body=body)
    for loop in reversed(chain):
        own = next((item for item in coarse if item.loop is loop), None)
        body = replace(own.parallel if own is not None else loop, body=body)
    along = dict(zip(("x", "y", "z"), range(3), strict=True))
    threads = list(kernel.shape.grid_threads)
    for item in coarse:
        threads[along[item.loop.grid]] *= item.factor
    shape = replace(kernel.shape, grid_threads=tuple(threads))
    edges = (*inside.edges, *(triangle.axes if triangle is not None else ()))
    found = Coarse(tuple(sorted(factors.items())), blocked, edges)
    return replace(kernel, body=body, shape=shape, coarse=found)


def is_half_used(kernel: MappedKernel) -> bool:
    """Whether a kernel is none of a rectangle of which an unknown part lies in the triangle."""
    return not kernel.is_rectangle or is_half(_nest(kernel.body))


def inner_part(body: Stmt) -> Stmt:
    """A coarsened kernel's body without what threads at the end of a loop do."""
    if isinstance(body, (ParallelFor, CacheRegion)):
        return replace(body, body=inner_part(body.body))
    return body.then if isinstance(body, If) else body


def varying_inside(body: Stmt) -> frozenset[str]:
    """The names in a coarsened kernel's body on which threads with all their iterations may disagree, or others use."""
    inner = inner_part(body)
    parts = [inner, *_without_tiles_of(body)]
    own = frozenset[str]().union(*map(declared_variables, parts))
    return frozenset[str]().union(*map(varying_names, parts)) | (declared_variables(body) - own)


def _without_tiles_of(body: Stmt) -> list[Stmt]:
    """What threads with all their iterations do in a block that is not whole."""
    while isinstance(body, (ParallelFor, CacheRegion)):
        body = body.body
    if not isinstance(body, If) or not isinstance(body.condition, WholeBlock) or body.otherwise is None:
        return []
    return [inner_part(body.otherwise)]


def _nest(body: Stmt) -> list[ParallelFor]:
    """The parallel loops of a kernel that is nothing but a perfect nest of them, outermost first."""
    found: list[ParallelFor] = []
    while isinstance(body, ParallelFor) or (isinstance(body, Block) and len(body.items) == 1):
        if isinstance(body, ParallelFor):
            found.append(body)
            body = body.body
        else:
            body = body.items[0]
    return found


def _for_whole_blocks(body: Stmt, otherwise: Stmt, chain: Sequence[ParallelFor], coarse: Sequence[CoarseLoop]) -> Stmt:
    """A body for blocks whose threads have all their iterations, so that they can wait for each other."""
    several = {item.loop.loop.variable: item for item in coarse}
    loops = [several.get(loop.loop.variable, CoarseLoop(loop, 1, False)) for loop in chain]
    tiles = (tile for node in nodes_of(body, CacheRegion) for tile in node.tiles)
    named = frozenset[str]().union(*(part.start.names for tile in tiles for part in tile.range.dimensions))
    whole = [item.block_is_full(named) for item in loops if not item.fills_blocks]
    if not whole:
        return body
    return If(body.location, WholeBlock(BOOL, whole[0].location, both(whole)), body, otherwise)


@remembered
def _with_kept_elements(kernel: MappedKernel) -> Stmt:
    """A kernel's body, whatever iterations its threads will have."""
    return with_kept_elements(kernel.body, kernel.region.variables, frozenset(), is_tested=True)


def _tiles_around(body: Stmt) -> tuple[list[CacheRegion], Stmt]:
    """The regions that stand around all that an iteration does, outermost first, and what it does.

    Those that hold the same for all blocks: others serve only blocks whose threads have all their iterations.
    """
    found: list[CacheRegion] = []
    while isinstance(body, CacheRegion) and not any(map(follows_block, body.tiles)):
        found.append(body)
        body = body.body
    return found, body


def follows_block(tile: Tile) -> bool:
    """Whether a tile holds something else in another block."""
    first = FIRST.format("")
    return any(name.endswith(first) for part in tile.range.dimensions for name in part.start.names)


def _obstacle(kernel: MappedKernel, chain: Sequence[ParallelFor]) -> str:
    """Why threads of a kernel cannot have several iterations; '' if they can."""
    if not chain or any(not (loop.grid and loop.block) for loop in chain):
        return "its loops are not all spread over both blocks and threads"
    if not all(loop.covered for loop in chain):
        return "its threads go through the iterations in strides"
    if any(loop.reductions for loop in chain) or kernel.results:
        return "it reduces"
    if kernel.prologue or kernel.shared or kernel.memory or kernel.is_routine:
        return "its gangs have data of their own"
    variables = {loop.loop.variable for loop in chain}
    bounds = (bound for loop in chain for bound in (loop.loop.first, loop.loop.limit))
    if any(used_variables(bound) & variables for bound in bounds) or not all(map(_is_plain, chain)):
        return "its bounds are not simple"
    body = _tiles_around(chain[-1].body)[1]
    inside = list(walk(body))
    if any(isinstance(node, (ParallelFor, Label)) for node in inside) or any(collective_calls(body)):
        return "threads work together in it"
    if any(leaving_jumps(body)) or any(isinstance(node, Jump) and node.keyword == "goto" for node in inside):
        return "iterations end early"
    if assigned_variables(body) - declared_variables(body) or any(_is_static(node) for node in inside):
        return "iterations change variables that they have in common"
    return ""


def _is_plain(loop: ParallelFor) -> bool:
    """Whether a parallel loop counts signed numbers up to, or down to, a limit of such numbers, or unsigned ones up."""
    kinds = (resolve(loop.loop.type), resolve(loop.loop.limit.type))
    if counts_up_unsigned(loop.loop):
        return not may_wrap(with_tested_limit(loop))
    signed = all(isinstance(kind, Arithmetic) and not kind.unsigned and kind.size >= INT.size for kind in kinds)
    return signed and loop.loop.operator != "!="


def _is_static(node: Expr | Stmt) -> bool:
    return isinstance(node, Declare) and node.static
