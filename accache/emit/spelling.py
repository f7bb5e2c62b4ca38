"""Types and declarations as C++ text."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from accache.ir.constants import constant
from accache.ir.keywords import KEYWORDS, replacement
from accache.ir.tree import Expr
from accache.ir.types import (
    Arithmetic,
    Array,
    Complex,
    CType,
    Enum,
    Field,
    Function,
    Named,
    Pointer,
    Record,
    Void,
    underlying,
)


class Dialect(Struct, frozen=True):
    """How names are spelled.

    ``boolean`` stands for ``_Bool``. Text ``at_home`` goes into a function of the user, which sees the types it
    declares by their own names.
    """

    boolean: str = "bool"
    at_home: bool = False

    @property
    def is_c(self) -> bool:
        """Whether the text is C, which has complex numbers."""
        return self.at_home or self.boolean == "_Bool"


COMPLEX = "accache_complex"
DEVICE = Dialect()


def spelled(name: str, dialect: Dialect = DEVICE) -> str:
    """How a name of the user's is written: keywords of C++ are names in C only.

    >>> spelled("new"), spelled("news")
    ('accache_new', 'news')
    """
    return replacement(name) if name in KEYWORDS and not dialect.is_c else name


def declaration(ctype: CType, name: str, length: Callable[[Expr], str], dialect: Dialect = DEVICE) -> str:
    """The declaration of a name; ``length`` prints array lengths.

    >>> declaration(Pointer(Arithmetic("float", const=True)), "a", str)
    'const float *a'
    """
    if isinstance(ctype, Pointer):
        words = (" const" if ctype.const else "") + (" __restrict__" if ctype.restrict else "")
        inner = f"*{words[1:] + ' ' if words else ''}{name}"
        if isinstance(ctype.target, (Array, Function)):
            inner = f"({inner})"
        return declaration(ctype.target, inner, length, dialect)
    if isinstance(ctype, Array):
        extent = length(ctype.length) if ctype.length is not None else ""
        return declaration(ctype.element, f"{name}[{extent}]", length, dialect)
    if isinstance(ctype, Function):
        parameters = ", ".join(declaration(parameter, "", length, dialect).rstrip() for parameter in ctype.parameters)
        return declaration(ctype.result, f"{name}({parameters or 'void'})", length, dialect)
    return f"{base(ctype, dialect)} {name}".rstrip()


def base(ctype: CType, dialect: Dialect = DEVICE) -> str:
    """The specifiers of a type that is neither pointer nor array."""
    const = "const " if getattr(ctype, "const", False) else ""
    volatile = "volatile " if getattr(ctype, "volatile", False) else ""
    return const + volatile + _words(ctype, dialect)


def _length(expr: Expr) -> str:
    """The length of an array member, a constant."""
    return str(constant(expr))


def _words(ctype: CType, dialect: Dialect) -> str:
    exported = "" if dialect.at_home else getattr(ctype, "exported", "")
    if isinstance(ctype, Named):
        return dialect.boolean if ctype.name == "_Bool" else exported or spelled(ctype.name, dialect)
    if isinstance(ctype, Arithmetic):
        name = dialect.boolean if ctype.name == "_Bool" else ctype.name
        if ctype.unsigned:
            return "unsigned" if name == "int" else f"unsigned {name}"
        return f"signed {name}" if ctype.signed_char else name
    if isinstance(ctype, Record) and ctype.tag.startswith("<") and not exported:
        members = "".join(
            f" {declaration(member.type, spelled(member.name, dialect), _length)}{width(member)};"
            for member in ctype.fields or ()
        )
        return f"{defined(ctype)} {{{members} }}"
    if isinstance(ctype, Record):
        return f"{ctype.keyword} {exported or spelled(ctype.tag, dialect)}"
    if isinstance(ctype, Enum):
        tag = exported or spelled(ctype.tag, dialect)
        return f"enum {tag}" if tag else _words(underlying(ctype), dialect)
    if isinstance(ctype, Complex):
        return f"{ctype.of} _Complex" if dialect.is_c else f"{COMPLEX}<{ctype.of}>"
    assert isinstance(ctype, Void)
    return "void"


def defined(record: Record, name: str = "") -> str:
    """What the definition of a structure or union begins with, in C as in CUDA C++.

    >>> defined(Record("struct", "pair", (), align=8), "pair")
    'struct __attribute__((aligned(8))) pair'
    """
    attribute = f"__attribute__((aligned({record.align})))" if record.align else ""
    return " ".join(filter(None, (record.keyword, attribute, name)))


def width(member: Field) -> str:
    """The width behind a bit-field's name."""
    return "" if member.bits is None else f" : {member.bits}"


def is_nameless(ctype: CType) -> bool:
    """Whether a type is written by the members of a structure or union, for want of a name."""
    while isinstance(ctype, (Array, Pointer)):
        ctype = ctype.element if isinstance(ctype, Array) else ctype.target
    return isinstance(ctype, Record) and ctype.tag.startswith("<") and not ctype.exported
