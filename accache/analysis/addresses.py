"""Which memory the references of a loop lead to, and which element of it.

A pointer that stands for one address is followed to the array it comes from: after ``float *row = b + i*m`` the
element ``row[j]`` is ``b[i*m + j]``. Every other pointer is memory of its own, of which ``origins`` knows where it may
lie. So is a row that is found through a pointer in memory: that two rows have different numbers does not part them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.points_to import ANYWHERE, Origins
from accache.ir.arrays import inner_lengths, innermost
from accache.ir.as_polynomial import index_polynomial, residue_polynomial
from accache.ir.constants import constant
from accache.ir.polynomial import ONE, ZERO, Polynomial
from accache.ir.tree import Binary, Cast, Expr, Subscript, Unary, Variable
from accache.ir.types import Array, CType, Pointer, element_type, resolve, unqualified

Subscripts = tuple[Polynomial | None, ...]
ROW = "#row"
_ANYWHERE: Origins = frozenset((ANYWHERE,))


class Memory(Struct, frozen=True):
    """Memory that a loop refers to by one name; ``element`` is the type of what lies there.

    ``origins`` are the variables it may be part of, ``pitches`` how far apart, in elements, the neighbours of each
    dimension but the last are (None if that is not known).
    """

    name: str
    element: CType
    origins: Origins
    pitches: tuple[Polynomial, ...] | None = ()


class Address(Struct, frozen=True):
    """A place in memory: its subscripts, None if it may be any element.

    The first ``rows`` of them tell objects apart that cannot meet. An address that ``crosses`` was computed from the
    address of a row, and may have left that row. Of a last subscript that may wrap the ``residue`` is what it is modulo
    2**32, if known.
    """

    memory: Memory
    subscripts: Subscripts | None
    rows: int = 0
    crosses: bool = False
    residue: Polynomial | None = None

    def moved(self, offset: Polynomial | None) -> Address:
        """The address some elements further on."""
        if self.subscripts is None:
            return self
        *outer, last = self.subscripts
        moved = None if last is None or offset is None else last + offset
        return replace(self, subscripts=(*outer, moved), residue=None)

    @property
    def has_rows(self) -> bool:
        """Whether the address is one within a row of an array."""
        return self.subscripts is not None and len(self.subscripts) - self.rows > 1


class Addresses(Struct, frozen=True):
    """Follows the addresses of one loop.

    ``definitions`` are its temporaries, ``pointers`` the pointers that stand for one address, with what they are
    initialised with. ``varying`` are the names whose value may differ from one iteration to the next, ``changing``
    those that the region assigns, ``origins`` where pointers lead that it declares or moves, ``free`` the variables
    that it does not declare.
    """

    definitions: Mapping[str, Expr]
    pointers: Mapping[str, Expr]
    varying: frozenset[str]
    changing: frozenset[str]
    origins: Mapping[str, Origins]
    free: frozenset[str]

    def of(self, expr: Expr, follows_memory: bool = True) -> Address | None:
        """Where an expression with the type of a pointer or array leads; None if that is not followed."""
        if isinstance(expr, Variable):
            return self.variable(expr)
        if isinstance(expr, Cast):
            return self.of(expr.operand, follows_memory) if _points_alike(expr.type, expr.operand.type) else None
        if isinstance(expr, Unary) and expr.op == "&" and isinstance(expr.operand, Subscript):
            return self.element(expr.operand, follows_memory)
        if isinstance(expr, Binary) and expr.op in ("+", "-"):
            return self.sum(expr, follows_memory)
        if not isinstance(expr, Subscript):
            return None
        place = self.element(expr, follows_memory)
        if place is None or isinstance(resolve(expr.type), Array):
            return _first_of_row(place)
        return self.row(place, expr.type) if follows_memory else None

    def element(self, expr: Subscript, follows_memory: bool = True) -> Address | None:
        """Where an element lies."""
        base = self.of(expr.base, follows_memory)
        if base is None:
            return None
        crosses = base.crosses or (base.has_rows and isinstance(resolve(expr.base.type), Pointer))
        index = index_polynomial(expr.index, self.definitions)
        is_first = base.subscripts is not None and base.subscripts[-1] == ZERO
        residue = residue_polynomial(expr.index, self.definitions) if index is None and is_first else None
        return replace(base.moved(index), crosses=crosses, residue=residue)

    def variable(self, expr: Variable) -> Address | None:
        """The first element of an array, or what a pointer leads to."""
        element = element_type(expr.type)
        if element is None:
            return None
        plain = resolve(expr.type)
        value = self.pointers.get(expr.name)
        if value is not None and _points_alike(expr.type, value.type):
            rest = {name: other for name, other in self.pointers.items() if name != expr.name}
            followed = replace(self, pointers=rest).of(value, follows_memory=False)
            if followed is not None:
                return followed
        memory = Memory(expr.name, innermost(element), self._origins(expr), self._pitches(expr.type))
        moves = isinstance(plain, Pointer) and expr.name in self.varying
        return Address(memory, None if moves else (ZERO,))

    def sum(self, expr: Binary, follows_memory: bool) -> Address | None:
        """An address and an offset."""
        sides = [side for side in (expr.left, expr.right) if element_type(side.type) is not None]
        base = self.of(sides[0], follows_memory) if len(sides) == 1 else None
        if base is None:
            return None
        offset = index_polynomial(expr.right if sides[0] is expr.left else expr.left, self.definitions)
        if expr.op == "-" and offset is not None:
            offset = -offset
        return replace(base.moved(offset), crosses=base.crosses or base.has_rows)

    def row(self, place: Address, pointer: CType) -> Address:
        """Where a pointer leads that lies in memory; ``restrict`` ones do not meet, others that stay have names."""
        plain = resolve(pointer)
        assert isinstance(plain, Pointer)
        origins = frozenset[str]() if plain.restrict else _ANYWHERE
        memory = Memory(place.memory.name + ROW, innermost(plain.target), origins, self._pitches(pointer))
        if plain.restrict and place.subscripts is not None:
            return Address(memory, (*place.subscripts, ZERO), len(place.subscripts))
        stays = [part for part in place.subscripts or () if part is not None and self.varying.isdisjoint(part.names)]
        if place.subscripts is None or len(stays) < len(place.subscripts):
            return Address(memory, None)
        text = "][".join(part.to_c() for part in stays)
        return Address(replace(memory, name=f"{memory.name}[{text}]"), (ZERO,))

    def _origins(self, pointer: Variable) -> Origins:
        """The variables that a variable's memory may be part of."""
        is_known = isinstance(resolve(pointer.type), Array) or pointer.name in self.free
        return self.origins.get(pointer.name, frozenset((pointer.name,)) if is_known else _ANYWHERE)

    def _pitches(self, ctype: CType) -> tuple[Polynomial, ...] | None:
        """The sizes, in elements, of what an array's or pointer's elements are made of, outermost dimension first."""
        found: list[Polynomial] = []
        for expr in reversed(inner_lengths(ctype)):
            length = index_polynomial(expr)
            if length is None or length.names & (self.varying | self.changing):
                return None
            found.insert(0, length * (found[0] if found else ONE))
        return tuple(found)


