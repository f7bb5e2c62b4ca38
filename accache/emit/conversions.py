"""Where C converts by itself and C++ does not: to enumerations, between addresses, and of complex numbers."""

from __future__ import annotations

from accache.ir.constants import constant
from accache.ir.tree import Cast, Expr, FloatLiteral, IntLiteral, Unary, Variable
from accache.ir.types import (
    Arithmetic,
    Array,
    Complex,
    CType,
    Enum,
    Function,
    Pointer,
    Record,
    Void,
    element_type,
    holds,
    integer_of,
    is_complex,
    is_integer,
    is_number,
    resolve,
    widens,
)

EXACT_FLOATS = 1 << 24
"""All integers below are exact as float."""


def needs_cast(value: Expr, target: CType) -> bool:
    """Whether a value of C needs a cast to be assigned to a variable of a type in C++."""
    to = resolve(target)
    if isinstance(to, Enum):
        return not _has_enumeration(value, to)
    if not isinstance(to, Pointer) or isinstance(resolve(to.target), (Void, Function)):
        return False
    source = element_type(value.type)
    if source is None:
        return not (isinstance(value, IntLiteral) and value.value == 0)
    return not _same(source, to.target)


def narrows(value: Expr, target: CType) -> bool:
    """Whether a conversion of numbers may lose something, which C++ forbids between braces."""
    to, source = resolve(target), integer_of(value.type) if is_integer(value.type) else resolve(value.type)
    if not isinstance(to, Arithmetic) or not isinstance(source, Arithmetic):
        return False
    if not source.is_integer:
        return to.is_integer or (to.size < source.size and not _is_literal(value))
    known = constant(value)
    if to.is_integer:
        return not (holds(to, known) or widens(source, to))
    return known is None or abs(known) > EXACT_FLOATS


def _is_literal(value: Expr) -> bool:
    """Whether a value is a number as written, perhaps with a sign."""
    return isinstance(value.operand if isinstance(value, Unary) else value, FloatLiteral)


def loses_imaginary(source: CType, target: CType) -> bool:
    """Whether a value loses its imaginary part in a conversion; both parts make a ``_Bool``."""
    to = resolve(target)
    return is_complex(source) and is_number(to) and not (isinstance(to, Arithmetic) and to.name == "_Bool")


def is_part(ctype: CType, numbers: CType) -> bool:
    """Whether the parts of complex numbers are of a type."""
    part, whole = resolve(ctype), resolve(numbers)
    return isinstance(part, Arithmetic) and isinstance(whole, Complex) and part.name == whole.of


def as_part(value: Expr, numbers: CType) -> Expr:
    """A real number as the real part of a complex one in braces, in which C++ converts small constants only."""
    whole = resolve(numbers)
    assert isinstance(whole, Complex)
    is_small = isinstance(value, IntLiteral) and abs(value.value) < EXACT_FLOATS
    return value if is_small or is_part(value.type, numbers) else Cast(Arithmetic(whole.of), value.location, value)


def _has_enumeration(value: Expr, target: Enum) -> bool:
    """Whether a value is of an enumeration in C++ too; kernels take variables of one as int."""
    if isinstance(value, IntLiteral):
        return (value.exported or value.spelling) in {name for name, _ in target.values}
    of = resolve(value.type)
    same = isinstance(of, Enum) and (of.tag, of.exported) == (target.tag, target.exported)
    return same and not isinstance(value, Variable)


def _same(source: CType, target: CType) -> bool:
    """Whether an address of one type converts to an address of the other without a cast."""
    a, b = resolve(source), resolve(target)
    if getattr(a, "const", False) and not getattr(b, "const", False):
        return False
    if isinstance(a, Arithmetic) and isinstance(b, Arithmetic):
        return (a.name, a.unsigned, a.signed_char) == (b.name, b.unsigned, b.signed_char)
    if isinstance(a, Complex) and isinstance(b, Complex):
        return a.of == b.of
    if isinstance(a, Record) and isinstance(b, Record):
        return (a.keyword, a.tag, a.exported) == (b.keyword, b.tag, b.exported)
    if isinstance(a, (Pointer, Array)) and type(a) is type(b):
        inner, wanted = element_type(a), element_type(b)
        return inner is not None and wanted is not None and _same(inner, wanted)
    return type(a) is type(b) and isinstance(a, (Void, Enum, Function))
