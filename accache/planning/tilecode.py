"""The statements that find where a tile starts (paper 004, section 4.2.3: renew cache scope)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from accache.analysis.walk import rewrite, used_variables
from accache.ir.polynomial import Polynomial
from accache.ir.simt import CountThreads, SharedArray, Tile, TileDimension
from accache.ir.tree import Assign, Binary, Block, Declare, Evaluate, Expr, If, Stmt, Variable
from accache.ir.types import Arithmetic
from accache.planning.accesses import Accesses
from accache.planning.barriers import Step
from accache.planning.indices import BOOL, IndexNames, both, formula, number, thread
from accache.planning.sharing import WIDTH
from accache.text import Location

INT = Arithmetic("int")
WIDE = Arithmetic("long long")


def start_steps(
    tile: Tile, scope: str, guards: tuple[Expr, ...], axes: frozenset[str], shared: dict[str, SharedArray]
) -> list[Step]:
    """Declare each dimension's first index: privately in every thread, or communicated by one of them.

    ``axes`` are those along which the block has several threads.
    """
    steps: list[Step] = []
    for dimension, name in zip(tile.dimensions, tile.starts, strict=True):
        if tile.scope == "thread":
            steps.append(Step(tile.location, stmt=_declare(tile, dimension.lower, name), guarded=True, guards=guards))
        elif scope == "communicating" and dimension.axis:
            shared[name] = SharedArray(tile.location, name, index_type(tile))
            steps.append(_communicated(tile, dimension, name, axes))
        else:
            steps.append(Step(tile.location, stmt=_declare(tile, dimension.start, name), movable=True))
    return steps


def _declare(tile: Tile, start: Polynomial, name: str) -> Stmt:
    ctype = index_type(tile)
    return Declare(tile.location, name, replace(ctype, const=True), formula(start, tile.location, ctype))


def index_type(tile: Tile) -> Arithmetic:
    """The type of the tile's starts."""
    return WIDE if tile.wide else INT


def _communicated(tile: Tile, dimension: TileDimension, name: str, axes: frozenset[str]) -> Step:
    """The thread whose subarray comes first writes the start to shared memory."""
    where = tile.location
    width = Polynomial.symbol(WIDTH.format(dimension.variable))
    leads = dimension.rate * dimension.step > 0
    position = number(0, where) if leads else formula(width - 1, where)
    conditions = [Binary(BOOL, where, "==", formula(thread(dimension.axis), where), position)]
    conditions += [
        Binary(BOOL, where, "==", formula(thread(axis), where), number(0, where))
        for axis in sorted(axes - {dimension.axis})
    ]
    target = Variable(index_type(tile), where, name)
    assign = Evaluate(where, Assign(target.type, where, "=", target, formula(dimension.lower, where)))
    accesses = Accesses(writes=frozenset((name,)))
    return Step(where, accesses, "", If(where, both(conditions), assign))


def without_unused(body: list[Stmt], tiles: tuple[Tile, ...], names: IndexNames) -> list[Stmt]:
    """The statements without starts and widths that no fetch, write-back or access needs."""
    moving = [tile for tile in tiles if tile.is_fetched or tile.is_collected]
    counting = [tile for tile in tiles if tile in moving or tile.method == "rbc"]
    needed = {start for tile in moving for start in tile.starts}
    needed |= {names.of(WIDTH.format(dimension.variable)) for tile in counting for dimension in tile.dimensions}
    where = Location("", 0)
    used = {names.printed.get(name, name) for name in used_variables(Block(where, tuple(body)))} | needed
    optional = {start for tile in tiles for start in tile.starts} | {
        printed for symbol, printed in names.printed.items() if symbol.endswith("@width")
    }

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if isinstance(node, Block):
            return replace(node, items=tuple(item for item in node.items if not unused(item)))
        return node

    def unused(item: Stmt) -> bool:
        return isinstance(item, Declare) and item.name in optional - used and not isinstance(item.init, CountThreads)

    return [item for stmt in body for item in _kept(rewrite(stmt, change), unused)]


def _kept(stmt: Stmt, unused: Callable[[Stmt], bool]) -> list[Stmt]:
    return [] if unused(stmt) else [stmt]
