"""Warns of memory that every iteration of a parallel loop writes and reads.

Before: ``t[1] = a[i]; b[i] = t[1];`` in a parallel loop, ``t`` an array of the program. Run one after the other the
iterations are right, as threads they write one place at once. Most likely a private or reduction clause is missing.
"""

from __future__ import annotations

from collections.abc import Iterator

from accache.analysis.loop_context import loop_ranges
from accache.base.diagnostics import Reporter
from accache.ir.as_polynomial import index_polynomial
from accache.ir.constants import constant
from accache.ir.kernels.simt import CacheRegion, ParallelFor
from accache.ir.names import user_name
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    STEPPING,
    Assign,
    Atomic,
    Block,
    Evaluate,
    Expr,
    For,
    Member,
    Stmt,
    Subscript,
    Unary,
    Variable,
    While,
)
from accache.ir.walk import assigned_variables, children, declared_variables, nodes_of, walk

Indices = tuple[Polynomial, Polynomial]
"""The first and the last of the indices that inner loops go through; of one index, that twice."""
Place = tuple[str, tuple[Indices | str, ...]]
"""A variable, and the indices and members that lead to a part of it."""


def warn_of_overwriting(kernel: Stmt, memory: frozenset[str], gangs: frozenset[str], reporter: Reporter) -> None:
    """Report what each iteration of a loop over threads or blocks overwrites for the others (ACC353).

    ``memory`` are the scalars and structures that all threads share, of ``gangs`` each gang has one.
    """
    combined = {item.variable for node in nodes_of(kernel, ParallelFor) for item in node.reductions}
    known: set[str] = set()
    for loop in walk(kernel):
        if not isinstance(loop, ParallelFor) or _runs_once(loop):
            continue
        places = _Places(loop, memory - combined, frozenset() if loop.block else gangs)
        for write in _sure(loop.body):
            place = places.of(_target(write))
            if place is not None and place[0] not in known | combined and places.is_read(place):
                known.add(place[0])
                reporter.report("ACC353", write.location, name=user_name(place[0]))


class _Places:
    """The places that are the same in all iterations of a loop."""

    def __init__(self, loop: ParallelFor, memory: frozenset[str], private: frozenset[str]) -> None:
        self.memory = memory
        self.own = declared_variables(loop.body) | private
        self.varying = self.own | assigned_variables(loop.body) | {loop.loop.variable}
        self.counters = self._counters(loop.body)
        self.read: set[Place] = set()
        self._collect(loop.body)

    def of(self, place: Expr | None) -> Place | None:
        """The place that an lvalue names; None if it differs between iterations, or each of them has its own."""
        path: list[Indices | str] = []
        behind = False
        while isinstance(place, (Subscript, Member)):
            if isinstance(place, Member):
                path.append(place.field)
                behind = behind or place.arrow
            else:
                indices = self._indices(place.index)
                if indices is None:
                    return None
                path.append(indices)
                behind = True
            place = place.base
        if not isinstance(place, Variable) or place.name in self.own:
            return None
        is_shared = place.name not in self.varying if behind else place.name in self.memory
        return (place.name, tuple(path)) if is_shared else None

    def is_read(self, place: Place) -> bool:
        """Whether iterations read a place, or one that has a part in common with it."""
        return any(_meet(place, other) for other in self.read)

    def _indices(self, expr: Expr) -> Indices | None:
        """The indices that one iteration goes through; None if they differ between iterations, or are not known."""
        index = index_polynomial(expr)
        if index is None or not index.names & self.varying <= self.counters.keys():
            return None
        low = high = index
        for name in sorted(index.names & self.varying):
            rate = index.coefficient(name)
            factor = rate.constant_value if rate is not None else None
            if not factor:
                return None
            ends = self.counters[name] if factor > 0 else self.counters[name][::-1]
            low, high = low.substitute({name: ends[0]}), high.substitute({name: ends[1]})
        return low, high

    def _counters(self, body: Stmt) -> dict[str, Indices]:
        """The counters of inner loops that run over the same numbers in all iterations."""
        found = {}
        for loop in walk(body):
            name, intervals = (loop_ranges(loop, {}) if isinstance(loop, (For, ParallelFor)) else None) or ("", ())
            for interval in intervals:
                low, high = interval.low, interval.high
                if low is not None and high is not None and not interval.names & self.varying:
                    found[name] = (low, high)
        return found

    def _collect(self, node: Stmt | Expr, is_read: bool = True) -> None:
        """Note the places that are read."""
        if isinstance(node, Atomic):
            return
        if isinstance(node, (Subscript, Member, Variable)):
            place = self.of(node)
            if place is not None and is_read:
                self.read.add(place)
        if isinstance(node, Assign):
            self._collect(node.target, node.op != "=")
            self._collect(node.value)
            return
        is_place = isinstance(node, (Subscript, Member)) or (isinstance(node, Unary) and node.op == "&")
        for child in children(node):
            is_index = isinstance(node, Subscript) and child is node.index
            self._collect(child, not is_place or is_index)


def _meet(one: Place, other: Place) -> bool:
    """Whether two places are known to have a part in common: where they begin alike, or have constant bounds."""
    if one[0] != other[0] or len(one[1]) != len(other[1]):
        return False
    return all(map(_share, one[1], other[1]))


def _share(one: Indices | str, other: Indices | str) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    ends = [(one[1] - other[0]).constant_value, (other[1] - one[0]).constant_value]
    return one[0] == other[0] or all(end is not None and end >= 0 for end in ends)


def _sure(stmt: Stmt) -> Iterator[Evaluate]:
    """The statements that each iteration runs, or may run: those under a condition are left out."""
    if isinstance(stmt, Evaluate):
        yield stmt
    if isinstance(stmt, (Block, For, While, ParallelFor, CacheRegion)):
        for child in children(stmt):
            if isinstance(child, Stmt):
                yield from _sure(child)


def _target(stmt: Evaluate) -> Expr | None:
    """What a statement changes."""
    expr = stmt.expr
    if isinstance(expr, Assign):
        return expr.target
    return expr.operand if isinstance(expr, Unary) and expr.op in STEPPING else None


def _runs_once(loop: ParallelFor) -> bool:
    first, limit = constant(loop.loop.first), constant(loop.loop.limit)
    return first is not None and limit is not None and abs(limit - first) <= 1
