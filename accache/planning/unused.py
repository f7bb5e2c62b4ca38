"""Leaves out what lowering declared in advance and nothing turned out to need: starts, widths, indices."""

from __future__ import annotations

from collections.abc import Iterator

from accache.analysis.walk import rewrite, used_variables, walk
from accache.ir.simt import CountThreads, ParallelFor, Tile
from accache.ir.tree import Block, Declare, Expr, Stmt
from accache.planning.caching import CachedKernel
from accache.planning.indices import IndexNames
from accache.planning.serving import printed_names
from accache.planning.sharing import FIRST, WIDTH
from accache.text import Location

NOWHERE = Location("", 0)


def without_unused(body: list[Stmt], cached: CachedKernel, names: IndexNames) -> list[Stmt]:
    """The statements without declarations of first indices, widths and loop variables that nobody reads."""
    loops = [node.loop.variable for node in walk(cached.body) if isinstance(node, ParallelFor)]
    symbols = [form.format(name) for name in loops for form in (FIRST, WIDTH)]
    generated = {names.printed[symbol] for symbol in symbols if symbol in names.printed}
    optional = {*loops, *generated, *(start for tile in cached.tiles for start in tile.starts)}
    in_copies = {names.printed.get(name, name) for tile in cached.tiles for name in _named(tile)}
    block = Block(NOWHERE, tuple(body))
    while True:
        used = {names.printed.get(name, name) for name in printed_names(block)} | in_copies
        less = _without(block, optional - used)
        if less is block:
            return list(block.items)
        assert isinstance(less, Block)
        block = less


def _named(tile: Tile) -> Iterator[str]:
    """The names that a tile's fetch and write-back print."""
    for polynomial in tile.pitches:
        yield from polynomial.names
    if tile.owned is not None:
        yield from used_variables(tile.owned)
    if tile.is_fetched or tile.is_collected:
        yield from tile.starts
    for dimension in tile.dimensions:
        if dimension.limit is not None:
            yield from dimension.limit.names
        if tile.is_fetched or tile.is_collected or tile.method == "rbc":
            yield WIDTH.format(dimension.variable)


def _without(stmt: Stmt, names: set[str]) -> Stmt:
    """A statement without the declarations of some names, those excepted that make all threads wait."""

    def unused(item: Stmt) -> bool:
        return isinstance(item, Declare) and item.name in names and not isinstance(item.init, CountThreads)

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, Block) or not any(map(unused, node.items)):
            return node
        return Block(node.location, tuple(item for item in node.items if not unused(item)))

    return rewrite(stmt, change)
