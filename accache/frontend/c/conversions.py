"""Operands of arithmetic, converted where C++ would convert them to another type than C."""

from __future__ import annotations

from msgspec.structs import replace

from accache.ir.build import INT
from accache.ir.tree import Cast, Expr, ImaginaryLiteral, IntLiteral, Member
from accache.ir.types import Complex, Enum, promoted, resolve, underlying

INT_BITS = 32


def as_integer(expr: Expr) -> Expr:
    """An operand of arithmetic; C++ would promote an enumeration that is unsigned in C to int.

    It promotes bit-fields of less than 32 bits to int as C does, whatever their type.
    """
    if isinstance(expr, Member) and expr.bits is not None and expr.bits < INT_BITS:
        return replace(expr, type=INT)
    plain = resolve(expr.type)
    if not isinstance(plain, Enum) or underlying(plain) == INT:
        return expr
    return Cast(underlying(plain), expr.location, expr)


def in_common(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """Two operands, both of the type of the result where they are complex; a real one stays real, as C computes."""
    common = promoted(left.type, right.type)
    if not isinstance(common, Complex):
        return left, right
    left, right = (
        as_complex(side, common) if isinstance(resolve(side.type), Complex) else side for side in (left, right)
    )
    return left, right


def as_complex(expr: Expr, ctype: Complex) -> Expr:
    """A value converted to a complex type."""
    plain = resolve(expr.type)
    if isinstance(plain, Complex) and plain.of == ctype.of:
        return expr
    if isinstance(expr, ImaginaryLiteral):  # operands are only ever widened
        return replace(expr, type=ctype)
    return Cast(ctype, expr.location, expr)


def is_small(expr: Expr) -> bool:
    """Whether int and unsigned int compare a value alike: one of an enumeration, or a constant, not negative."""
    plain = resolve(expr.type)
    if isinstance(plain, Enum):
        return underlying(plain).unsigned
    return isinstance(expr, IntLiteral) and 0 <= expr.value < 1 << 31
