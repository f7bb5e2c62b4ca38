"""Loop indices from block and thread positions: declarations, range conditions, strides, sharing widths."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.canonical import constant_trips, counts_up_unsigned, may_wrap, remaining, trip_count
from accache.base.choices import WidthChoice
from accache.base.text import Location
from accache.ir.build import BOOL, INT, WIDE, both, formula, number, plus
from accache.ir.constants import constant
from accache.ir.kernels.simt import CountThreads, Formula, ParallelFor
from accache.ir.names import FIRST, WIDTH, block, extent, free_name, grid, thread, user_name, without_base
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    Assign,
    Binary,
    Block,
    Call,
    Cast,
    Declare,
    Expr,
    For,
    If,
    Stmt,
    Unary,
    Variable,
)
from accache.ir.types import CType, Enum, as_const, exceeds_int, integer_of, integer_promotion, resolve, unqualified
from accache.ir.walk import items_of
from accache.lowering.barriers import Step


class IndexNames(Struct, dict=True):
    """Printed names of generated values; none of them is a name the program uses."""

    taken: set[str]
    printed: dict[str, str] = field(default_factory=dict)

    def fresh(self, name: str) -> str:
        """A name not taken, ``name`` itself if it is free."""
        name = free_name(name, self.taken.__contains__)
        self.taken.add(name)
        return name

    def of(self, symbol: str) -> str:
        """The printed name of a symbol such as ``i@first``."""
        if symbol not in self.printed:
            variable, _, role = symbol.partition("@")
            self.printed[symbol] = self.fresh(f"{user_name(without_base(variable))}_{role}")
        return self.printed[symbol]


def threads_of(loop: ParallelFor) -> Polynomial:
    """How many threads of a block a loop is spread over."""
    return extent(loop.block) if loop.at_run_time else Polynomial.constant(loop.threads)


def blocks_of(loop: ParallelFor) -> Polynomial:
    """By how many blocks a loop over blocks strides; that their number is a constant lets nvcc unroll the loop."""
    is_constant = loop.most and loop.grid == "x" and not loop.packs
    return Polynomial.constant(loop.most) if is_constant else grid(loop.grid)


def block_offset(loop: ParallelFor) -> Polynomial:
    """How far a block's first iteration is from the loop's first, in values of the variable."""
    has_one_block = loop.covered and 0 < constant_trips(loop.loop) <= loop.threads * loop.per_thread
    if not loop.grid or has_one_block:
        return Polynomial.constant(0)
    return block(loop.grid) * threads_of(loop) * loop.per_thread * loop.loop.step


def thread_offset(loop: ParallelFor) -> Polynomial:
    """How far a thread's iteration is from its block's first, in values of the variable."""
    is_alone = not loop.block or (loop.threads == 1 and not loop.at_run_time)
    return Polynomial.constant(0) if is_alone else thread(loop.block) * loop.loop.step


def block_first(loop: ParallelFor, names: IndexNames, needed: bool) -> list[Stmt]:
    """``const int i_first = first + block * threads * step;`` if a tile needs it."""
    if not needed:
        return []
    name = names.of(FIRST.format(loop.loop.variable))
    value = plus(loop.loop.first, block_offset(loop), loop.loop.type)
    return [_constant_index(loop.location, name, loop.loop.type, value)]


def own_index(loop: ParallelFor, names: IndexNames, from_first: bool) -> Stmt:
    """``const int i = ...;``: the iteration of this thread."""
    if from_first:
        name = names.of(FIRST.format(loop.loop.variable))
        value = plus(Variable(loop.loop.type, loop.location, name), thread_offset(loop), loop.loop.type)
    else:
        value = plus(loop.loop.first, block_offset(loop) + thread_offset(loop), loop.loop.type)
    return _constant_index(loop.location, loop.loop.variable, loop.loop.type, value)


def in_range(loop: ParallelFor, from_first: bool) -> Expr:
    """Whether the thread's iteration exists; ``from_first`` if the block's first iteration has a name."""
    canonical, where = loop.loop, loop.location
    if may_wrap(loop):
        if _distances_fit(loop, from_first):
            return _in_distance(loop, self_first(loop) if from_first else canonical.first)
        offset = thread_offset(loop) if from_first else block_offset(loop) + thread_offset(loop)
        ahead = formula(_positions(offset, canonical.step), where, WIDE if exceeds_int(canonical.type) else INT)
        return Binary(
            BOOL, where, "<", ahead, trip_count(canonical, self_first(loop) if from_first else canonical.first)
        )
    operator = canonical.operator if canonical.operator != "!=" else ("<" if canonical.step > 0 else ">")
    return Binary(BOOL, where, operator, Variable(canonical.type, where, canonical.variable), canonical.limit)


def _distances_fit(loop: ParallelFor, from_first: bool) -> bool:
    """Whether an unsigned type holds how far all threads' iterations are from the first one, or from their block's.

    That launch has an iteration, and a block for every so many.
    """
    canonical = loop.loop
    reach = loop.threads * loop.per_thread * canonical.step
    is_launched = bool(loop.grid) and loop.covered and not loop.at_run_time
    own, limit = integer_of(canonical.type), integer_of(canonical.limit.type)
    fits = own.size > INT.size or (1 << 8 * own.size) % reach == 0 or from_first
    return is_launched and fits and limit.size <= own.size and counts_up_unsigned(canonical)


def _in_distance(loop: ParallelFor, first: Expr) -> Expr:
    """Whether the thread's iteration is no further from a first one, which exists, than the last one is."""
    canonical, where = loop.loop, loop.location
    ctype = unqualified(canonical.type)
    own: Expr = Variable(canonical.type, where, canonical.variable)
    if constant(first) == 0:
        return Binary(BOOL, where, canonical.operator, own, canonical.limit)
    distances = [_less(end, first, ctype) for end in (own, canonical.limit)]
    return Binary(BOOL, where, canonical.operator, distances[0], distances[1])


