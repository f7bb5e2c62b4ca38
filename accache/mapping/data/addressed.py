"""Scalars whose address is taken: what an address leads to must be one memory for all threads that share the variable.

Between parallel loops each thread has a copy of its gang's, or its worker's, scalars, and one thread stores. Through an
address it would store to its own copy alone; so would lanes that each store to another element of a structure's array.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.calls import collective_calls, points
from accache.base.diagnostics import Reporter
from accache.ir.kernels.simt import ParallelFor
from accache.ir.names import user_name
from accache.ir.openacc.regions import Region
from accache.ir.tree import (
    STEPPING,
    Assign,
    Call,
    Declare,
    Expr,
    For,
    Member,
    SizeOf,
    Stmt,
    Subscript,
    Unary,
    Variable,
    While,
)
from accache.ir.types import CType, element_type, is_array
from accache.ir.walk import children, walk
from accache.mapping.data.roles import is_over_gangs

Axes = frozenset[str]


def addressed_scalars(
    body: Stmt, region: Region, block: tuple[int, int, int], gangs: frozenset[str], *, reporter: Reporter
) -> frozenset[str]:
    """The scalars and structures whose address is taken and that several threads share.

    Besides what the body declares, these may be some that ``gangs`` have: variables of the host, and private ones.
    Of these a gang, or a worker, needs one copy: what an address leads to is written by one thread, and read by all.
    Only a routine of a single thread may take an address of each thread's own copy. Reports variables that cannot
    have one copy, since loops count with them or combine them (ACC350).
    """
    axes = frozenset(axis for axis, extent in zip("xyz", block, strict=True) if extent > 1)
    search = _Search(axes, any(collective_calls(body)), dict.fromkeys(gangs, _Point()))
    search.visit(body, _Point())
    found = {name: place for name, place in search.taken.items() if not search.is_temporary(name)}
    combined = {item.variable for item in region.reductions} | set(_counters_and_sums(body))
    for name in sorted(found.keys() & combined):
        reporter.report("ACC350", found[name].location, name=user_name(name))
    return frozenset(found)


class _Point(Struct, frozen=True):
    """Where something stands: the axes spread over, the loop that spread the last of them, the sequential loop."""

    spread: Axes = frozenset()
    threads: int = 0
    rounds: int = 0


class _Search(Struct, dict=True):
    """Finds the variables, ``declared`` where several threads have one, whose address is ``taken``.

    An argument of a call counts if it is one ``by_calls`` that threads make together, or if the routine may keep it.
    """

    axes: Axes
    by_calls: bool
    declared: dict[str, _Point]
    taken: dict[str, Variable] = field(default_factory=dict)
    uses: dict[str, set[_Point]] = field(default_factory=dict)

    def visit(self, stmt: Stmt | Expr, point: _Point) -> None:
        """Look at a statement or expression that stands at a point."""
        if isinstance(stmt, Declare):
            self.declared[stmt.name] = point
            if stmt.init is not None:
                self.uses.setdefault(stmt.name, set()).add(point)
        elif isinstance(stmt, Variable):
            self.uses.setdefault(stmt.name, set()).add(point)
        changed = _changed(stmt)
        if changed is not None and point.spread >= self.axes:
            self._share(_element_of_member(changed))
        inside = self._inside(stmt, point)
        for child in children(stmt):
            place = _taken(child, stmt) if not isinstance(stmt, Call) or self._keeps(stmt, child) else None
            self._share(place)
            self.visit(child, inside)

    def _share(self, place: Expr | None) -> None:
        """Note that threads must have one memory for the variable that a place lies in, if there is one."""
        root = _variable(place) if place is not None else None
        if root is not None and self.declared.get(root.name, _Point(self.axes)).spread < self.axes:
            self.taken.setdefault(root.name, root)

    def _inside(self, stmt: Stmt | Expr, point: _Point) -> _Point:
        """The point inside of a statement that stands at another."""
        if point.spread >= self.axes:
            return point
        if isinstance(stmt, ParallelFor) and stmt.block:
            spread = point.spread | {stmt.block} & self.axes
            return replace(point, spread=spread, threads=id(stmt) if spread >= self.axes else 0)
        return replace(point, rounds=id(stmt)) if isinstance(stmt, (For, While)) else point

    def _keeps(self, call: Call, argument: Stmt | Expr) -> bool:
        """Whether the address that a call is handed may be used by other threads, or behind the call."""
        others = (item for item in call.arguments if item is not argument)
        return self.by_calls or points(call.type) or any(_leads_to_addresses(item.type) for item in others)

    def is_temporary(self, name: str) -> bool:
        """Whether one loop over threads alone uses a variable, in which each thread has a copy for itself."""
        uses = self.uses[name]
        point = next(iter(uses))
        return len(uses) == 1 and point.spread >= self.axes and point.rounds == self.declared[name].rounds


def _leads_to_addresses(ctype: CType) -> bool:
    """Whether a value is the address of memory that may hold addresses."""
    target = element_type(ctype)
    return target is not None and points(target)


def _taken(node: Stmt | Expr, around: Stmt | Expr) -> Expr | None:
    """The place whose address a node is: that of ``&x``, or an array in a structure that no subscript follows."""
    if isinstance(node, Unary) and node.op == "&":
        return node.operand
    if isinstance(node, (Member, Subscript)) and is_array(node.type):
        return None if isinstance(around, (Subscript, Unary, SizeOf)) else node
    return None


def _changed(node: Stmt | Expr) -> Expr | None:
    """The place that a node changes."""
    if isinstance(node, Assign):
        return node.target
    return node.operand if isinstance(node, Unary) and node.op in STEPPING else None


def _element_of_member(place: Expr) -> Expr | None:
    """A place that is an element of an array in a structure, of which each thread may have another; else None."""
    part = place
    while isinstance(part, (Subscript, Member)):
        if isinstance(part, Subscript) and isinstance(part.base, (Member, Subscript)) and is_array(part.base.type):
            return place
        part = part.base
    return None


def _variable(place: Expr) -> Variable | None:
    """The scalar or structure that a place lies in; None for memory behind a pointer, and for arrays."""
    while isinstance(place, (Subscript, Member)):
        behind = place.arrow if isinstance(place, Member) else not is_array(place.base.type)
        if behind:
            return None
        place = place.base
    return place if isinstance(place, Variable) and not is_array(place.type) else None


def _counters_and_sums(stmt: Stmt) -> Iterator[str]:
    """The variables that loops count with, or combine over gangs; loops over threads combine copies."""
    for node in walk(stmt):
        if isinstance(node, ParallelFor):
            yield node.loop.variable
            yield from (item.variable for item in node.reductions if is_over_gangs(node))
        elif isinstance(node, For):
            yield from (item.name for item in node.init if isinstance(item, Declare))
