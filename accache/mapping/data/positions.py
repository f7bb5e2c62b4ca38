"""Addresses as positions: so many elements behind the first one of a variable that is an array or a pointer."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from accache.ir.build import INT, WIDE, number
from accache.ir.constants import constant
from accache.ir.tree import Binary, Cast, Expr, Subscript, Unary, Variable
from accache.ir.types import (
    Array,
    CType,
    Pointer,
    element_type,
    exceeds_int,
    integer_of,
    is_integer,
    resolve,
    unqualified,
)

_INT_BYTES, _WIDE_BYTES = 4, 8
OPPOSITE = {"+": "-", "-": "+"}


class Position(Struct, frozen=True):
    """So many elements behind the first one of a variable, which ``origin`` is the address of."""

    root: str
    origin: Expr
    offset: Expr


class Positions(Struct, frozen=True):
    """Finds the positions of addresses, counted in elements of type ``target``.

    Of addresses that a ``pointer`` leads to, they are counted by ``index``. Sums have 64 bits, as those of addresses
    do, unless positions ``fit`` into an int. Those that are ``subscripts`` alone may wrap, as addresses do: they need
    no cast where they hold something of 64 bits.
    """

    target: CType
    pointer: str = ""
    index: str = ""
    fit: bool = False
    subscripts: bool = False

    def of(self, address: Expr) -> Position | None:
        """The position that an address has; None if it is no element's, or no variable's."""
        where = address.location
        if isinstance(address, Variable):
            return self.variable(address)
        if isinstance(address, Binary) and address.op in OPPOSITE:
            base, moved = address.left, address.right
            if address.op == "+" and is_integer(base.type):
                base, moved = moved, base
            place = self.of(base) if is_integer(moved.type) else None
            return replace(place, offset=self.sum(place.offset, address.op, moved)) if place is not None else None
        if isinstance(address, Unary) and address.op == "&" and isinstance(address.operand, Subscript):
            return self.element(address.operand)
        if isinstance(address, Subscript) and isinstance(resolve(address.type), Array):
            first = Subscript(self.target, where, address, number(0, where))
            return self.element(first)
        return None

    def variable(self, found: Variable) -> Position | None:
        """The position of what a variable leads to."""
        if found.name == self.pointer:
            return Position(found.name, found, Variable(WIDE, found.location, self.index))
        element, first = element_type(found.type), number(0, found.location)
        return Position(found.name, found, first) if element is not None and self.is_target(element) else None

    def element(self, element: Subscript) -> Position | None:
        """The position of an element, perhaps one of rows of rows."""
        if not self.is_target(element.type):
            return None
        indices, base = [element.index], element.base
        lengths: list[int] = []
        while isinstance(base, Subscript):
            kind = resolve(base.type)
            length = constant(kind.length) if isinstance(kind, Array) and kind.length is not None else None
            if length is None:
                return None
            indices.insert(0, base.index)
            lengths.insert(0, length)
            base = base.base
        if not isinstance(base, Variable):
            return None
        if not lengths:
            place = self.variable(base)
            return replace(place, offset=self.sum(place.offset, "+", element.index)) if place is not None else None
        where = element.location
        first = number(0, where)
        offset = self.sum(first, "+", indices[0])
        for length, index in zip(lengths, indices[1:], strict=True):
            offset = self.sum(_product(offset, length), "+", index)
        origin: Expr = base
        for row in _subscripts(element):
            origin = Subscript(row.type, where, origin, first)
        return Position(base.name, Unary(Pointer(element.type), where, "&", origin), offset)

    def is_target(self, element: CType) -> bool:
        """Whether elements are of the type that is counted."""
        return _are_alike(element, self.target)

    def sum(self, value: Expr, operator: str, moved: Expr) -> Expr:
        """A position moved by a number of elements."""
        known, added, where = constant(value), constant(moved), moved.location
        if known is not None and added is not None:
            return number(known + added if operator == "+" else known - added, where)
        if added == 0:
            return value
        if known == 0 and operator == "+":
            return _wide(moved) if exceeds_int(moved.type) and not self.subscripts else moved
        if added is not None and added < 0:
            return self.sum(value, OPPOSITE[operator], number(-added, where))
        if not self.fit or not (promotes_to_int(value.type) and promotes_to_int(moved.type)):
            own = _of_64_bits(value, moved) if self.subscripts else None
            if own is not None:
                return Binary(own, where, operator, value, moved)
            return Binary(WIDE, where, operator, _wide(value), _wide(moved))
        if isinstance(moved, Binary) and moved.op in OPPOSITE:
            inner = moved.op if operator == "+" else OPPOSITE[moved.op]
            return self.sum(self.sum(value, operator, moved.left), inner, moved.right)
        if isinstance(moved, Unary) and moved.op == "-":
            return self.sum(value, OPPOSITE[operator], moved.operand)
        return Binary(INT, where, operator, value, moved)


def _are_alike(first: CType, second: CType) -> bool:
    """Whether elements of two types are of one type; const and the spelling of lengths do not count."""
    left, right = unqualified(resolve(first)), unqualified(resolve(second))
    if isinstance(left, Array) and isinstance(right, Array):
        lengths = [constant(side.length) if side.length is not None else None for side in (left, right)]
        return lengths[0] is not None and lengths[0] == lengths[1] and _are_alike(left.element, right.element)
    return left == right


def _subscripts(element: Subscript) -> list[Subscript]:
    """The subscripts that lead to an element, the outermost first."""
    inner = _subscripts(element.base) if isinstance(element.base, Subscript) else []
    return [*inner, element]


def _product(value: Expr, length: int) -> Expr:
    known, where = constant(value), value.location
    if known is not None:
        return number(known * length, where)
    return Binary(WIDE, where, "*", _wide(value), number(length, where))


def _wide(value: Expr) -> Expr:
    """A value that C computes with in 64 bits; a constant is none that unsigned numbers change."""
    known = constant(value)
    if known is not None:
        return number(known, value.location)
    plain = integer_of(value.type)
    return value if plain.size == _WIDE_BYTES and not plain.unsigned else Cast(WIDE, value.location, value)


def _of_64_bits(*values: Expr) -> CType | None:
    """The type of 64 bits in which C adds values; None if none of them has one."""
    wide = [value.type for value in values if integer_of(value.type).size == _WIDE_BYTES]
    unsigned = [ctype for ctype in wide if integer_of(ctype).unsigned]
    return unqualified((unsigned or wide)[0]) if wide else None


def promotes_to_int(ctype: CType) -> bool:
    """Whether C computes with values as with those of type int."""
    plain = integer_of(ctype)
    return plain.size < _INT_BYTES or (plain.size == _INT_BYTES and not plain.unsigned)
