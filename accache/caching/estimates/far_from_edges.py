"""What indices and loops are far from the edges of an image or a matrix, of which estimates tell.

There ``y < 2 ? 0 : y - 2`` is ``y - 2``, and ``r`` is what it is declared with though ``if (r < 0) r = 0;`` follows. So
``for (int r = low; r <= high; ++r)`` may have a constant number of iterations that only edges make smaller.
"""

from __future__ import annotations

from collections.abc import Mapping

from accache.analysis.canonical import canonical_loop
from accache.counting.formulas import as_count
from accache.counting.trips import Trips
from accache.ir.as_polynomial import index_polynomial
from accache.ir.constants import constant
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Conditional, Declare, Expr, For, If, Stmt
from accache.ir.walk import (
    assigned_variables,
    children,
    is_computed,
    nodes_of,
    rewrite,
    single_definitions,
    used_variables,
)

FEWEST = 32
"""Rests of fewer start again in a warp."""


def far_value(expr: Expr, own: frozenset[str]) -> Expr:
    """An expression far from edges: of two choices, that with the kernel's ``own`` variables, where one has none.

    A rest of what a launch or the program knows is what is divided: ``(i + 1) % n`` starts again at an edge alone.
    """

    def chosen(node: Expr | Stmt) -> Expr | Stmt:
        if isinstance(node, Binary) and node.op == "%":
            is_edge = not used_variables(node.right) & own and (constant(node.right) or FEWEST) >= FEWEST
            return node.left if is_edge and used_variables(node.left) & own else node
        if not isinstance(node, Conditional):
            return node
        ways = [way for way in (node.then, node.otherwise) if used_variables(way) & own]
        return ways[0] if len(ways) == 1 else node

    found = rewrite(expr, chosen, Binary, Conditional)
    assert isinstance(found, Expr)
    return found


def far_values(body: Stmt, own: frozenset[str]) -> dict[str, Expr]:
    """What variables are far from edges: those that stand for one expression, and those that only edges move."""
    moved = _moved_at_edges(body)
    declares = (node for node in nodes_of(body, Declare) if node.name in moved)
    first = {node.name: node.init for node in declares if node.init is not None and is_computed(node.init)}
    return {name: far_value(value, own) for name, value in {**first, **single_definitions(body)}.items()}


def far_trips(loop: For, values: Mapping[str, Expr], own: frozenset[str]) -> Trips | None:
    """How often a loop runs far from edges, if that is a constant; ``values`` are those of variables there."""
    canonical = canonical_loop(loop)
    if isinstance(canonical, str) or canonical.operator == "!=":
        return None
    bounds = (canonical.first, canonical.limit)
    first, limit = (index_polynomial(far_value(bound, own), values) for bound in bounds)
    if first is None or limit is None:
        return None
    span = (limit - first if canonical.is_increasing else first - limit).constant_value
    covered = (span or 0) + (canonical.operator in ("<=", ">="))
    if span is None or covered <= 0:
        return None
    most = -(-covered // abs(canonical.step))
    return Trips(canonical.variable, first, as_count(Polynomial.constant(covered)), canonical.step, False, most)


def _moved_at_edges(body: Stmt) -> frozenset[str]:
    """The variables that are assigned nowhere but below conditions that compare them: ``if (r < 0) r = 0;``."""
    found, elsewhere = set[str](), set[str]()

    def visit(node: Expr | Stmt, compared: frozenset[str]) -> None:
        if isinstance(node, If) and node.otherwise is None:
            compared |= used_variables(node.condition)
        for child in children(node):
            if isinstance(child, Stmt):
                visit(child, compared)
            else:
                assigned = assigned_variables(child)
                found.update(assigned & compared)
                elsewhere.update(assigned - compared)

    visit(body, frozenset())
    return frozenset(found - elsewhere)
