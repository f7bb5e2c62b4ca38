"""Tiles that hold what all iterations of a block use, where each of its threads has several.

Before, of a matrix product whose blocks have 32 x 4 threads with 4 x 8 iterations each::

    for (int l = 0; l < n; l += 16)
    #pragma acc cache(a[i:1][l:16], b[l:16][j:1])
        ...

After, a tile of a with the rows of 32 iterations, and one of b with the columns of 128. They are planned as if each
iteration had a thread of its own; then the threads of the block fill them together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from accache.base.diagnostics import Reporter
from accache.base.options import Options
from accache.caching.cached import CachedKernel
from accache.caching.choice import Key
from accache.caching.decisions import with_tile
from accache.caching.planner import Planner
from accache.caching.shared_fetches import with_tiles
from accache.caching.sizing.bounds import Refusal
from accache.caching.survey import Survey
from accache.ir.kernels.simt import Formula, ParallelFor
from accache.ir.kernels.tiles import Tile, TileDimension
from accache.ir.names import FIRST, PLACE, WIDTH, base_of
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Expr, Stmt
from accache.ir.walk import nodes_of, rewrite
from accache.mapping.blocks import Outputs
from accache.mapping.mapped import MappedKernel


def with_iterations_tiles(
    kernel: MappedKernel, plain: MappedKernel, outputs: Outputs, options: Options, *, names: frozenset[str]
) -> CachedKernel:
    """The ``plain`` kernel, whose threads are to have several iterations, with tiles for all of them.

    Its directives are those of ``kernel``, which may be mapped to blocks of another shape. Nothing is reported.
    """
    if _nest(kernel) != _nest(plain):
        return CachedKernel(plain, plain.body, ())
    several = dict(outputs)
    blocks = [threads * several.get(axis, 1) for axis, threads in zip("xyz", plain.shape.block, strict=True)]
    block = (blocks[0], blocks[1], blocks[2])
    survey = Survey(_in_blocks(kernel, plain, block), options.fast_math)
    given_up: dict[Key, Refusal] = {}
    while True:
        cached = Planner(survey, options, Reporter(), set(names), given_up).kernel()
        unfit = [tile for tile in cached.tiles if not _is_for_block(tile)]
        if not unfit:
            break
        given_up |= {(tile.location, tile.text): Refusal("ACC419", "", tile.method) for tile in unfit}
    variables = {loop.block: loop.loop.variable for loop in _loops(kernel)}
    coarse = {variables[axis]: axis for axis, number in outputs if number > 1 and axis in variables}
    known = {FIRST.format(name): Polynomial.symbol(FIRST.format(base_of(name))) for name in coarse}
    extents = dict(zip("xyz", block, strict=True))
    known |= {WIDTH.format(name): Polynomial.constant(extents[axis]) for axis, name in variables.items() if axis}
    tiles = {tile.name: _without_threads(tile, known) for tile in cached.tiles}
    body = rewrite(rewrite(cached.body, with_tiles(tiles, {})), _with_places(coarse))
    assert isinstance(body, Stmt)
    found = _in_blocks(replace(plain, body=body), plain, plain.shape.block)
    decisions = tuple(with_tile(item, tiles) for item in cached.decisions)
    return CachedKernel(found, found.body, decisions, counted=cached)


def _loops(kernel: MappedKernel) -> list[ParallelFor]:
    return list(nodes_of(kernel.body, ParallelFor))


def _nest(kernel: MappedKernel) -> list[tuple[str, str, str, bool]]:
    """The parallel loops of a kernel, and their axes."""
    return [(loop.loop.variable, loop.grid, loop.block, loop.covered) for loop in _loops(kernel)]


def _in_blocks(kernel: MappedKernel, plain: MappedKernel, block: tuple[int, int, int]) -> MappedKernel:
    """A kernel in blocks of another shape, with what else of the mapping depends on it."""
    threads = dict(zip("xyz", block, strict=True))

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, ParallelFor) or not node.block or node.threads == threads[node.block]:
            return node
        return replace(node, threads=threads[node.block])

    body = rewrite(kernel.body, change)
    assert isinstance(body, Stmt)
    axis = {loop.grid: loop.block for loop in _loops(plain)}
    along = tuple(
        threads.get(axis.get(grid, ""), usual) for grid, usual in zip("xyz", plain.shape.grid_threads, strict=False)
    )
    return replace(kernel, body=body, shape=replace(kernel.shape, block=block, grid_threads=along))


def _is_for_block(tile: Tile) -> bool:
    """Whether all threads of a block read a tile, and none writes to it."""
    return tile.scope == "block" and tile.is_direct and not tile.policy


def _without_threads(tile: Tile, known: Mapping[str, Polynomial]) -> Tile:
    """A tile that holds the same for all threads: what each one's iterations use is a part of it."""
    dimensions = tuple(_of_block(dimension, known) for dimension in tile.range.dimensions)
    return replace(tile, storage=replace(tile.range, dimensions=dimensions))


def _of_block(dimension: TileDimension, known: Mapping[str, Polynomial]) -> TileDimension:
    start = dimension.start.substitute(known)
    return TileDimension(start, dimension.extent, "", "", rate=0, step=1, extent=dimension.extent, start=start)


def _with_places(coarse: Mapping[str, str]) -> Callable[[Expr | Stmt], Expr | Stmt]:
    """Puts an iteration's place in its block where the planner has that of a thread."""
    places = {f"@thread.{axis}": Polynomial.symbol(PLACE.format(name)) for name, axis in coarse.items()}

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if isinstance(node, Formula) and node.polynomial.names & places.keys():
            return replace(node, polynomial=node.polynomial.substitute(places))
        return node

    return change