def flattened(address: Address) -> Subscripts | None:
    """The subscripts with those within the array's dimensions made one; None if the length of its rows is not known."""
    subscripts, pitches = address.subscripts, address.memory.pitches
    if subscripts is None or pitches is None:
        return None
    outer, inner = subscripts[: address.rows], subscripts[address.rows :]
    if len(inner) != len(pitches) + 1:
        return None
    known = [part for part in inner if part is not None]
    if len(known) < len(inner):
        return (*outer, None)
    products = (part * pitch for part, pitch in zip(known, (*pitches, ONE), strict=True))
    return (*outer, sum(products, ZERO))


def loads_of(expr: Subscript) -> Iterator[Subscript]:
    """The elements that are pointers, and are read on the way to an element."""
    base = expr.base
    while isinstance(base, Subscript):
        if isinstance(resolve(base.type), Pointer):
            yield base
        base = base.base


def _first_of_row(place: Address | None) -> Address | None:
    """The first element of a row that lies at a place."""
    if place is None or place.subscripts is None:
        return place
    return replace(place, subscripts=(*place.subscripts, ZERO))


def _points_alike(to: CType, source: CType) -> bool:
    """Whether addresses of two types lead to elements of one type."""
    first, second = element_type(to), element_type(source)
    while first is not None and second is not None:
        one, other = resolve(first), resolve(second)
        if not isinstance(one, Array) or not isinstance(other, Array):
            return unqualified(one) == unqualified(other)
        if constant(one.length) is None or constant(one.length) != constant(other.length):
            return False
        first, second = one.element, other.element
    return False
