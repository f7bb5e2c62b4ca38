"""What a data clause names, as C texts: where its bytes begin, how many they are, and how they are repeated."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from accache.emit.expressions import LEVELS, ExpressionPrinter
from accache.ir.arrays import inner_lengths, innermost, is_unbounded, is_variable_length
from accache.ir.openacc.regions import Dimension, Subarray
from accache.ir.openacc.sections import is_one, partial_dimension
from accache.ir.types import Array, CType, Pointer, Record, Void, element_type, is_const, is_volatile, resolve

_NOT_UTF8 = re.compile("[\udc80-\udcff]")  # as they are decoded, with surrogateescape


def quoted(text: str) -> str:
    r"""A C string constant; bytes that are not UTF-8 are written in octal, nvcc takes them in no other way.

    >>> print(quoted('a"b\\c.c'))
    "a\"b\\c.c"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    octal = _NOT_UTF8.sub(lambda byte: f"\\{ord(byte[0]) - 0xDC00:03o}", escaped)
    return f'"{octal}"'


def row_index(depth: int) -> str:
    """The variable of a loop over rows inside of so many others."""
    return f"accache_{'ijklmnop'[depth]}"


def memory(address: str, element: CType) -> str:
    """An address as the run-time library takes it.

    To ``void *`` C++ converts no address of something volatile, and nvcc none of a ``restrict`` pointer.
    """
    plain = resolve(innermost(element))
    if not is_volatile(plain) and not (isinstance(plain, Pointer) and plain.restrict):
        return address
    return f"(void *)({address})" if " " in address else f"(void *){address}"


class Mapped(Struct, frozen=True):
    """A section in one place: its first byte, bytes, element size, and offset from the array's first element.

    There is no offset where the section begins with the array; of a part of a row it is that in the row. In a stub a
    part of a row is one of single elements, of the type ``unit``: the offset counts these, and rows otherwise.
    """

    host: str
    size: str
    element: str
    offset: str
    unit: str = ""

    def address(self, array: str, sign: Literal["+", "-"]) -> str:
        """The address that lies the offset behind an array's first element, or in front of the section's."""
        return f"({self.unit} *){array} {sign} {self.offset}" if self.unit else f"{array} {sign} {self.offset}"


class Rows(Struct, frozen=True):
    """A section whose elements are pointers to further sections.

    ``table`` are the pointers, ``index`` counts them up to ``count``, ``pointer`` is one of them, of type ``type``.
    ``dimensions`` are those of what it points to.
    """

    table: Mapped
    count: str
    index: str
    pointer: str
    type: CType
    dimensions: tuple[Dimension, ...]


