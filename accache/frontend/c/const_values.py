"""What const variables always are: kernels know their values, as they know what macros stand for."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from accache.base.text import Location
from accache.ir.arrays import extents, innermost
from accache.ir.constants import constant
from accache.ir.tree import Binary, Cast, Expr, FloatLiteral, InitList, IntLiteral, Unary, Variable
from accache.ir.types import Arithmetic, CType, integer_promotion, is_bool, is_const, is_volatile, resolve, unqualified

MOST_ELEMENTS = 256
"""So many elements of a table may stand in a kernel's text."""
_SUFFIXES = {"int": "", "long": "l", "long long": "ll"}


def const_integer(ctype: CType, init: Expr | None) -> int | None:
    """What a variable of a const integer type always is, by its initialiser; None if that is not known.

    C lets nobody change it (C17 6.7.3). A value that its type does not hold is not known, nor is the least of all, of
    which there is no literal.
    """
    plain = resolve(ctype)
    if not isinstance(plain, Arithmetic) or not plain.is_integer or integer_promotion(plain).name not in _SUFFIXES:
        return None
    value = constant(init) if is_const(ctype) and not is_volatile(ctype) else None
    if value is None:
        return None
    bits = 8 * plain.size
    first, last = (0, 2**bits - 1) if plain.unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if is_bool(plain):
        return int(value != 0)
    return value if first < value <= last or value == 0 else None


def integer_literal_of(ctype: CType, value: int, where: Location) -> Expr:
    """The value of a variable of an integer type as an expression, of the type to which it is promoted."""
    plain = resolve(ctype)
    assert isinstance(plain, Arithmetic)
    promoted = integer_promotion(unqualified(plain))
    suffix = ("u" if promoted.unsigned else "") + _SUFFIXES[promoted.name]
    number = IntLiteral(promoted, where, abs(value), f"{abs(value)}{suffix}")
    return Unary(promoted, where, "-", number) if value < 0 else number


def const_table(ctype: CType, init: Expr | None) -> InitList | None:
    """What a const array of numbers always holds, by its initialiser; None if that is not known, or is much text."""
    lengths, element = extents(ctype), resolve(innermost(ctype))
    if not lengths or prod(lengths) > MOST_ELEMENTS or not isinstance(element, Arithmetic):
        return None
    is_known = is_const(ctype) and not element.volatile and isinstance(init, InitList) and is_literal(init)
    return init if isinstance(init, InitList) and is_known else None


def is_literal(value: Expr, is_constant: Callable[[str], bool] | None = None) -> bool:
    """Whether an expression computes on constants alone, or on variables of which ``is_constant`` says so."""
    if isinstance(value, Variable):
        return is_constant is not None and is_constant(value.name)
    if isinstance(value, InitList):
        return all(is_literal(item, is_constant) for item in value.items)
    if isinstance(value, Binary):
        return is_literal(value.left, is_constant) and is_literal(value.right, is_constant)
    if isinstance(value, (Unary, Cast)):
        return getattr(value, "op", "-") in ("-", "+", "~", "!") and is_literal(value.operand, is_constant)
    return isinstance(value, (IntLiteral, FloatLiteral))
