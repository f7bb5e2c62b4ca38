"""Calls of routines whose loops are spread over threads: where they may stand, and what they share."""

from __future__ import annotations

from collections.abc import Iterator

from accache.analysis.calls import collective_calls, is_collective
from accache.analysis.walk import children, walk
from accache.diagnostics import Reporter
from accache.ir.regions import Region
from accache.ir.simt import ParallelFor
from accache.ir.tree import Call, Declare, Expr, For, Member, SizeOf, Stmt, Subscript, Unary, Variable
from accache.planning.questions import is_array


def refuse_calls_in_loops(stmt: Stmt | Expr, reporter: Reporter, where: str = "") -> None:
    """Report calls in mapped loops that use what the routine needs for its own loops (ACC345)."""
    if isinstance(stmt, ParallelFor):
        where = "in a loop over threads" if stmt.block else where or ("in a loop over gangs" if stmt.grid else "")
    if isinstance(stmt, Call) and is_collective(stmt) and where:
        assert stmt.callee is not None
        level = stmt.callee.level
        if level == "gang" or where != "in a loop over gangs":
            reporter.report("ACC345", stmt.location, name=stmt.function, level=level, where=where)
    for child in children(stmt):
        refuse_calls_in_loops(child, reporter, where)


def addressed_scalars(body: Stmt, region: Region, memory: frozenset[str], reporter: Reporter) -> frozenset[str]:
    """The scalars and structures not in ``memory`` whose address is taken: of these a block needs one copy.

    What an address leads to is written by one thread, and read by all. Only a routine of a single thread may take an
    address of each thread's own copy. Reports variables that cannot have one copy, since loops count with them or
    combine them (ACC350).
    """
    host = {item.name for item in region.variables} - memory
    found = {node.name: node for node in _addressed(body, set(host), any(collective_calls(body)))}
    combined = {item.variable for item in region.reductions} | set(_counters_and_sums(body))
    for name in sorted(found.keys() & combined):
        reporter.report("ACC350", found[name].location, name=name.partition("#")[0])
    return frozenset(found)


def _addressed(stmt: Stmt | Expr, declared: set[str], by_calls: bool) -> Iterator[Variable]:
    """The scalars ``declared`` outside of loops over threads whose address is taken there.

    An argument of a call counts if it is one ``by_calls`` that threads make together.
    """
    if isinstance(stmt, Declare):
        declared.add(stmt.name)
    if isinstance(stmt, ParallelFor) and stmt.block:
        return
    for child in children(stmt):
        taken = None if isinstance(stmt, Call) and not by_calls else _taken(child, stmt)
        root = _variable(taken) if taken is not None else None
        if root is not None and root.name in declared:
            yield root
        yield from _addressed(child, declared, by_calls)


def _taken(node: Stmt | Expr, around: Stmt | Expr) -> Expr | None:
    """The place whose address a node is: that of ``&x``, or an array in a structure that no subscript follows."""
    if isinstance(node, Unary) and node.op == "&":
        return node.operand
    if isinstance(node, (Member, Subscript)) and is_array(node.type):
        return None if isinstance(around, (Subscript, Unary, SizeOf)) else node
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
    """The variables that loops count with, or combine."""
    for node in walk(stmt):
        if isinstance(node, ParallelFor):
            yield node.loop.variable
            yield from (item.variable for item in node.reductions)
        elif isinstance(node, For):
            yield from (item.name for item in node.init if isinstance(item, Declare))
