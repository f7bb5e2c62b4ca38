"""What is known at a place inside nested loops: the ranges of the loop variables around it.

A loop limit that is a minimum, or one of several conditions joined by ``&&``, gives several
upper bounds. Each holds, so each makes its own Facts; a proof may use any of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Literal, TypeAlias

from msgspec import Struct, field

from accache.analysis.canonical import canonical_loop, with_condition
from accache.analysis.ranges import Facts, Interval, is_nonnegative, loop_interval
from accache.analysis.uniformity import leaving_jumps
from accache.base.properties import cached_property
from accache.ir.as_polynomial import index_polynomial
from accache.ir.build import conjuncts
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop, ParallelFor
from accache.ir.kernels.tiles import TileAccess
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    STEPPING,
    Assign,
    Binary,
    Case,
    Cast,
    Conditional,
    Expr,
    For,
    If,
    Member,
    Stmt,
    Subscript,
    Switch,
    Unary,
    Variable,
    While,
)
from accache.ir.types import Array, CType, holds, integer_of, is_integer, resolve, widens
from accache.ir.walk import assigned_variables, children, used_variables

MAX_ALTERNATIVES = 16
INT_SIZE = 4
Definitions = Mapping[str, Expr]


class LoopContext(Struct, frozen=True, dict=True):
    """The loops around a place, outermost first, each with the intervals proved for its variable."""

    ranges: tuple[tuple[str, tuple[Interval, ...]], ...] = ()

    def inside(self, loop: Stmt, definitions: Definitions) -> LoopContext:
        """The context inside one more loop."""
        found = loop_ranges(loop, definitions, self)
        return LoopContext((*self.ranges, found)) if found else self

    @cached_property
    def facts(self) -> tuple[Facts, ...]:
        """Every combination of the known intervals."""
        names = [name for name, _ in self.ranges]
        choices = product(*(intervals for _, intervals in self.ranges))
        return tuple(
            Facts(tuple(zip(names, choice, strict=True)), _not_empty(choice))
            for choice in islice(choices, MAX_ALTERNATIVES)
        )

    def proves_nonnegative(self, polynomial: Polynomial) -> bool:
        """Whether the polynomial is proved to be >= 0 wherever this place is reached."""
        return any(is_nonnegative(polynomial, facts) for facts in self.facts)


EVERYWHERE = LoopContext()


def _not_empty(intervals: tuple[Interval, ...]) -> tuple[Polynomial, ...]:
    """What follows from being inside the loops: no interval is empty."""
    return tuple(interval.high - interval.low for interval in intervals if interval.low and interval.high)


def loop_ranges(
    loop: Stmt, definitions: Definitions, context: LoopContext = EVERYWHERE
) -> tuple[str, tuple[Interval, ...]] | None:
    """The variable of a counted loop at a place and the intervals proved for it; None for other statements."""
    if isinstance(loop, ParallelFor):
        return loop.loop.variable, _intervals(loop.loop, definitions, context, True)
    if not isinstance(loop, For):
        return None
    if loop.condition is not None and assigned_variables(loop.condition):
        return None
    found: list[Interval] = []
    name = ""
    conditions = list(conjuncts(loop.condition))
    by_limit = len(conditions) == 1 and all(jump.keyword == "continue" for jump in leaving_jumps(loop.body))
    for condition in conditions:
        part = canonical_loop(with_condition(loop, condition))
        if isinstance(part, CanonicalLoop):
            name = part.variable
            starts_elsewhere = used_variables(part.first) & assigned_variables(loop.body)
            found += [Interval()] if starts_elsewhere else _intervals(part, definitions, context, by_limit)
    return (name, tuple(dict.fromkeys(found))) if found else None


def _intervals(
    loop: CanonicalLoop, definitions: Definitions, context: LoopContext, by_limit: bool
) -> tuple[Interval, ...]:
    """The intervals of a loop's variable; ``by_limit`` if the loop ends nowhere but at its limit.

    A loop of 32 bits or more that ended nowhere else would hardly come to the end of its type: that is not considered.
    """
    first = index_polynomial(_start(loop), definitions)
    if first is None:
        return (Interval(),)
    known = []
    for number, expr in enumerate(_alternatives(loop, loop.limit, definitions)):
        limit = index_polynomial(expr, definitions)
        alone = by_limit and not number  # one side of a minimum is not all that ends the loop
        if limit is not None and ((alone and _is_int(loop)) or _ends_there(loop, first, limit, context)):
            known.append(loop_interval(first, loop.operator, limit, loop.step))
    if not known and (loop.operator == "!=" or _counts_on(loop) or _may_pass(loop)):
        return (Interval(),)
    one_sided = Interval(first, None) if loop.step > 0 else Interval(None, first)
    return tuple(known) or (one_sided,)


def _is_int(loop: CanonicalLoop) -> bool:
    """Whether a loop's variable has 32 bits or more."""
    return integer_of(loop.type).size >= INT_SIZE


