"""Where variables lie: addresses, sizes, and the bytes that a module's variables start with."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from accache.ptx.rules.modifiers import Unsupported
from accache.ptx.rules.types import TYPES, TypeKind
from accache.ptx.text.syntax import Immediate, Initialiser, Module, Sum, Value, Variable

_VECTORS = {"": 1, "v2": 2, "v4": 4, "v8": 8}
_OPAQUE = ("texref", "samplerref", "surfref")

_LARGEST = 1 << 32
"""Bytes of a variable of a module."""


def element_bytes(variable: Variable) -> int:
    """The size of an element of an array, or of a variable that is none."""
    if variable.type in _OPAQUE:
        return 8
    return (16 if variable.type == "b128" else TYPES[variable.type].bytes) * _VECTORS[variable.vector]


def size(variable: Variable) -> int:
    """The size of a variable in bytes; an array without a length has that of its value, else 0."""
    total = element_bytes(variable)
    for number in variable.dimensions:
        if number is None:
            number = len(variable.value.elements) if isinstance(variable.value, Initialiser) else 0
        total *= number
    return total


def alignment(variable: Variable) -> int:
    """The alignment of a variable in bytes."""
    return variable.alignment or element_bytes(variable)


def aligned(offset: int, to: int) -> int:
    """The next multiple of an alignment."""
    return -(-offset // to) * to


class Area:
    """Puts variables one behind the other."""

    def __init__(self, start: int = 0) -> None:
        self.end = start

    def place(self, variable: Variable) -> int:
        """The offset of a variable, which takes room from now on."""
        offset = aligned(self.end, alignment(variable))
        self.end = offset + size(variable)
        return offset


def initial_bytes(variable: Variable, addresses: Mapping[str, int]) -> bytes:
    """What a variable of a module starts with: its value, then zeros.

    :raises Unsupported: it is too large, or its value has the address of what is not there.
    """
    if size(variable) > _LARGEST:
        raise Unsupported(f"a variable of {size(variable)} bytes")
    values: list[bytes] = []
    if variable.value is not None:
        _collect(variable.value, variable.type, addresses, values)
    return b"".join(values).ljust(size(variable), b"\0")[: size(variable)]


def _collect(value: Value, type_: str, addresses: Mapping[str, int], values: list[bytes]) -> None:
    if isinstance(value, Initialiser):
        for element in value.elements:
            _collect(element, type_, addresses, values)
    elif isinstance(value, Sum):
        if value.base.text not in addresses:
            raise Unsupported(f"'{value.base.text}' is not declared")
        number = addresses[value.base.text] + (value.offset.value if value.offset else 0)
        values.append(number.to_bytes(8, "little")[: TYPES[type_].bytes])
    else:
        values.append(constant_bits(value, type_).to_bytes(TYPES[type_].bytes, "little"))


def constant_bits(number: Immediate, type_: str) -> int:
    """The bits of a number in a type."""
    kind = TYPES[type_]
    bits = max(8, kind.bits)
    if number.is_float and number.text.lstrip("+-")[:2] not in ("0f", "0F", "0d", "0D"):
        value = float(number.text)
        return int.from_bytes(struct.pack("<f" if bits == 32 else "<d", value), "little")
    found = number.value
    if number.is_float:
        found = _converted(number.text.lstrip("+-")[1] in "fF", found, bits, kind.kind)
        if number.text.startswith("-"):
            found ^= 1 << (bits - 1)
    elif kind.kind == "f" and kind.bits >= 32:
        return int.from_bytes(struct.pack("<f" if bits == 32 else "<d", found), "little")
    return found & ((1 << bits) - 1)


def _converted(is_single: bool, found: int, bits: int, kind: TypeKind) -> int:
    """The bits of a float in the width of an operand of the other width."""
    if kind == "f" and is_single and bits == 64:
        (value,) = struct.unpack("<f", found.to_bytes(4, "little"))
        return int.from_bytes(struct.pack("<d", value), "little")
    if kind == "f" and not is_single and bits == 32:
        (value,) = struct.unpack("<d", found.to_bytes(8, "little"))
        return int.from_bytes(struct.pack("<f", value), "little")
    return found


def module_addresses(module: Module, spaces: Mapping[str, int]) -> dict[str, int]:
    """The addresses of a module's variables; ``spaces`` tells where each space of memory starts."""
    areas = {space: Area(start) for space, start in spaces.items()}
    return {part.name: areas[part.space].place(part) for part in module.variables if part.space in areas}
