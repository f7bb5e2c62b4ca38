"""Types and declarations as C++ text."""

from __future__ import annotations

from collections.abc import Callable

from accache.analysis.canonical import constant
from accache.ir.tree import Expr
from accache.ir.types import Arithmetic, Array, Complex, CType, Enum, Function, Named, Pointer, Record, Void


def declaration(ctype: CType, name: str, length: Callable[[Expr], str], boolean: str = "bool") -> str:
    """The declaration of a name; ``length`` prints array lengths, ``boolean`` is the name of ``_Bool``.

    >>> declaration(Pointer(Arithmetic("float", const=True)), "a", str)
    'const float *a'
    """
    if isinstance(ctype, Pointer):
        words = (" const" if ctype.const else "") + (" __restrict__" if ctype.restrict else "")
        inner = f"*{words[1:] + ' ' if words else ''}{name}"
        if isinstance(ctype.target, (Array, Function)):
            inner = f"({inner})"
        return declaration(ctype.target, inner, length, boolean)
    if isinstance(ctype, Array):
        extent = length(ctype.length) if ctype.length is not None else ""
        return declaration(ctype.element, f"{name}[{extent}]", length, boolean)
    if isinstance(ctype, Function):
        parameters = ", ".join(declaration(parameter, "", length).rstrip() for parameter in ctype.parameters)
        return declaration(ctype.result, f"{name}({parameters or 'void'})", length)
    return f"{base(ctype, boolean)} {name}".rstrip()


def base(ctype: CType, boolean: str = "bool") -> str:
    """The specifiers of a type that is neither pointer nor array."""
    const = "const " if getattr(ctype, "const", False) else ""
    volatile = "volatile " if getattr(ctype, "volatile", False) else ""
    return const + volatile + _words(ctype, boolean)


def _length(expr: Expr) -> str:
    """The length of an array member, a constant."""
    return str(constant(expr))


def _words(ctype: CType, boolean: str) -> str:
    if isinstance(ctype, Named):
        return boolean if ctype.name == "_Bool" else ctype.name
    if isinstance(ctype, Arithmetic):
        name = boolean if ctype.name == "_Bool" else ctype.name
        if ctype.unsigned:
            return "unsigned" if name == "int" else f"unsigned {name}"
        return f"signed {name}" if ctype.signed_char else name
    if isinstance(ctype, Record) and ctype.tag.startswith("<"):
        members = "".join(f" {declaration(member.type, member.name, _length)};" for member in ctype.fields or ())
        return f"{ctype.keyword} {{{members} }}"
    if isinstance(ctype, Record):
        return f"{ctype.keyword} {ctype.tag}"
    if isinstance(ctype, Enum):
        return f"enum {ctype.tag}"
    if isinstance(ctype, Complex):
        return f"{ctype.of} _Complex"
    assert isinstance(ctype, Void)
    return "void"