def _ends_there(loop: CanonicalLoop, first: Polynomial, limit: Polynomial, context: LoopContext) -> bool:
    """Whether a limit, read as a polynomial, is what the variable does not pass.

    Unsigned numbers below zero are large: the end of the two that lies higher must be a number as it is read, or
    both wrap alike. So must it for ``!=``, where the variable may pass the limit, too.
    """
    lowest, highest = (first, limit) if loop.step > 0 else (limit, first)
    if _may_pass(loop):
        return False
    if context.proves_nonnegative(highest - lowest):
        return not _counts_on(loop) or context.proves_nonnegative(limit - 1)
    if loop.operator == "!=" or _counts_on(loop):
        return False
    return not _compares_unsigned(loop.type, loop.limit.type) or context.proves_nonnegative(highest)


def _may_pass(loop: CanonicalLoop) -> bool:
    """Whether a step may lead past the limit and the end of the type, and so back to before the limit."""
    variable, limit = integer_of(loop.type), constant(loop.limit)
    wraps = variable.size < INT_SIZE or (variable.unsigned and loop.step < 0)
    return abs(loop.step) > 1 and wraps and not (limit is not None and holds(variable, limit + loop.step))


def _counts_on(loop: CanonicalLoop) -> bool:
    """Whether a loop that counts down to a limit may go on from the largest number: ``i >= 0`` is always true."""
    return loop.operator == ">=" and integer_of(loop.type).unsigned


def _compares_unsigned(*sides: CType) -> bool:
    """Whether C compares numbers of two integer types as unsigned ones."""
    kinds = [integer_of(side) for side in sides]
    size = max(INT_SIZE, *(kind.size for kind in kinds))
    return any(kind.unsigned and kind.size == size for kind in kinds)


def _start(loop: CanonicalLoop) -> Expr:
    """The first value; of a negative one that an unsigned variable gets, counting up begins beyond any limit."""
    start, target = loop.first, integer_of(loop.type)
    if isinstance(start, Cast) and is_integer(start.operand.type) and target.unsigned and loop.step > 0:
        return start.operand if target.size >= integer_of(start.operand.type).size else start
    return start


def _alternatives(loop: CanonicalLoop, limit: Expr, definitions: Definitions) -> Iterator[Expr]:
    """The expressions that each bound the loop: both sides of a minimum (of a maximum if it counts down)."""
    yield limit
    if isinstance(limit, Variable) and limit.name in definitions:
        yield from _alternatives(loop, definitions[limit.name], definitions)
    choice = limit
    if isinstance(choice, Conditional) and isinstance(choice.condition, Binary):
        condition = choice.condition
        sides = (condition.left, condition.right)
        picks_less = condition.op in ("<", "<=")
        if condition.op not in ("<", "<=", ">", ">="):
            return
        forward = _same(choice.then, sides[0]) and _same(choice.otherwise, sides[1])
        backward = _same(choice.then, sides[1]) and _same(choice.otherwise, sides[0])
        is_minimum = (forward and picks_less) or (backward and not picks_less)
        is_maximum = (forward and not picks_less) or (backward and picks_less)
        if (is_minimum and loop.step > 0) or (is_maximum and loop.step < 0):
            yield from (side for side in sides if _keeps_value(side, choice.type))


def _keeps_value(expr: Expr, to: CType) -> bool:
    """Whether an expression has its own value in the type that a choice between it and others has."""
    return widens(integer_of(expr.type), integer_of(to)) or holds(integer_of(to), constant(expr))


def _same(left: Expr, right: Expr) -> bool:
    """Whether two expressions are the same polynomial."""
    a, b = index_polynomial(left), index_polynomial(right)
    return a is not None and a == b


Guard: TypeAlias = Literal["", "loop", "if"]
"""What decides whether a reference happens: nothing, a loop's trip count, a condition."""