def _less(end: Expr, first: Expr, ctype: CType) -> Expr:
    """``end - first`` as a person would write it: ``n - 2`` for ``n - 1 - 1``."""
    value = constant(first)
    if value is not None and isinstance(end, Binary) and end.op == "-" and (taken := constant(end.right)) is not None:
        return replace(end, right=number(taken + value, end.location))
    return Binary(ctype, end.location, "-", end, first)


def self_first(loop: ParallelFor) -> Expr:
    """The block's first iteration, by its symbol."""
    return Formula(loop.loop.type, loop.location, Polynomial.symbol(FIRST.format(loop.loop.variable)))


def _positions(offset: Polynomial, step: int) -> Polynomial:
    """A distance in values of the variable as a number of iterations."""
    positions = offset.divided_by(step)
    assert positions is not None
    return positions


def stride_loop(loop: ParallelFor, names: IndexNames, body: Stmt, chunks: bool) -> Stmt:
    """The loop over a block's chunks (``chunks``), or over one thread's own iterations."""
    canonical, where = loop.loop, loop.location
    offset = block_offset(loop) if chunks else block_offset(loop) + thread_offset(loop)
    stride = threads_of(loop) * canonical.step
    if loop.grid:
        stride = stride * blocks_of(loop)
    name = names.of(FIRST.format(canonical.variable)) if chunks else canonical.variable
    if may_wrap(loop):
        return _counted_loop(
            loop,
            names,
            body,
            name,
            offset=_positions(offset, canonical.step),
            stride=_positions(stride, canonical.step),
        )
    declare = Declare(where, name, canonical.type, plus(canonical.first, offset, canonical.type))
    variable = Variable(canonical.type, where, name)
    condition = in_range(loop, False)
    assert isinstance(condition, Binary)
    return For(where, (declare,), replace(condition, left=variable), _advance(variable, stride), body)


def own_iterations(loop: ParallelFor, names: IndexNames, body: Stmt, is_continued: bool) -> Stmt:
    """What a thread does of a loop that its block, or the whole grid, strides over.

    Where all threads of a block have equally many iterations, a constant, they are counted, so that nvcc, which knows
    no block sizes, can unroll the loop: ``for (int y_round = 0; y_round < 4; ++y_round)``. Where threads have one at
    most, there is no loop, unless the body ``is_continued``.
    """
    trips = 0 if loop.grid or loop.at_run_time or loop.per_thread != 1 else constant_trips(loop.loop)
    rounds, rest = divmod(trips, loop.threads)
    where, canonical = loop.location, loop.loop
    if rounds + bool(rest) == 1 and not is_continued:
        own = own_iteration(loop, names, body, is_exact=True)
        has_one = Binary(BOOL, where, "<", formula(thread(loop.block), where), number(trips, where))
        return If(where, has_one, own) if rest else own
    if not rounds or rest:
        strided = stride_loop(loop, names, body, chunks=False)
        # nvcc joins no accesses of several rounds that it has unrolled together
        return replace(strided, unrolled=1) if loop.groups and isinstance(strided, For) else strided
    counter = Variable(INT, where, names.of(f"{canonical.variable}@round"))
    offset = thread_offset(loop) + Polynomial.symbol(counter.name) * (loop.threads * canonical.step)
    value = plus(canonical.first, offset, canonical.type)
    return For(
        where,
        (Declare(where, counter.name, INT, number(0, where)),),
        Binary(BOOL, where, "<", counter, number(rounds, where)),
        Unary(INT, where, "++", counter),
        Block(where, (_constant_index(where, canonical.variable, canonical.type, value), *items_of(body))),
    )


