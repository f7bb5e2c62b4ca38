"""What one execution of a statement is certain to do to an array: which elements it writes, whatever the data.

Before: ``for (q = 0; q < 4; ++q) w[4*i + q] = w[4*i] + a[q];``. After: elements 4*i to 4*i + 3 are
written, and one is read before it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod

from msgspec import Struct, field

from accache.analysis.canonical import canonical_loop
from accache.analysis.loop_context import Definitions, subscripts_of
from accache.analysis.uniformity import leaving_jumps
from accache.ir.as_polynomial import polynomial_of
from accache.ir.kernels.simt import CacheRegion, CanonicalLoop, ParallelFor
from accache.ir.kernels.tiles import TileAccess
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    STEPPING,
    Assign,
    Binary,
    Block,
    Case,
    Conditional,
    Expr,
    For,
    If,
    Label,
    Stmt,
    Subscript,
    Switch,
    Unary,
    Variable,
    While,
)
from accache.ir.types import Arithmetic, resolve
from accache.ir.walk import children, used_variables, walk

MAX_VISITS = 2000
SAFE = 127
INT, LONG = 4, 8

Index = tuple[Polynomial, ...]
Elements = frozenset[Index]
NO_ELEMENTS: Elements = frozenset()
Env = dict[str, Polynomial]


class Effect(Struct, frozen=True):
    """What is certain: the elements ``written`` in the end, and those ``accessed``, be it to read them or to write.

    ``reads_old`` if one may be read before it was written.
    """

    written: Elements
    reads_old: bool
    accessed: Elements = NO_ELEMENTS

    def fills(self, ranges: Sequence[tuple[Polynomial, int]]) -> bool:
        """Whether every element of a subarray is written; a range is a first index and a length, one a dimension."""
        return _holds(self.written, ranges)

    def uses_all(self, ranges: Sequence[tuple[Polynomial, int]]) -> bool:
        """Whether every element of a subarray is read or written."""
        return _holds(self.accessed, ranges)


def _holds(found: Elements, ranges: Sequence[tuple[Polynomial, int]]) -> bool:
    """Whether all elements of a subarray are among some."""
    sizes = [length for _, length in ranges]
    if not sizes or prod(sizes) > len(found):
        return False
    sides = [[low + offset for offset in range(length)] for low, length in ranges]
    return set(product(*sides)) <= found


class _Walk(Struct, dict=True):
    """Walks the statements one thread (or, around loops over threads, a block) goes through."""

    array: str
    index: Callable[[tuple[Expr, ...]], Index | None]
    names: frozenset[str]
    definitions: Definitions
    reads_old: bool = False
    accessed: Elements = NO_ELEMENTS
    visits: int = 0
    indices: dict[int, Index | None] = field(default_factory=dict)

    def statement(self, stmt: Stmt, known: Elements, env: Env) -> Elements:
        """The elements certainly written after a statement, those ``known`` before among them."""
        self.visits += 1
        if self.visits > MAX_VISITS:
            self.reads_old = True
            return known
        if isinstance(stmt, Block):
            for item in stmt.items:
                known = self.statement(item, known, env)
            return known
        if isinstance(stmt, If):
            known |= self.expression(stmt.condition, known, env)
            before = self.accessed
            then = self.statement(stmt.then, known, env)
            accessed, self.accessed = self.accessed, before
            otherwise = self.statement(stmt.otherwise, known, env) if stmt.otherwise else known
            self.accessed &= accessed
            return then & otherwise
        if isinstance(stmt, ParallelFor):
            return self.parallel(stmt, known, env)
        if isinstance(stmt, For):
            return self.loop(stmt, known, env)
        if isinstance(stmt, While):
            self.repeated(stmt, known, env)
            return known
        return self.plain(stmt, known, env)

    def plain(self, stmt: Stmt, known: Elements, env: Env) -> Elements:
        """A statement whose parts are done one after the other, each once."""
        for child in children(stmt):
            if isinstance(child, Stmt):
                known = self.statement(child, known, env)
            else:
                known |= self.expression(child, known, env)
        return known

    def loop(self, stmt: For, known: Elements, env: Env) -> Elements:
        """A sequential loop: iteration by iteration if their number is a constant, else any one of them."""
        for item in stmt.init:
            known = self.statement(item, known, env)
        loop = canonical_loop(stmt)
        values = self.values(loop, env) if isinstance(loop, CanonicalLoop) else None
        if values is None or any(leaving_jumps(stmt.body)):
            self.repeated(stmt, known, env, loop.variable if isinstance(loop, CanonicalLoop) else "")
            return known
        assert isinstance(loop, CanonicalLoop)
        for value in values:
            known = self.statement(stmt.body, known, {**env, loop.variable: value})
        return known

    def repeated(self, stmt: For | While, known: Elements, env: Env, variable: str = "") -> None:
        """A round of a loop, of which nothing is known but the ``variable`` that it leaves alone."""
        names, accessed = self.names, self.accessed
        self.names = names | {variable} if variable else names
        inner = {name: value for name, value in env.items() if name != variable}
        for part in children(stmt):
            if isinstance(part, Expr):
                self.expression(part, known, inner)
        self.statement(stmt.body, known, inner)
        self.names, self.accessed = names, accessed

    def parallel(self, stmt: ParallelFor, known: Elements, env: Env) -> Elements:
        """A loop whose iterations are done in any order: each finds what was written before the loop."""
        for bound in (stmt.loop.first, stmt.loop.limit):
            self.expression(bound, known, env)
        values = self.values(stmt.loop, env)
        if values is None or stmt.grid or any(leaving_jumps(stmt.body)):
            names, accessed = self.names, self.accessed
            self.names = names | {stmt.loop.variable}
            self.statement(stmt.body, known, env)
            self.names, self.accessed = names, accessed
            return known
        rounds = [self.statement(stmt.body, known, {**env, stmt.loop.variable: value}) for value in values]
        return known.union(*rounds)

    def values(self, loop: CanonicalLoop, env: Env) -> list[Polynomial] | None:
        """The values of a loop's variable where they are a constant number of steps from its first; else None."""
        first, limit = polynomial_of(loop.first, self.definitions), polynomial_of(loop.limit, self.definitions)
        if first is None or limit is None:
            return None
        first, limit = first.substitute(env), limit.substitute(env)
        span = (limit - first).constant_value
        if span is None or not _is_exact(loop, first, limit):
            return None
        span, step = (span, loop.step) if loop.step > 0 else (-span, -loop.step)
        count = max(0, -(-(span + (loop.operator in ("<=", ">="))) // step))
        return [first + loop.step * number for number in range(count)] if count <= MAX_VISITS else None

    def expression(self, expr: object, known: Elements, env: Env, certain: bool = True) -> Elements:
        """The elements an expression writes; what it reads must be ``known``, as it may read before it writes."""
        if isinstance(expr, Assign):
            target = self.target(expr.target, known, env, expr.op != "=")
            return self.chosen(target | self.expression(expr.value, known, env), certain)
        if isinstance(expr, Unary) and expr.op in STEPPING:
            return self.chosen(self.target(expr.operand, known, env, True), certain)
        if isinstance(expr, Subscript) and self.is_element(expr):
            self.target(expr, known, env, True)
            return NO_ELEMENTS
        if not isinstance(expr, Expr):
            return NO_ELEMENTS
        lazy = isinstance(expr, Conditional) or (isinstance(expr, Binary) and expr.op in ("&&", "||"))
        found = NO_ELEMENTS
        accessed = self.accessed
        for position, child in enumerate(children(expr)):
            found |= self.expression(child, known, env, not (lazy and position))
            if not (lazy and position):
                accessed = self.accessed
        self.accessed = accessed  # what an operand names that may not be evaluated does not count
        return self.chosen(found, certain)

    def chosen(self, found: Elements, certain: bool) -> Elements:
        """What is written in an operand that may not be evaluated does not count."""
        return found if certain else NO_ELEMENTS

    def target(self, expr: Expr, known: Elements, env: Env, is_read: bool) -> Elements:
        """The element that an assignment writes, if it is one; ``is_read`` if its old value is used."""
        if not (isinstance(expr, Subscript) and self.is_element(expr)):
            return self.expression(expr, known, env)
        _, subscripts = subscripts_of(expr)
        for subscript in subscripts:
            self.expression(subscript, known, env)
        element = self.element(expr, subscripts, env)
        if is_read and (element is None or element not in known):
            self.reads_old = True
        if element is None:
            return NO_ELEMENTS
        if element not in self.accessed:
            self.accessed |= {element}
        return frozenset((element,))

    def is_element(self, expr: Subscript) -> bool:
        """Whether a reference is one of the array."""
        base, _ = subscripts_of(expr)
        return isinstance(base, Variable) and base.name == self.array

    def element(self, expr: Subscript, subscripts: tuple[Expr, ...], env: Env) -> Index | None:
        """The index of a reference in names that keep their values; None if there is none."""
        if id(expr) not in self.indices:
            self.indices[id(expr)] = self.index(subscripts)
        index = self.indices[id(expr)]
        if index is None:
            return None
        index = tuple(part.substitute(env) for part in index)
        return index if all(part.names <= self.names for part in index) else None


def effect(
    stmt: Stmt,
    array: str,
    index: Callable[[tuple[Expr, ...]], Index | None],
    names: frozenset[str],
    *,
    definitions: Definitions,
) -> Effect:
    """What a statement is certain to do to an array.

    ``index`` makes polynomials of a reference's subscripts, one a dimension; ``names`` keep their
    values all through the statement.
    """
    for node in walk(stmt):
        jumps_in = isinstance(node, (Switch, Case)) and array in used_variables(node)
        if jumps_in or isinstance(node, Label) or (isinstance(node, TileAccess) and node.tile.array == array):
            return Effect(NO_ELEMENTS, True)
        if isinstance(node, CacheRegion) and any(tile.array == array for tile in node.tiles):
            return Effect(NO_ELEMENTS, True)
    walked = _Walk(array, index, names, definitions)
    written = walked.statement(stmt, NO_ELEMENTS, {})
    if walked.visits > MAX_VISITS or any(leaving_jumps(stmt)):
        return Effect(NO_ELEMENTS, walked.reads_old)
    return Effect(written, walked.reads_old, walked.accessed)


def _is_exact(loop: CanonicalLoop, first: Polynomial, limit: Polynomial) -> bool:
    """Whether a variable takes the values its polynomials say: it does not wrap around or lose bits on the way.

    Nor does C compare numbers that may be below zero, or sums that wrapped, as unsigned ones.
    """
    plain, start, end = (resolve(ctype) for ctype in (loop.type, loop.first.type, loop.limit.type))
    if not isinstance(plain, Arithmetic) or not isinstance(start, Arithmetic) or not isinstance(end, Arithmetic):
        return False
    ends = (first.constant_value, limit.constant_value)
    if all(end is not None and 0 <= end <= SAFE for end in ends):
        return loop.is_increasing or not plain.unsigned
    if loop.may_not_start:
        return False
    if any(side.unsigned and side.size == LONG for side in (plain, start, end)):
        return False
    return start.size <= plain.size and plain.size in (INT, LONG) and not plain.unsigned