class ArrayUse(Struct, frozen=True):
    """One full reference of an array: its subscripts outermost first, and the place it stands at."""

    expr: Subscript
    subscripts: tuple[Expr, ...]
    context: LoopContext
    is_read: bool
    is_written: bool
    guard: Guard


def subscripts_of(expr: Expr) -> tuple[Expr, tuple[Expr, ...]]:
    """The base of nested subscripts and the subscripts, outermost dimension first."""
    found: list[Expr] = []
    while isinstance(expr, Subscript):
        found.append(expr.index)
        expr = expr.base
    return expr, tuple(reversed(found))


class UseCollector(Struct, dict=True):
    """Collects the references of one array in a statement.

    ``rank`` is the number of subscripts a full reference has. ``other`` is the first use of the
    array that is no full reference (its address, a row of it, a call's argument).
    """

    array: str
    rank: int
    definitions: Definitions
    uses: list[ArrayUse] = field(default_factory=list)
    other: Expr | None = None

    def statement(self, stmt: Stmt, context: LoopContext, guard: Guard = "") -> None:
        """Collect from a statement and everything in it."""
        inner = context.inside(stmt, self.definitions)
        for child in children(stmt):
            if isinstance(child, Stmt):
                is_body = child is getattr(stmt, "body", None)
                self.statement(child, inner if is_body else context, _guard_inside(stmt, guard, is_body))
            else:
                self.expression(child, context, _guard_of(stmt, child, guard))

    def expression(
        self, expr: Expr, context: LoopContext, guard: Guard, read: bool = True, *, write: bool = False
    ) -> None:
        """Collect from an expression that is read, written or both."""
        if isinstance(expr, Subscript):
            self._reference(expr, context, guard, read, write=write)
        elif isinstance(expr, Variable):
            if expr.name == self.array and self.other is None:
                self.other = expr
        elif isinstance(expr, Assign):
            self.expression(expr.target, context, guard, expr.op != "=", write=True)
            self.expression(expr.value, context, guard)
        elif isinstance(expr, Unary) and expr.op in STEPPING:
            self.expression(expr.operand, context, guard, True, write=True)
        elif isinstance(expr, Unary) and expr.op == "&":
            self._address(expr)
        elif isinstance(expr, Member):
            if isinstance(resolve(expr.type), Array):
                self._address(expr)
            self._member(expr, context, guard, write)
        elif isinstance(expr, TileAccess) and expr.tile.array == self.array:  # another tile serves it
            for index in expr.positions:
                self.expression(index, context, guard)
        else:
            lazy = isinstance(expr, Conditional) or (isinstance(expr, Binary) and expr.op in ("&&", "||"))
            for position, child in enumerate(children(expr)):
                if isinstance(child, Expr):
                    self.expression(child, context, "if" if lazy and position else guard)

    def _reference(self, expr: Subscript, context: LoopContext, guard: Guard, read: bool, *, write: bool) -> None:
        base, subscripts = subscripts_of(expr)
        for subscript in subscripts:
            self.expression(subscript, context, guard)
        if isinstance(base, Member) and isinstance(resolve(base.type), Array):
            if isinstance(resolve(expr.type), Array):
                self._address(base)
            self._member(base, context, guard, write)
        elif not isinstance(base, Variable) or base.name != self.array:
            self.expression(base, context, guard)
        elif len(subscripts) == self.rank:
            self.uses.append(ArrayUse(expr, subscripts, context, read, write, guard))
        elif self.other is None:
            self.other = expr

    def _member(self, expr: Member, context: LoopContext, guard: Guard, write: bool) -> None:
        """A member: what writes it writes the structure, unless that is reached through a pointer."""
        inside = not expr.arrow or isinstance(resolve(expr.base.type), Array)
        self.expression(expr.base, context, guard, True, write=write and inside)

    def _address(self, expr: Expr) -> None:
        """An expression that gives an address away."""
        if self.array in used_variables(expr) and self.other is None:
            self.other = expr


def _guard_of(stmt: Stmt, child: object, guard: Guard) -> Guard:
    """The guard of an expression in a statement: the step and the condition at the end of a loop need a round."""
    needs_round = child is stmt.step if isinstance(stmt, For) else isinstance(stmt, While) and stmt.at_end
    return guard or "loop" if needs_round else guard


def _guard_inside(stmt: Stmt, guard: Guard, is_body: bool) -> Guard:
    if isinstance(stmt, (If, Switch, Case)):
        return "if"
    if isinstance(stmt, (For, While, ParallelFor)) and is_body:
        return guard or "loop"
    return guard
