"""Integer constant expressions."""

from __future__ import annotations

from accache.ir.tree import Binary, Cast, Expr, IntLiteral, Unary
from accache.ir.types import is_integer


def constant(expr: Expr | None) -> int | None:
    """The value of an integer constant expression; None if it is not one."""
    if isinstance(expr, IntLiteral):
        return expr.value
    if isinstance(expr, Cast) and is_integer(expr.type):
        return constant(expr.operand)
    if isinstance(expr, Unary) and expr.op in ("-", "+"):
        value = constant(expr.operand)
        return None if value is None else (-value if expr.op == "-" else value)
    if isinstance(expr, Binary):
        left, right = constant(expr.left), constant(expr.right)
        if left is None or right is None:
            return None
        return _fold(expr.op, left, right)
    return None


def _fold(op: str, left: int, right: int) -> int | None:
    if op in ("/", "%"):
        if right == 0:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if op == "/" else left - quotient * right
    if op in ("<<", ">>") and right < 0:
        return None
    table = {
        "+": left + right,
        "-": left - right,
        "*": left * right,
        "<<": left << right if op == "<<" else 0,
        ">>": left >> right if op == ">>" else 0,
    }
    return table.get(op)