def own_iteration(loop: ParallelFor, names: IndexNames, body: Stmt, is_exact: bool) -> Stmt:
    """The one iteration that a thread has: its index, and the body, if it may have none under a condition."""
    index = own_index(loop, names, from_first=False)
    if not is_exact:
        body = If(loop.location, in_range(loop, False), body)
    return Block(loop.location, (index, *items_of(body)))


def _counted_loop(
    loop: ParallelFor, names: IndexNames, body: Stmt, name: str, *, offset: Polynomial, stride: Polynomial
) -> Stmt:
    """A stride loop that counts iterations, for variables that could wrap around past the loop's end."""
    canonical, where = loop.loop, loop.location
    counter = Variable(WIDE, where, names.of(f"{canonical.variable}@number"))
    declare = Declare(where, counter.name, WIDE, formula(offset, where, WIDE))
    condition = Binary(BOOL, where, "<", counter, trip_count(canonical, canonical.first))
    shift = Polynomial.symbol(counter.name) * canonical.step
    index = _constant_index(where, name, canonical.type, plus(canonical.first, shift, canonical.type))
    return For(where, (declare,), condition, _advance(counter, stride), Block(where, (index, *items_of(body))))


def _advance(variable: Variable, stride: Polynomial) -> Expr:
    where, ctype = variable.location, variable.type
    value = stride.constant_value
    if value in (1, -1):
        return Unary(ctype, where, "++" if value == 1 else "--", variable)
    negative = all(coefficient < 0 for _, coefficient in stride.terms)
    amount = formula(-stride if negative else stride, where, ctype) if value is None else number(abs(value), where)
    return Assign(ctype, where, "-=" if negative else "+=", variable, amount)


def width_declaration(
    loop: ParallelFor, names: IndexNames, how: WidthChoice, guards: Sequence[Expr], *, axes: frozenset[str]
) -> list[Step]:
    """The sharing width of a loop: how many of the block's threads along its axis have an iteration."""
    symbol = WIDTH.format(loop.loop.variable)
    where = loop.location
    name = names.of(symbol)
    ctype = replace(INT, const=True)
    if how == "fixed":
        return [Step(where, stmt=Declare(where, name, ctype, number(loop.threads, where)))]
    if how == "sync":
        at_zero = [
            Binary(BOOL, where, "==", formula(thread(axis), where), number(0, where))
            for axis in sorted(axes - {loop.block})
        ]
        count = CountThreads(INT, where, both([*guards, *at_zero]) if guards or at_zero else number(1, where))
        return [Step(where, stmt=Declare(where, name, ctype, count), synchronises="block")]
    first = Variable(loop.loop.type, where, names.of(FIRST.format(loop.loop.variable)))
    own, limit = (integer_promotion(unqualified(resolve(ctype))) for ctype in (loop.loop.type, loop.loop.limit.type))
    is_common = limit in (own, INT) or limit.size < own.size
    left = remaining(loop.loop, first) if is_common else trip_count(loop.loop, first)
    plain = own if isinstance(resolve(loop.loop.type), Enum) else loop.loop.type
    common = plain if is_common else WIDE
    threads = number(loop.threads, where)
    threads = threads if is_common and own == INT else Cast(common, where, threads)
    width = Call(common, where, "min", (threads, left))
    return [Step(where, stmt=Declare(where, name, ctype, width))]


def _constant_index(where: Location, name: str, ctype: CType, value: Expr) -> Declare:
    """The declaration of an index; C++ makes no enumerations of numbers by itself."""
    value = Cast(ctype, where, value) if isinstance(resolve(ctype), Enum) else value
    return Declare(where, name, as_const(ctype), value)