class SectionPrinter(Struct, frozen=True):
    """Prints sections, for host code or for a launch stub."""

    printer: ExpressionPrinter
    in_stub: bool = False

    def section(self, subarray: Subarray) -> Mapped:
        """The memory a clause names; of an array of pointers to rows, that of the pointers."""
        base = self.printer.expression(subarray.base, LEVELS["postfix"])
        return self.part(base, subarray.base.type, subarray.dimensions)

    def part(self, base: str, ctype: CType, dimensions: tuple[Dimension, ...]) -> Mapped:
        """A section of what ``base`` prints; inner dimensions are whole (checked by check_sections)."""
        element = element_type(ctype)
        if element is None:
            return Mapped(memory(f"&{base}", ctype), f"sizeof {base}", f"sizeof {base}", "")
        is_in_row = partial_dimension(ctype, dimensions) and is_one(dimensions[0])
        if is_in_row and self.in_stub:
            return self.part_of_row(base, ctype, dimensions)
        if is_in_row:
            inner = self.part(f"{base}[{self.lower(dimensions[0]) or 0}]", element, dimensions[1:])
            return replace(inner, offset=inner.offset or "0")
        row = self.row_size(ctype, base)
        whole = "ACCACHE_WHOLE" if is_unbounded(ctype) else self.whole(ctype, base)
        single = self.element_size(ctype, base)
        if not dimensions:
            return Mapped(memory(base, element), whole, single, "")
        first = dimensions[0]
        lower = self.lower(first)
        offset = f"({lower}) * ({self.row_elements(ctype)})" if lower and self.is_flat(ctype) else lower
        host = memory(f"{base} + {offset}" if offset else base, element)
        if first.length is not None:
            size = self.times(self.extent(ctype, first), row)
        else:
            size = f"{whole} - {lower} * {row}" if lower and whole != "ACCACHE_WHOLE" else whole
        return Mapped(host, size, single, offset)

    def part_of_row(self, base: str, ctype: CType, dimensions: tuple[Dimension, ...]) -> Mapped:
        """A section in one row of an array that a stub sees, as one of single elements."""
        extents = [self.printer.expression(length, LEVELS["unary"]) for length in inner_lengths(ctype)]
        last, unit = partial_dimension(ctype, dimensions), innermost(element_type(ctype) or ctype)
        terms, row = [], ctype
        for depth, dimension in enumerate(dimensions[: last + 1]):
            if depth:
                row = element_type(row) or row
            if dimension.lower is not None and self.lower(dimension):
                lower = self.printer.expression(dimension.lower, LEVELS["unary"])
                terms.append(" * ".join([f"(size_t){lower}", *extents[depth:]]))
        offset, single = " + ".join(terms) or "0", f"sizeof({self.printer.type(unit)})"
        size = " * ".join([f"(size_t){self.extent(row, dimensions[last])}", *extents[last:], single])
        plain = Mapped("", size, single, f"({offset})", self.printer.type(unit))
        return replace(plain, host=memory(plain.address(base, "+"), unit))

    def lower(self, dimension: Dimension) -> str:
        """The lower bound of a dimension as an operand of a sum; empty for zero."""
        lower = self.printer.expression(dimension.lower, LEVELS["+"] + 1) if dimension.lower is not None else ""
        return "" if lower == "0" else lower

    @staticmethod
    def times(text: str, size: str) -> str:
        """Bytes of so many elements of a size; ``text`` is an operand of a product."""
        return size if text == "1" else f"{text} * {size}" if text.isdigit() else f"(size_t){text} * {size}"

    def rows(self, base: str, ctype: CType, dimensions: tuple[Dimension, ...], depth: int = 0) -> Rows | None:
        """The rows of a section of pointers; None where all of a section is in one place."""
        row = element_type(ctype)
        if len(dimensions) < 2 or row is None or not isinstance(resolve(row), Pointer):
            return None
        first = dimensions[0]
        lower, index = self.lower(first), row_index(depth)
        pointer = f"{base}[{lower} + {index}]" if lower else f"{base}[{index}]"
        return Rows(self.part(base, ctype, (first,)), self.extent(ctype, first), index, pointer, row, dimensions[1:])

    def extent(self, ctype: CType, dimension: Dimension) -> str:
        """How many elements a section has in its first dimension."""
        if dimension.length is not None:
            return self.printer.expression(dimension.length, LEVELS["unary"])
        plain = resolve(ctype)
        assert isinstance(plain, Array)
        assert plain.length is not None
        extent, lower = self.printer.expression(plain.length, LEVELS["+"]), self.lower(dimension)
        return f"({extent} - {lower})" if lower else self.printer.expression(plain.length, LEVELS["unary"])

    def extents(self, ctype: CType, dimensions: tuple[Dimension, ...]) -> list[str]:
        """The same for all dimensions."""
        found = []
        for dimension in dimensions:
            found.append(self.extent(ctype, dimension))
            inner = element_type(ctype)
            assert inner is not None
            ctype = inner
        return found

    def is_flat(self, ctype: CType) -> bool:
        """Whether a stub sees the array as a pointer to single elements: its inner dimensions are no constants."""
        return self.in_stub and is_variable_length(ctype)

    def row_elements(self, ctype: CType) -> str:
        """Elements of one row: the product of the inner dimensions."""
        lengths = [self.printer.expression(length, LEVELS["unary"]) for length in inner_lengths(ctype)]
        return " * ".join([f"(size_t){lengths[0]}", *lengths[1:]]) if lengths else "1"

    def row_size(self, ctype: CType, base: str) -> str:
        """Bytes of one element of the first dimension."""
        if not self.is_flat(ctype):
            return f"sizeof *{base}"
        return f"{self.row_elements(ctype)} * sizeof *{base}"

    def element_size(self, ctype: CType, base: str) -> str:
        """Bytes of a single element, all dimensions taken off; 1 where nobody knows what it is."""
        target = resolve(element_type(ctype) or ctype)
        if isinstance(target, Void) or (isinstance(target, Record) and target.fields is None):
            return "1"
        stars = "*" * (1 if self.is_flat(ctype) else len(inner_lengths(ctype)) + 1)
        return f"sizeof {stars}{base}"

    def whole(self, ctype: CType, name: str) -> str:
        """The size in bytes of a whole array; in a stub, which sees a pointer, spelled out."""
        if not self.in_stub:
            return f"sizeof {name}"
        plain = resolve(ctype)
        lengths = []
        last: CType = plain
        while isinstance(plain, Array):
            assert plain.length is not None
            lengths.append(f"(size_t){self.printer.expression(plain.length, LEVELS['unary'])}")
            last = plain.element
            plain = resolve(plain.element)
        return " * ".join([*lengths, f"sizeof({self.printer.type(last)})"])


def is_constant(ctype: CType) -> bool:
    """Whether the elements of an array, or what a pointer leads to, are const, so that nothing may be copied back."""
    element = ctype if isinstance(resolve(ctype), Array) else element_type(ctype)
    return element is not None and is_const(element)
