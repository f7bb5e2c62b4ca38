"""Where the values of a C type lie in memory, on the LP64 targets CUDA supports."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from accache.ir.constants import constant
from accache.ir.types import (
    SIZES,
    Arithmetic,
    Array,
    Complex,
    CType,
    Enum,
    Pointer,
    Record,
    integer_of,
    resolve,
    unqualified,
)

_MOST_VALUES = 4096  # of one element; larger ones are taken for bits


ValueKind: TypeAlias = Literal["i", "u", "f", "p"]


class Value(Struct, frozen=True):
    """A value: its ``offset`` in bytes, its ``kind`` (i and u: integers, f: floating, p: address), and its ``bytes``.

    ``path`` is how C reaches it from the whole: ``.position[2]``.
    """

    offset: int
    kind: ValueKind
    bytes: int
    path: str = ""


class Layout(Struct, frozen=True):
    """The values of a type, in the order of their addresses; what lies between them is padding."""

    size: int
    align: int
    values: tuple[Value, ...]


def layout(ctype: CType) -> Layout | None:
    """How a type lies in memory; None where that is not known: unions, bit-fields, packed and incomplete types."""
    plain = unqualified(resolve(ctype))
    if isinstance(plain, Pointer):
        return Layout(8, 8, (Value(0, "p", 8),))
    if isinstance(plain, Complex):
        size = SIZES[plain.of]
        return Layout(2 * size, size, (Value(0, "f", size, " (real)"), Value(size, "f", size, " (imaginary)")))
    if isinstance(plain, Array):
        return _of_array(plain)
    if isinstance(plain, Record):
        return _of_record(plain)
    if isinstance(plain, Enum) or (isinstance(plain, Arithmetic) and plain.is_integer):
        number = integer_of(plain)
        is_unsigned = number.unsigned or number.name == "_Bool"
        return Layout(number.size, number.size, (Value(0, "u" if is_unsigned else "i", number.size),))
    if isinstance(plain, Arithmetic):
        return Layout(plain.size, plain.size, (Value(0, "f", plain.size),))
    return None


def _of_array(plain: Array) -> Layout | None:
    length = constant(plain.length) if plain.length is not None else None
    element = layout(plain.element)
    if length is None or element is None or length * len(element.values) > _MOST_VALUES:
        return None
    values = tuple(
        Value(number * element.size + value.offset, value.kind, value.bytes, f"[{number}]{value.path}")
        for number in range(length)
        for value in element.values
    )
    return Layout(length * element.size, element.align, values)


def _of_record(plain: Record) -> Layout | None:
    if plain.keyword != "struct" or plain.fields is None or plain.altered or plain.align:
        return None
    values: list[Value] = []
    end, align = 0, 1
    for field in plain.fields:
        inner = layout(field.type) if field.bits is None else None
        if inner is None:
            return None
        start = -(-end // inner.align) * inner.align
        name = f".{field.name}" if field.name else ""
        values += [Value(start + value.offset, value.kind, value.bytes, name + value.path) for value in inner.values]
        end, align = start + inner.size, max(align, inner.align)
    return Layout(-(-end // align) * align, align, tuple(values))
