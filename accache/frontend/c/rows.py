"""Arithmetic on pointers to arrays of variable length: kernels see these as flat pointers, whose steps are elements."""

from __future__ import annotations

from accache.base.text import Location
from accache.frontend.c.types import UNKNOWN
from accache.ir.arrays import is_variable_length
from accache.ir.tree import Binary, Cast, Expr, IntLiteral, Subscript, Unary
from accache.ir.types import Arithmetic, Array, Pointer, element_type, resolve

OFFSET = Arithmetic("long")


def is_rows(expr: Expr) -> bool:
    """Whether a value is an address of rows whose length is a variable."""
    return isinstance(resolve(expr.type), (Array, Pointer)) and is_variable_length(expr.type)


def element(base: Expr, index: Expr, where: Location) -> Subscript:
    """``base[index]``; behind the address of a row it is a later row of the same memory."""
    ctype = element_type(base.type) or UNKNOWN
    if isinstance(base, Unary) and base.op == "&" and isinstance(row := base.operand, Subscript) and is_rows(base):
        if isinstance(index, IntLiteral) and index.value == 0:
            return row
        first = Cast(OFFSET, row.index.location, row.index)
        return Subscript(ctype, where, row.base, Binary(OFFSET, where, "+", first, index))
    return Subscript(ctype, where, base, index)


def moved(base: Expr, op: str, rows: Expr, where: Location) -> Expr:
    """``base + rows`` or ``base - rows`` as the address of a row."""
    index = rows if op == "+" else Unary(OFFSET, where, "-", Cast(OFFSET, rows.location, rows))
    place = element(base, index, where)
    return Unary(Pointer(place.type), where, "&", place)
