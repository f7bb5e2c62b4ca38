"""Integer constant expressions."""

from __future__ import annotations

from accache.ir.tree import Binary, Cast, Conditional, Expr, IntLiteral, SizeOf, Unary
from accache.ir.types import SIZES, Arithmetic, Array, Complex, CType, Pointer, is_integer, promoted, resolve

POINTER_BYTES = 8


def constant(expr: Expr | None) -> int | None:
    """The value of an integer constant expression; None if it is not one."""
    value = _unlimited(expr)
    plain = resolve(expr.type) if expr is not None else None
    if value is None or not isinstance(plain, Arithmetic) or not plain.unsigned:
        return value
    return value % (1 << 8 * plain.size)


def _unlimited(expr: Expr | None) -> int | None:
    """The value, were the type of the outermost operation without limits."""
    if isinstance(expr, IntLiteral):
        return expr.value
    if isinstance(expr, Cast) and is_integer(expr.type):
        return _converted(constant(expr.operand), resolve(expr.type))
    if isinstance(expr, Unary) and expr.op in ("-", "+", "~", "!"):
        value = constant(expr.operand)
        return None if value is None else {"-": -value, "+": value, "~": ~value, "!": int(not value)}[expr.op]
    if isinstance(expr, Binary):
        left, right = _operands(expr)
        return None if left is None or right is None else _fold(expr.op, left, right)
    if isinstance(expr, Conditional):
        condition = constant(expr.condition)
        return None if condition is None else constant(expr.then if condition else expr.otherwise)
    return _size(expr.of) if isinstance(expr, SizeOf) else None


def _operands(expr: Binary) -> tuple[int | None, int | None]:
    """The values of both operands in the type in which C computes: -1 is a large number beside 1u (C17 6.3.1.8)."""
    left, right = constant(expr.left), constant(expr.right)
    if expr.op in ("<<", ">>", "&&", "||") or not (is_integer(expr.left.type) and is_integer(expr.right.type)):
        return left, right
    common = promoted(expr.left.type, expr.right.type)
    return _converted(left, common), _converted(right, common)


def _converted(value: int | None, plain: CType) -> int | None:
    """What a value becomes in an integer type, as on all compilers that emitted code is for: modulo its range."""
    if value is None or not isinstance(plain, Arithmetic):
        return value
    if plain.name == "_Bool":
        return int(value != 0)
    bits = 8 * plain.size
    wrapped = value % (1 << bits)
    return wrapped if plain.unsigned or wrapped < 1 << (bits - 1) else wrapped - (1 << bits)


def _size(ctype: CType) -> int | None:
    """The size of a type that has no members; only the target knows how it lays out others."""
    plain = resolve(ctype)
    if isinstance(plain, Array):
        count, element = constant(plain.length), _size(plain.element)
        return None if count is None or element is None else count * element
    if isinstance(plain, Pointer):
        return POINTER_BYTES
    if isinstance(plain, Complex):
        return 2 * SIZES[plain.of]
    return SIZES[plain.name] if isinstance(plain, Arithmetic) else None


def _fold(op: str, left: int, right: int) -> int | None:
    if op in ("/", "%"):
        if right == 0:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if op == "/" else left - quotient * right
    if op in ("<<", ">>"):
        if not 0 <= right < 64:
            return None
        return left << right if op == "<<" else left >> right
    table = {
        "+": left + right,
        "-": left - right,
        "*": left * right,
        "&": left & right,
        "|": left | right,
        "^": left ^ right,
        "==": int(left == right),
        "!=": int(left != right),
        "<": int(left < right),
        "<=": int(left <= right),
        ">": int(left > right),
        ">=": int(left >= right),
        "&&": int(bool(left) and bool(right)),
        "||": int(bool(left) or bool(right)),
    }
    return table.get(op)
