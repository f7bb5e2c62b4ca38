"""Reductions of arrays: every thread adds to a copy of its own, and the copies are combined element by element.

Before: a loop over threads with ``reduction(+: a)``. After: ``{ own = {}; loop over own; a[k] += own[k]; }``. A
reduction over gangs has one copy for the whole kernel, whose elements the launch combines.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec import Struct, field
from msgspec.structs import replace

from accache.base.text import Location
from accache.ir.arrays import extents
from accache.ir.as_polynomial import index_polynomial
from accache.ir.openacc.regions import Reduction
from accache.ir.polynomial import ZERO
from accache.ir.tree import Binary, Block, Expr, Stmt, Subscript, Variable
from accache.ir.types import Arithmetic
from accache.mapping.data.elements import combined, declared_copy, each_element
from accache.mapping.data.renaming import Successor, renamed

MOST_PACKED = 64
"""Iterations of a thread that are enough for what it does behind them to count for little."""


class ArrayReductions(Struct, dict=True):
    """The copies of one kernel: ``results`` are those over gangs by the array they are of."""

    results: dict[str, Reduction] = field(default_factory=dict)
    copies: dict[str, Reduction] = field(default_factory=dict)

    def over_gangs(self, reductions: Sequence[Reduction], body: Stmt) -> tuple[tuple[Reduction, ...], Stmt]:
        """The reductions and their statement with copies that live as long as the kernel."""
        found = []
        for reduction in reductions:
            if not self.is_new(reduction):
                found.append(self.settled(reduction))
                continue
            if reduction.variable not in self.results:
                self.results[reduction.variable] = self._copy(reduction, origin=reduction.variable, fresh=False)
            copy = self.results[reduction.variable]
            body = _with_copy(body, reduction.variable, copy)
            found.append(copy)
        return tuple(found), body

    def over_threads(
        self, reductions: Sequence[Reduction], body: Stmt
    ) -> tuple[tuple[Reduction, ...], Stmt, tuple[Stmt, ...], tuple[Stmt, ...]]:
        """The same for copies that live as long as the loop: what declares them, what adds them to their arrays."""
        found = []
        before: tuple[Stmt, ...] = ()
        after: tuple[Stmt, ...] = ()
        for reduction in reductions:
            if not self.is_new(reduction):
                found.append(self.settled(reduction))
                continue
            copy = self._copy(reduction, origin="", fresh=True)
            body = _with_copy(body, reduction.variable, copy)
            found.append(copy)
            before = (*before, *declared_copy(copy, body.location))
            after = (*after, _added(reduction, copy, body.location))
        return tuple(found), body, before, after

    def prologue(self, where: Location) -> tuple[Stmt, ...]:
        """The declarations of the copies that live as long as the kernel."""
        return tuple(stmt for copy in self.results.values() for stmt in declared_copy(copy, where))

    def is_new(self, reduction: Reduction) -> bool:
        """Whether a reduction is of an array that has no copy yet."""
        return reduction.is_array and reduction.variable not in self.copies

    def settled(self, reduction: Reduction) -> Reduction:
        """A reduction of a scalar, or that of a copy which an inner loop names too."""
        return self.copies.get(reduction.variable, reduction)

    def combines_otherwise(self, reduction: Reduction, over_gangs: Reduction | None) -> bool:
        """Whether something around a loop, or an earlier reduction ``over_gangs``, combines its variable otherwise."""
        known = self.copies.get(reduction.variable)
        if known is not None or over_gangs is None:
            return known is not None and known.operator != reduction.operator
        return not _is_alike(over_gangs, reduction)

    def _copy(self, reduction: Reduction, origin: str, fresh: bool) -> Reduction:
        name = f"{reduction.variable}#partial{len(self.copies) + 1}"
        copy = replace(reduction, variable=name, origin=origin, fresh=fresh)
        self.copies[name] = copy
        return copy


def _is_alike(first: Reduction, second: Reduction) -> bool:
    """Whether two reductions of a variable combine the same elements by the same operator."""
    lowers = [index_polynomial(item.lower) if item.lower is not None else ZERO for item in (first, second)]
    is_one_part = not first.is_array or (lowers[0] is not None and lowers[0] == lowers[1])
    return is_one_part and first.operator == second.operator and extents(first.type) == extents(second.type)


def _with_copy(body: Stmt, variable: str, copy: Reduction) -> Stmt:
    return renamed(body, {variable: Successor(copy.variable, copy.type, copy.lower)})


def _added(reduction: Reduction, copy: Reduction, where: Location) -> Stmt:
    """The statement that combines every element of a copy with the array it is of."""
    assert reduction.subarray is not None
    array = reduction.subarray.base

    def combine(element: Expr) -> Stmt:
        return combined(reduction.operator, _counterpart(element, copy.variable, array, reduction.lower), element)

    return Block(where, (each_element(Variable(copy.type, where, copy.variable), combine),))


def _counterpart(element: Expr, copy: str, array: Expr, lower: Expr | None) -> Expr:
    """The element of an array that belongs to an element of a copy."""
    assert isinstance(element, Subscript)
    if isinstance(element.base, Variable) and element.base.name == copy:
        index = element.index
        if lower is not None:
            index = Binary(Arithmetic("long"), index.location, "+", lower, index)
        return replace(element, base=array, index=index)
    return replace(element, base=_counterpart(element.base, copy, array, lower))


def packed(reductions: Sequence[Reduction]) -> int:
    """How many iterations a thread gets before there is another: as many as it has elements to combine behind them."""
    elements = sum(prod(extents(item.type) or ()) for item in reductions if item.is_array)
    return max(1, min(elements, MOST_PACKED))
