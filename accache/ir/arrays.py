"""Array types: the lengths of their dimensions, and what their single elements are."""

from __future__ import annotations

from accache.ir.constants import constant
from accache.ir.tree import Expr, Subscript
from accache.ir.types import Array, CType, Pointer, Record, element_type, is_const, resolve


def extents(ctype: CType) -> tuple[int, ...] | None:
    """The lengths of an array's dimensions, () for other types; None if one of them is not a constant."""
    found: list[int] = []
    plain = resolve(ctype)
    while isinstance(plain, Array):
        length = constant(plain.length)
        if length is None:
            return None
        found.append(length)
        plain = resolve(plain.element)
    return tuple(found)


def innermost(ctype: CType) -> CType:
    """The type of an array's single elements."""
    while isinstance(plain := resolve(ctype), Array):
        ctype = plain.element
    return ctype


def has_const_member(ctype: CType) -> bool:
    """Whether a value of the type has a const part, so that it cannot be assigned as a whole."""
    plain = resolve(ctype)
    fields = (plain.fields or ()) if isinstance(plain, Record) else ()
    return any(is_const(part) or has_const_member(part) for part in (innermost(field.type) for field in fields))


def base_type(ctype: CType) -> CType:
    """What arrays and pointers lead to in the end."""
    while (element := element_type(ctype)) is not None:
        ctype = element
    return ctype


def row_type(ctype: CType) -> CType:
    """What an array or pointer has as elements, rows of several dimensions among them; the type itself if neither."""
    plain = resolve(ctype)
    return plain.element if isinstance(plain, Array) else plain.target if isinstance(plain, Pointer) else plain


def lengths(ctype: CType) -> list[Expr]:
    """The lengths of an array's dimensions as they are written; of a pointer, those of what it points to."""
    plain = resolve(ctype)
    outermost = plain.length if isinstance(plain, Array) else None
    return [*([outermost] if outermost is not None else []), *inner_lengths(ctype)]


def inner_lengths(ctype: CType) -> list[Expr]:
    """The lengths of all dimensions of an array or pointer but the first."""
    found = []
    inner = resolve(row_type(ctype))
    while isinstance(inner, Array):
        if inner.length is not None:
            found.append(inner.length)
        inner = resolve(inner.element)
    return found


def is_unbounded(ctype: CType) -> bool:
    """Whether a type does not tell how many elements there are: a pointer, or an array declared without a length."""
    plain = resolve(ctype)
    return isinstance(plain, Pointer) or (isinstance(plain, Array) and plain.length is None)


def is_variable_length(ctype: CType) -> bool:
    """Whether an array has inner dimensions that are not constants."""
    return any(constant(length) is None for length in inner_lengths(ctype))


def is_row(expr: Subscript) -> bool:
    """Whether a reference of a variable-length array names a row of it, not an element."""
    count = 1
    base = expr.base
    while isinstance(base, Subscript):
        count, base = count + 1, base.base
    return is_variable_length(base.type) and count <= len(inner_lengths(base.type))
