"""Types without the names that only stand for them where kernels are (Record.exported)."""

from __future__ import annotations

from msgspec.structs import replace

from accache.ir.constants import constant
from accache.ir.tree import Binary, Cast, Expr, IntLiteral, Unary
from accache.ir.types import Array, CType, Enum, Named, Pointer, Record, as_const


def public(ctype: CType) -> CType | None:
    """The type spelled without exported names; None where only such a name, or none at all, can spell it."""
    if isinstance(ctype, Named):
        if not ctype.exported:
            return ctype
        meant = public(ctype.type)
        return as_const(meant) if ctype.const and meant is not None else meant
    if isinstance(ctype, Pointer):
        target = public(ctype.target)
        return None if target is None else ctype if target is ctype.target else replace(ctype, target=target)
    if isinstance(ctype, Array):
        element = public(ctype.element)
        length = _public_length(ctype.length)
        same = element is ctype.element and length is ctype.length
        return None if element is None else ctype if same else Array(element, length)
    if not isinstance(ctype, (Record, Enum)):
        return ctype
    return None if ctype.exported or not ctype.tag or ctype.tag.startswith("<") else ctype


def _public_length(length: Expr | None) -> Expr | None:
    """An array's length, as a number where it names enumerators that a function declares."""
    value = constant(length)
    if length is None or value is None or not _is_exported(length):
        return length
    return IntLiteral(length.type, length.location, value, str(value))


def _is_exported(expr: Expr) -> bool:
    if isinstance(expr, IntLiteral):
        return bool(expr.exported)
    if isinstance(expr, Binary):
        return _is_exported(expr.left) or _is_exported(expr.right)
    return isinstance(expr, (Unary, Cast)) and _is_exported(expr.operand)
