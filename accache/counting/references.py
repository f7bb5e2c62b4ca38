"""The loads from global memory that evaluating an expression once takes."""

from __future__ import annotations

from functools import reduce

from msgspec import Struct

from accache.analysis.loop_context import Definitions
from accache.counting.formulas import as_count
from accache.counting.tallies import AT_LEAST, AT_MOST, ESTIMATE, LAZY, NO_LOADS, ONE, OWN, SERVED, STORED, Loads, Tally
from accache.ir.as_polynomial import NO_DEFINITIONS, index_polynomial
from accache.ir.constants import constant
from accache.ir.kernels.tiles import TileAccess
from accache.ir.tree import STEPPING, Assign, Binary, Call, Conditional, Expr, Member, Subscript, Unary, Variable
from accache.ir.types import Array, CType, Pointer, Record, resolve
from accache.ir.walk import children

WHOLE = "whole structures are copied"
HITS = "what hits the thread's cache is not loaded"
IN_LINES = "which arrays have lines, and what hits these, shows when the kernel runs"
POINTERS = "pointers of the kernel may lead to its own arrays"
ROUTINES = "loads in routines are not counted"
FAR = "references that are rows away from the tile are taken to miss it"
MISSES = "references outside of the tile go to memory"


class References(Struct, frozen=True):
    """Counts loads; ``local`` names are no global memory, the scalars in ``memory`` are.

    An index that is further from its subarray by one of the ``sizes`` is taken to miss the tile. ``definitions`` are
    the temporaries that stand for one expression.
    """

    local: frozenset[str]
    memory: frozenset[str]
    sizes: frozenset[str] = frozenset()
    definitions: Definitions = NO_DEFINITIONS

    def loads(self, expr: Expr | None, read: bool = True, written: bool = False) -> Loads:
        """The loads of one evaluation; an expression that is assigned is ``written``, and not ``read`` by ``=``."""
        if expr is None:
            return NO_LOADS
        access = _access_around(expr)
        if access is not None:
            return self._indices(expr) + self._tile(access, expr, read, written)
        if isinstance(expr, Subscript):
            own = self._element(expr, read)
            return self.loads(expr.index) + self.loads(expr.base, not isinstance(resolve(expr.base.type), Array)) + own
        if isinstance(expr, Member):
            inner = self.loads(expr.base, expr.arrow)
            return inner + (self._member(expr) if read else NO_LOADS)
        if isinstance(expr, Assign):
            return self.loads(expr.target, expr.op != "=", written=True) + self.loads(expr.value)
        if isinstance(expr, Unary):
            return self._unary(expr, read)
        if isinstance(expr, Variable):
            return Loads.of(OWN, expr.name, ONE) if read and expr.name in self.memory - self.local else NO_LOADS
        return self._several(expr)

    def _several(self, expr: Expr) -> Loads:
        """All operands; those that need not be evaluated count as a bound."""
        parts = [self.loads(child) for child in children(expr) if isinstance(child, Expr)]
        if isinstance(expr, Call) and expr.callee is not None and any(map(_is_address, expr.arguments)):
            parts.append(Loads.of(OWN, "", Tally(bound=AT_LEAST, notes=(ROUTINES,))))
        if isinstance(expr, Conditional):
            return parts[0] + (parts[1] | parts[2])
        if isinstance(expr, Binary) and expr.op in ("&&", "||"):
            return parts[0] + parts[1].limited(AT_MOST, LAZY)
        return reduce(Loads.__add__, parts, NO_LOADS)

    def _unary(self, expr: Unary, read: bool) -> Loads:
        if expr.op == "&":
            return self.loads(expr.operand, False)
        if expr.op == "*":
            return self.loads(expr.operand) + self._element(expr, read)
        return self.loads(expr.operand, written=expr.op in STEPPING)

    def _member(self, expr: Member) -> Loads:
        """The load of a structure's member where the structure lies in memory."""
        base: Expr = expr
        while isinstance(base, Member) and not base.arrow:
            base = base.base
        in_memory = isinstance(base, (Subscript, Unary)) or (isinstance(base, Member) and base.arrow)
        return self._element(expr, True) if in_memory else self.loads(base)

    def _indices(self, expr: Expr) -> Loads:
        """The loads of the subscripts behind a tile's element."""
        if isinstance(expr, Subscript):
            return self.loads(expr.index) + self._indices(expr.base)
        return self._indices(expr.base) if isinstance(expr, Member) else NO_LOADS

    def _element(self, expr: Expr, read: bool) -> Loads:
        """The load of one element of memory, or of a whole structure."""
        root = _root(expr)
        name, plain = (root.name if root is not None else ""), resolve(expr.type)
        leads_away = root is None or isinstance(resolve(root.type), Pointer)
        if not read or isinstance(plain, Array) or (name in self.local and not leads_away):
            return NO_LOADS
        found = ONE if not isinstance(plain, Record) else whole(plain, ONE)
        return Loads.of(OWN, name, found.limited(AT_MOST, POINTERS) if name in self.local else found)

    def _tile(self, access: TileAccess, part: Expr, read: bool, written: bool) -> Loads:
        """A reference that a tile serves, to an element or a part of it, and what it still loads from memory."""
        tile = access.tile
        found = self.loads(access.original, False)
        if written:
            found += Loads.of(STORED, tile.name, ONE)
        if read:
            of_element = self._element(access.original if part is access else part, True)
            found += Loads.of(SERVED, tile.name, of_element.total(OWN))
        if tile.lines is not None and read:
            return found + Loads.of(OWN, tile.name, Tally(bound=AT_LEAST, notes=(IN_LINES,)))
        if not tile.has_range and read:
            found += Loads.of(OWN, tile.name, ONE.limited(AT_MOST, HITS))
        if tile.traits.may_miss and tile.has_range and read:
            missed = ONE.limited(AT_MOST, FAR) if self._is_far(access) else Tally(bound=AT_LEAST, notes=(MISSES,))
            found += Loads.of(OWN, tile.name, missed)
        return found

    def _is_far(self, access: TileAccess) -> bool:
        """Whether a reference lies rows away from its tile: how far, the size of an array says."""
        subscripts: list[Expr] = []
        base = access.original
        while isinstance(base, Subscript) and len(subscripts) < len(access.tile.range.dimensions):
            subscripts.insert(0, base.index)
            base = base.base
        indices = [index_polynomial(subscript, self.definitions) for subscript in subscripts]
        if access.tile.range.pitches or len(indices) != len(access.tile.range.dimensions):
            return False
        ways = (
            index - dimension.lower
            for index, dimension in zip(indices, access.tile.range.dimensions, strict=True)
            if index is not None
        )
        return any(way.names & self.sizes for way in ways)


