"""Short loops that store neighbouring elements, such as the channels of a pixel, which one access can store.

A compiler joins stores only between which it sees no other store to the same array. So a thread with several iterations
goes through such a loop once for each of them; of jammed ones, stores of all iterations would alternate. So do those of
two rows of an array, which neighbouring iterations store one after the other, in loops of their own.
"""

from __future__ import annotations

from collections.abc import Mapping

from accache.analysis.canonical import canonical_loop, constant_trips
from accache.analysis.loop_context import subscripts_of
from accache.ir.as_polynomial import NO_DEFINITIONS, index_polynomial
from accache.ir.kernels.alignment import MOST
from accache.ir.tree import Assign, Evaluate, Expr, For, Stmt, Subscript, Variable, While
from accache.ir.walk import nodes_of

UNROLLED = 8
"""Loops of so many iterations at most are unrolled, so that what the iterations of a thread share is seen."""


def stores_neighbours(stmt: For, own: frozenset[str]) -> bool:
    """Whether each iteration of a short loop stores the element next to that of the one before.

    Arrays that are a thread's ``own`` lie in registers.
    """
    loop = canonical_loop(stmt)
    if isinstance(loop, str) or not 1 < constant_trips(loop) <= MOST or abs(loop.step) != 1:
        return False
    if any(nodes_of(stmt.body, While)) or not all(map(_is_short, nodes_of(stmt.body, For))):
        return False
    targets = (node.target for node in nodes_of(stmt.body, Assign))
    stored = (node for node in targets if isinstance(node, Subscript))
    return any(_moves_by_one(node, loop.variable, own) for node in stored)


def neighbours_array(stmt: Stmt, variable: str, own: frozenset[str], values: Mapping[str, Expr]) -> str:
    """The array of which a statement stores an element, for each value of a variable the next one; '' if it does not.

    Names in its index may stand for ``values``. Arrays that are a thread's ``own`` lie in registers.
    """
    target = stmt.expr.target if isinstance(stmt, Evaluate) and isinstance(stmt.expr, Assign) else None
    if not isinstance(target, Subscript) or not _moves_by_one(target, variable, own, values):
        return ""
    base, _ = subscripts_of(target)
    return base.name if isinstance(base, Variable) else ""


def _is_short(stmt: For) -> bool:
    loop = canonical_loop(stmt)
    return not isinstance(loop, str) and 0 < constant_trips(loop) <= UNROLLED


def _moves_by_one(
    target: Subscript, variable: str, own: frozenset[str], values: Mapping[str, Expr] = NO_DEFINITIONS
) -> bool:
    base, (*rows, last) = subscripts_of(target)
    if isinstance(base, Variable) and base.name in own:
        return False
    step = index_polynomial(last, values)
    coefficient = step.coefficient(variable) if step is not None else None
    fixed = all((row := index_polynomial(each, values)) is not None and variable not in row.names for each in rows)
    return fixed and coefficient is not None and coefficient.constant_value == 1
