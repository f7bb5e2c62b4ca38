"""Differences of unsigned numbers that are proved not to pass below zero, so that they are what they look like.

Before: ``for (unsigned i = 1; i < n; i++) a[i - 1]``, where ``i - 1`` might be 4294967295. After: it is marked exact.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.openacc.regions import Dimension
from accache.ir.tree import Binary, Cache, Cast, Expr, For, IntLiteral, Stmt, Variable
from accache.ir.types import integer_of, is_integer
from accache.ir.walk import rewrite, walk

Least = Mapping[str, int]
"""What variables hold at least, where that is known to be more than zero."""


def with_exact_differences(stmt: Stmt) -> Stmt:
    """A statement in whose loops the differences are marked that cannot wrap for what the counters start from."""
    if not any(isinstance(node, Binary) and node.op == "-" and _is_unsigned(node) for node in walk(stmt)):
        return stmt
    return rewrite(stmt, _in_loop)


def _in_loop(node: Expr | Stmt) -> Expr | Stmt:
    """A loop in whose body the differences are marked that its counter is large enough for."""
    loop = canonical_loop(node) if isinstance(node, For) else ""
    if not isinstance(node, For) or not isinstance(loop, CanonicalLoop):
        return node
    least = _least_of(loop)
    return replace(node, body=_marked(node.body, {loop.variable: least})) if least > 0 else node


def _least_of(loop: CanonicalLoop) -> int:
    """The least value of a counter; 0 if it is not known."""
    if not integer_of(loop.type).unsigned:
        return 0
    if loop.step > 0:
        return _least(loop.first, {})
    limit = constant(loop.limit)
    return 0 if limit is None or loop.operator not in (">", ">=") else limit + (loop.operator == ">")


def _marked(body: Stmt, least: Least) -> Stmt:
    def change(node: Expr | Stmt) -> Expr | Stmt:
        if isinstance(node, Binary) and node.op == "-" and not node.is_exact and _is_unsigned(node):
            amount = constant(node.right)
            return replace(node, is_exact=amount is not None and 0 <= amount <= _least(node.left, least))
        if isinstance(node, Cache):
            subarrays = (replace(item, dimensions=tuple(map(in_dimension, item.dimensions))) for item in node.subarrays)
            return replace(node, subarrays=tuple(subarrays))
        return node

    def in_dimension(part: Dimension) -> Dimension:
        bounds = (rewrite(bound, change) if bound is not None else None for bound in (part.lower, part.length))
        lower, length = bounds
        return replace(part, lower=lower, length=length)

    return rewrite(body, change)


def _least(expr: Expr, least: Least) -> int:
    """The least value of an expression that is computed in an unsigned type, whose sums are taken as exact."""
    if isinstance(expr, IntLiteral):
        return expr.value
    if isinstance(expr, Variable):
        return least.get(expr.name, 0)
    if isinstance(expr, Cast) and is_integer(expr.type) and integer_of(expr.type).unsigned:
        wide = integer_of(expr.type).size >= integer_of(expr.operand.type).size
        return _least(expr.operand, least) if wide else 0
    if not isinstance(expr, Binary) or not _is_unsigned(expr):
        return 0
    left, right = _least(expr.left, least), _least(expr.right, least)
    if expr.op == "-" and expr.is_exact:
        return left - (constant(expr.right) or 0)
    return {"+": left + right, "*": left * right}.get(expr.op, 0)


def _is_unsigned(expr: Expr) -> bool:
    return is_integer(expr.type) and integer_of(expr.type).unsigned
