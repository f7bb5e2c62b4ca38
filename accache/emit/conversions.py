"""Where C converts by itself and C++ wants a cast: to enumerations, and between addresses."""

from __future__ import annotations

from accache.ir.tree import Expr, IntLiteral, Variable
from accache.ir.types import Arithmetic, Array, CType, Enum, Function, Pointer, Record, Void, element_type, resolve


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
    if isinstance(a, Record) and isinstance(b, Record):
        return (a.keyword, a.tag, a.exported) == (b.keyword, b.tag, b.exported)
    if isinstance(a, (Pointer, Array)) and type(a) is type(b):
        inner, wanted = element_type(a), element_type(b)
        return inner is not None and wanted is not None and _same(inner, wanted)
    return type(a) is type(b) and isinstance(a, (Void, Enum, Function))
