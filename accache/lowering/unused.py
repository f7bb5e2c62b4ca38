"""Leaves out what nothing turned out to need: starts, widths and indices, and variables that led to cached elements."""

from __future__ import annotations

from collections.abc import Iterator

from accache.analysis.calls import has_effect
from accache.base.text import Location
from accache.caching.cached import CachedKernel
from accache.caching.rewrite_references import printed_names
from accache.ir.kernels.simt import CountThreads, ParallelFor
from accache.ir.kernels.tiles import Tile
from accache.ir.names import FIRST, WIDTH
from accache.ir.tree import Assign, Block, Declare, Evaluate, Expr, If, Stmt, Variable
from accache.ir.walk import nodes_of, rewrite, used_variables, walk
from accache.lowering.indices import IndexNames

NOWHERE = Location("", 0)


def without_unused(body: list[Stmt], cached: CachedKernel, names: IndexNames) -> list[Stmt]:
    """The statements without first indices, widths, loop variables and users' variables that nobody reads any more."""
    loops = [node.loop.variable for node in nodes_of(cached.body, ParallelFor)]
    symbols = [form.format(name) for name in loops for form in (FIRST, WIDTH)]
    generated = {names.printed[symbol] for symbol in symbols if symbol in names.printed}
    starts = frozenset(start for tile in cached.tiles for start in tile.range.starts)
    optional = {*loops, *generated, *starts, *_declared(cached)}
    in_copies = {names.printed.get(name, name) for tile in cached.tiles for name in _named(tile)}
    block = Block(NOWHERE, tuple(body))
    while True:
        used = {names.printed.get(name, name) for name in printed_names(block)} | in_copies
        less = _without_shared(_without(block, optional - used), starts - in_copies)
        if less is block:
            return list(block.items)
        assert isinstance(less, Block)
        block = less


def _declared(cached: CachedKernel) -> frozenset[str]:
    """The variables of the program itself whose declarations do nothing else."""
    declares = nodes_of(cached.kernel.body, Declare)
    return frozenset(node.name for node in declares if node.init is None or not has_effect(node.init))


def _without_shared(stmt: Stmt, starts: frozenset[str]) -> Stmt:
    """A statement without the assignments of starts in shared memory that no thread reads."""
    unread = {name for node in walk(stmt) if (name := _communicated(node)) in starts}
    if unread:
        unread -= printed_names(_without_assignments(stmt, frozenset(unread)))
    return _without_assignments(stmt, frozenset(unread)) if unread else stmt


def _without_assignments(stmt: Stmt, names: frozenset[str | None]) -> Stmt:
    """A statement in which no thread communicates some starts."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, Block) or not any(_communicated(item) in names for item in node.items):
            return node
        return Block(node.location, tuple(item for item in node.items if _communicated(item) not in names))

    return rewrite(stmt, change)


def _communicated(node: Expr | Stmt) -> str | None:
    """The variable that ``if (...) variable = ...;`` sets; None of other statements."""
    if not isinstance(node, If) or node.otherwise is not None or not isinstance(node.then, Evaluate):
        return None
    assign = node.then.expr
    if not isinstance(assign, Assign) or assign.op != "=" or not isinstance(assign.target, Variable):
        return None
    return assign.target.name


def _named(tile: Tile) -> Iterator[str]:
    """The names that a tile's fetch and write-back print."""
    for polynomial in tile.range.pitches:
        yield from polynomial.names
    if tile.owned is not None:
        yield from used_variables(tile.owned)
    if tile.is_fetched or tile.is_collected:
        yield from tile.range.starts
    for dimension in tile.range.dimensions:
        if dimension.limit is not None:
            yield from dimension.limit.names
        if tile.is_fetched or tile.is_collected or tile.traits.may_miss:
            yield WIDTH.format(dimension.variable)


def _without(stmt: Stmt, names: set[str]) -> Stmt:
    """A statement without the declarations of some names, those excepted that make all threads wait."""

    def unused(item: Stmt) -> bool:
        return isinstance(item, Declare) and item.name in names and not isinstance(item.init, CountThreads)

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, Block) or not any(map(unused, node.items)):
            return node
        return Block(node.location, tuple(item for item in node.items if not unused(item)))

    return rewrite(stmt, change) if any(map(unused, nodes_of(stmt, Declare))) else stmt