def whole(record: Record, copies: Tally) -> Tally:
    """The loads of whole structures: one for each scalar in them, unless the compiler joins some."""
    return copies.times(as_count(_scalars(record))).limited(ESTIMATE, WHOLE)


def _scalars(ctype: CType) -> int:
    """How many scalars a value of a type holds; of a union's members the one with most counts."""
    plain = resolve(ctype)
    if isinstance(plain, Array):
        return (constant(plain.length) or 1) * _scalars(plain.element)
    if not isinstance(plain, Record) or plain.fields is None:
        return 1
    parts = [_scalars(member.type) for member in plain.fields]
    return max(parts, default=1) if plain.keyword == "union" else sum(parts)


def _access_around(expr: Expr) -> TileAccess | None:
    """The reference to a tile's element that an lvalue is, or lies in."""
    while isinstance(expr, (Subscript, Member)):
        if isinstance(resolve(expr.base.type), Pointer):
            return None
        expr = expr.base
    return expr if isinstance(expr, TileAccess) else None


def _root(expr: Expr) -> Variable | None:
    """The variable a reference starts from, if it is one."""
    while isinstance(expr, (Subscript, Member, Unary)):
        expr = expr.operand if isinstance(expr, Unary) else expr.base
    return expr if isinstance(expr, Variable) else None


def _is_address(argument: Expr) -> bool:
    """Whether a routine is handed an address, by which it may load."""
    return isinstance(resolve(argument.type), (Array, Pointer))
