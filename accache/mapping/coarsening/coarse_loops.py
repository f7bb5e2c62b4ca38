"""A parallel loop of whose iterations each thread has several: where they lie, and which of them there are."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.canonical import constant_trips, may_wrap
from accache.ir.as_polynomial import polynomial_of
from accache.ir.build import BOOL, WIDE, both, number, plus
from accache.ir.kernels.simt import Formula, ParallelFor
from accache.ir.names import FIRST, base_of, block, thread
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    Assign,
    Binary,
    Block,
    Cast,
    Declare,
    Expr,
    For,
    Stmt,
    Unary,
    Variable,
)
from accache.ir.types import unqualified


class CoarseLoop(Struct, frozen=True):
    """A parallel loop of whose iterations a thread has ``factor``.

    They are neighbours, or, if it ``is_strided``, lie a block's width apart: lanes of a warp then stay neighbours.
    """

    loop: ParallelFor
    factor: int
    is_strided: bool

    @property
    def base(self) -> str:
        """The variable that holds a thread's first iteration."""
        return base_of(self.loop.loop.variable)

    @property
    def distance(self) -> int:
        """How far a thread's iterations are apart, in values of the variable."""
        return self.loop.loop.step * (self.loop.threads if self.is_strided else 1)

    @property
    def parallel(self) -> ParallelFor:
        """The loop over the threads' first iterations."""
        if self.is_strided:
            return replace(self.loop, loop=replace(self.loop.loop, variable=self.base), per_thread=self.factor)
        canonical = replace(self.loop.loop, variable=self.base, step=self.loop.loop.step * self.factor)
        return replace(self.loop, loop=canonical)

    @property
    def first(self) -> Variable:
        """A thread's first iteration."""
        return Variable(self.loop.loop.type, self.loop.location, self.base)

    def later(self, copy: Expr) -> Expr:
        """The iteration of a copy of the body."""
        where, ctype = self.loop.location, unqualified(self.loop.loop.type)
        distance = abs(self.distance)
        shift = copy if distance == 1 else Binary(copy.type, where, "*", number(distance, where), copy, is_exact=True)
        return Binary(ctype, where, "+" if self.distance > 0 else "-", self.first, shift, is_exact=True)

    def place(self, copy: str) -> Polynomial:
        """The place of a copy of the body among the iterations of the block."""
        own, number = thread(self.loop.block), Polynomial.symbol(copy)
        return own + number * self.loop.threads if self.is_strided else own * self.factor + number

    @property
    def is_exact(self) -> bool:
        """Whether every thread that has an iteration is known to have them all."""
        trips = constant_trips(self.loop.loop)
        return trips > 0 and trips % (self.factor * (self.loop.threads if self.is_strided else 1)) == 0

    @property
    def is_full(self) -> Expr:
        """The condition that a thread has all its iterations."""
        canonical, where = self.loop.loop, self.loop.location
        last = self.distance * (self.factor - 1)
        ctype = WIDE if may_wrap(self.parallel) else unqualified(canonical.type)
        first = Cast(WIDE, where, self.first) if ctype == WIDE else self.first
        reached = Binary(ctype, where, "+" if last > 0 else "-", first, number(abs(last), where))
        return Binary(BOOL, where, canonical.operator, reached, canonical.limit)

    @property
    def fills_blocks(self) -> bool:
        """Whether all threads of every block are known to have all their iterations."""
        trips = constant_trips(self.loop.loop)
        return trips > 0 and trips % (self.factor * self.loop.threads) == 0

    def block_is_full(self, named: frozenset[str]) -> Expr:
        """The condition that the last thread of a block has all its iterations, and so all threads do.

        The block's first iteration has a name if it is among those ``named``.
        """
        canonical, where = self.loop.loop, self.loop.location
        each = self.loop.threads * self.factor
        symbol = FIRST.format(self.base if self.factor > 1 else canonical.variable)
        ctype = WIDE if may_wrap(self.parallel) else unqualified(canonical.type)
        if symbol in named:
            start, behind = Polynomial.symbol(symbol), each - 1
            first: Expr = Formula(canonical.type, where, start)
            last = plus(
                Cast(WIDE, where, first) if ctype == WIDE else first,
                Polynomial.constant(behind) * canonical.step,
                ctype,
            )
            return Binary(BOOL, where, canonical.operator, last, canonical.limit)
        numbers = (block(self.loop.grid) * each if self.loop.grid else Polynomial.constant(0)) + (each - 1)
        first = Cast(WIDE, where, canonical.first) if ctype == WIDE else canonical.first
        last = Cast(ctype, where, plus(first, numbers * canonical.step, ctype))  # a block's number is unsigned
        return Binary(BOOL, where, canonical.operator, last, canonical.limit)

    @property
    def need(self) -> Polynomial | None:
        """What is not negative where a thread has all its iterations; None if that is no polynomial."""
        canonical = self.loop.loop
        limit = polynomial_of(canonical.limit)
        if limit is None:
            return None
        reached = Polynomial.symbol(self.base) + self.distance * (self.factor - 1)
        left = limit - reached if self.distance > 0 else reached - limit
        return left - (canonical.operator in ("<", ">"))

    def one_by_one(self, body: Stmt, variable: str) -> Stmt:
        """The loop over those of a thread's iterations that there are.

        Where a step past the last of them may leave the variable's type, a wider one is counted in its place.
        """
        canonical, where = self.loop.loop, self.loop.location
        plain = unqualified(canonical.type)
        index = Variable(plain, where, variable)
        first: Expr = self.first
        if may_wrap(self.parallel):
            counter = Variable(WIDE, where, f"{variable}#wide")
            body = Block(where, (Declare(where, variable, plain, Cast(plain, where, counter)), body))
            index, first = counter, Cast(WIDE, where, self.first)
        beyond = number(abs(self.distance) * self.factor, where)
        sign, operator = ("+", "<") if self.distance > 0 else ("-", ">")
        own = Binary(BOOL, where, operator, index, Binary(index.type, where, sign, first, beyond))
        exists = Binary(BOOL, where, canonical.operator, index, canonical.limit)
        if abs(self.distance) == 1:
            step: Expr = Unary(index.type, where, "++" if self.distance > 0 else "--", index)
        else:
            step = Assign(index.type, where, f"{sign}=", index, number(abs(self.distance), where))
        return For(where, (Declare(where, index.name, index.type, first),), both([own, exists]), step, body)
