"""The statements that find where a tile starts (paper 004, section 4.2.3: renew cache scope)."""

from __future__ import annotations

from msgspec.structs import replace

from accache.analysis.accesses import Accesses
from accache.base.choices import ScopeChoice
from accache.ir.build import BOOL, both, formula, number
from accache.ir.kernels.simt import SharedArray
from accache.ir.kernels.tile_copies import index_type
from accache.ir.kernels.tiles import Tile, TileDimension
from accache.ir.names import WIDTH, thread
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Assign, Binary, Declare, Evaluate, Expr, If, Stmt, Variable
from accache.lowering.barriers import Step


def start_steps(
    tile: Tile, scope: ScopeChoice, guards: tuple[Expr, ...], axes: frozenset[str], *, shared: dict[str, SharedArray]
) -> list[Step]:
    """Declare each dimension's first index, unless it is a constant: in every thread, or communicated by one of them.

    ``axes`` are those along which the block has several threads.
    """
    steps: list[Step] = []
    for depth, (dimension, name) in enumerate(zip(tile.range.dimensions, tile.range.starts, strict=True)):
        if tile.first_index(depth) is not None:
            continue
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
    assign = Evaluate(where, Assign(target.type, where, "=", target, formula(dimension.lower, where, target.type)))
    accesses = Accesses(writes=frozenset((name,)))
    return Step(where, accesses, "", If(where, both(conditions), assign))
