"""C types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from accache.ir.tree import Expr

INTEGER_RANKS = ("_Bool", "char", "short", "int", "long", "long long")
SIZES = {
    "_Bool": 1, "char": 1, "short": 2, "int": 4, "long": 8, "long long": 8, "float": 4, "double": 8, "long double": 16,
}  # fmt: skip


COMPLEX_PARTS = ("float", "double")


class CType(Struct, frozen=True):
    """A C type; ``const``, ``volatile`` and ``restrict`` qualify the type itself, not what it points to."""


class Void(CType, frozen=True):
    """``void``."""

    const: bool = False


class Arithmetic(CType, frozen=True):
    """A real arithmetic type; ``name`` is a key of SIZES, ``unsigned`` and ``signed`` are kept apart for char."""

    name: str
    unsigned: bool = False
    signed_char: bool = False
    const: bool = False
    volatile: bool = False

    @property
    def is_integer(self) -> bool:
        """Whether values are integers."""
        return self.name in INTEGER_RANKS

    @property
    def size(self) -> int:
        """Bytes on the LP64 targets CUDA supports."""
        return SIZES[self.name]


class Complex(CType, frozen=True):
    """``float _Complex`` and its kin; kernels have those of COMPLEX_PARTS. ``of`` names the type of both parts."""

    of: str
    const: bool = False
    volatile: bool = False


class Pointer(CType, frozen=True):
    """A pointer to ``target``."""

    target: CType
    const: bool = False
    restrict: bool = False


class Array(CType, frozen=True):
    """An array; ``length`` is None when unknown (``[]``), an expression otherwise (a VLA's need not be constant)."""

    element: CType
    length: Expr | None


class Field(Struct, frozen=True):
    """One member of a struct or union; ``bits`` is the width of a bit-field."""

    name: str
    type: CType
    bits: int | None = None


class Record(CType, frozen=True):
    """A struct or union. ``fields`` is None when only the tag is known (compare records by tag).

    ``exported`` is the tag that stands for it at file scope, where its own is not known: the record is
    declared inside a function, or has no tag. An ``altered`` one does not lie in memory as its members say:
    an attribute or ``#pragma pack`` packs it, or aligns its members. ``align`` are the bytes that an attribute aligns
    it to as a whole; it may be less than its members need.
    """

    keyword: str
    tag: str
    fields: tuple[Field, ...] | None
    const: bool = False
    exported: str = ""
    altered: bool = False
    align: int = 0

    @property
    def members(self) -> tuple[Field, ...]:
        """The members that have values: no bit-fields without a name."""
        return tuple(field for field in self.fields or () if field.name or field.bits is None)


class Enum(CType, frozen=True):
    """An enumeration; behaves as its ``underlying`` type.

    ``values`` have their file-scope names; ``exported`` and ``altered`` are as in Record.
    """

    tag: str
    values: tuple[tuple[str, int | None], ...] = ()
    const: bool = False
    exported: str = ""
    altered: bool = False


class Named(CType, frozen=True):
    """A typedef name standing for ``type``; ``exported`` and ``altered`` as in Record."""

    name: str
    type: CType
    const: bool = False
    exported: str = ""
    altered: bool = False


class Function(CType, frozen=True):
    """A function type."""

    result: CType
    parameters: tuple[CType, ...] = ()
    variadic: bool = False


QUALIFIED = (Void, Arithmetic, Complex, Pointer, Record, Enum, Named)
"""The types that can be const themselves."""


def underlying(enum: Enum) -> Arithmetic:
    """The integer type that gcc and clang give an enumeration: without negative values it is unsigned.

    >>> underlying(Enum("sign", (("minus", -1), ("plus", 1)))).unsigned
    False
    """
    values = [value for _, value in enum.values if value is not None]
    unsigned = bool(values) and min(values) >= 0
    bits = 32 if unsigned else 31
    fits = all(-(1 << 31) <= value < 1 << bits for value in values)
    return Arithmetic("int" if fits else "long", unsigned)


def resolve(ctype: CType) -> CType:
    """The type a chain of typedef names stands for."""
    while isinstance(ctype, Named):
        ctype = ctype.type
    return ctype


def is_integer(ctype: CType) -> bool:
    """Whether values of the type are integers (enumerations included)."""
    plain = resolve(ctype)
    return plain.is_integer if isinstance(plain, Arithmetic) else isinstance(plain, Enum)


def integer_of(ctype: CType) -> Arithmetic:
    """The arithmetic type behind typedefs and enumerations."""
    plain = resolve(ctype)
    if isinstance(plain, Arithmetic):
        return plain
    if not isinstance(plain, Enum):
        raise TypeError(f"not an integer type: {ctype}")
    return underlying(plain)


def widens(source: Arithmetic, target: Arithmetic) -> bool:
    """Whether every value of one integer type is a value of another (a plain char may have a sign or not)."""
    if target.name == "_Bool":
        return source.name == "_Bool"
    if source.unsigned or source.name == "_Bool":
        return target.size > source.size or (target.unsigned and target.size == source.size)
    if source.name == "char" and not source.signed_char:
        return target == source or (not target.unsigned and target.size > source.size)
    return not target.unsigned and target.size >= source.size and (target.name != "char" or target.signed_char)


def holds(kind: Arithmetic, value: int | None) -> bool:
    """Whether a value is known, and one of an integer type."""
    if value is None:
        return False
    if kind.name == "_Bool":
        return value in (0, 1)
    bits = 8 * kind.size
    low, high = (0, 1 << bits) if kind.unsigned else (-1 << (bits - 1), 1 << (bits - 1))
    return low <= value < high


def integer_promotion(ctype: CType) -> Arithmetic:
    """The type in which C computes: int for ``char``, ``short`` and ``_Bool``, the underlying one of enumerations."""
    if isinstance(ctype, Enum):
        return underlying(ctype)
    if isinstance(ctype, Arithmetic) and ctype.is_integer and ctype.size >= SIZES["int"]:
        return ctype
    return Arithmetic("int")


def promoted(left: CType, right: CType) -> CType:
    """The usual arithmetic conversions (C17 6.3.1.8); pointers win over integers."""
    left, right = unqualified(resolve(left)), unqualified(resolve(right))
    for side in (left, right):
        if isinstance(side, (Pointer, Array)):
            return Pointer(side.element) if isinstance(side, Array) else side
    if isinstance(left, Complex) or isinstance(right, Complex):
        parts = [Arithmetic(side.of) if isinstance(side, Complex) else side for side in (left, right)]
        part = promoted(*parts)
        return Complex(part.name) if isinstance(part, Arithmetic) else part
    for name in ("long double", "double", "float"):
        for side in (left, right):
            if isinstance(side, Arithmetic) and side.name == name:
                return side
    first, second = integer_promotion(left), integer_promotion(right)
    ranks = {name: rank for rank, name in enumerate(INTEGER_RANKS)}
    higher, lower = (first, second) if ranks[first.name] >= ranks[second.name] else (second, first)
    unsigned = higher.unsigned or (lower.unsigned and lower.size >= higher.size)
    return Arithmetic(higher.name, unsigned)


def exceeds_int(ctype: CType) -> bool:
    """Whether values are integers of a type with more bits than int."""
    plain = resolve(ctype)
    return isinstance(plain, Arithmetic) and plain.is_integer and plain.size > SIZES["int"]


def is_scalar(ctype: CType) -> bool:
    """Whether OpenACC sees a scalar variable: an arithmetic, complex, enumeration or pointer type."""
    return isinstance(resolve(ctype), (Arithmetic, Complex, Enum, Pointer))


def is_number(ctype: CType) -> bool:
    """Whether values of a type are real numbers."""
    return isinstance(resolve(ctype), (Arithmetic, Enum))


def is_bool(ctype: CType) -> bool:
    """Whether values of a type are those of ``_Bool``."""
    plain = resolve(ctype)
    return isinstance(plain, Arithmetic) and plain.name == "_Bool"


def is_complex(ctype: CType) -> bool:
    """Whether values of a type are complex numbers."""
    return isinstance(resolve(ctype), Complex)


def element_type(ctype: CType) -> CType | None:
    """What one subscript of an array or pointer gives; None for other types."""
    plain = resolve(ctype)
    if isinstance(plain, Pointer):
        return plain.target
    if isinstance(plain, Array):
        return plain.element
    return None


def as_const(ctype: CType) -> CType:
    """The type with const values; of an array, const elements."""
    if isinstance(ctype, Array):
        return replace(ctype, element=as_const(ctype.element))
    return replace(ctype, const=True) if isinstance(ctype, QUALIFIED) else ctype


def is_const(ctype: CType) -> bool:
    """Whether objects of a type are const, perhaps by a typedef name; an array is when its elements are."""
    if isinstance(ctype, Named) and not ctype.const:
        return is_const(ctype.type)
    return is_const(ctype.element) if isinstance(ctype, Array) else bool(getattr(ctype, "const", False))


def is_volatile(ctype: CType) -> bool:
    """Whether objects of an arithmetic type are volatile."""
    return bool(getattr(resolve(ctype), "volatile", False))


def holds_volatile(ctype: CType) -> bool:
    """Whether an object of a type is volatile, or an element or a member of it is."""
    plain = resolve(ctype)
    if isinstance(plain, Array):
        return holds_volatile(plain.element)
    if isinstance(plain, Record):
        return any(holds_volatile(item.type) for item in plain.fields or ())
    return is_volatile(plain)


def unqualified(ctype: CType) -> CType:
    """The type without const and volatile, those that a typedef name hides among them; of an array, its elements'.

    A typedef name that is the only one of a structure, union or enumeration keeps what it hides.
    """
    return _without(ctype, ("const", "volatile"))


def assignable(ctype: CType) -> CType:
    """The same without const alone."""
    return _without(ctype, ("const",))


def _without(ctype: CType, qualifiers: tuple[str, ...]) -> CType:
    if isinstance(ctype, Array):
        element = _without(ctype.element, qualifiers)
        return ctype if element is ctype.element else replace(ctype, element=element)
    known = {name: False for name in qualifiers if getattr(ctype, name, False)}
    plain = replace(ctype, **known) if known else ctype
    if not isinstance(plain, Named):
        return plain
    inner = _without(plain.type, qualifiers)
    return plain if inner is plain.type or _has_no_name(inner) else inner


def _has_no_name(ctype: CType) -> bool:
    return isinstance(ctype, (Record, Enum)) and ctype.tag.startswith("<") and not ctype.exported


def shape(ctype: CType) -> tuple[bool, CType, tuple[Expr | None, ...]]:
    """Whether an array is flat (a pointer to elements), its element type, and its inner dimensions' lengths."""
    element = element_type(ctype) or ctype
    flat = isinstance(resolve(ctype), Pointer)
    lengths: list[Expr | None] = []
    while isinstance(resolve(element), Array):
        inner = resolve(element)
        assert isinstance(inner, Array)
        flat = False
        lengths.append(inner.length)
        element = inner.element
    return flat and not lengths, element, tuple(lengths)


def is_array(ctype: CType) -> bool:
    """Whether a type is an array."""
    return isinstance(resolve(ctype), Array)


def is_wide(indices: Iterable[Expr]) -> bool:
    """Whether one of some indices may have a value that no int has."""
    types = (integer_promotion(resolve(index.type)) for index in indices)
    return any(ctype.unsigned or exceeds_int(ctype) for ctype in types)
