"""Scalars that each thread has a copy of: what threads assign on their own must not be read as if it were shared.

Every thread of a block keeps its own copy of a gang's scalar. Between parallel loops all copies
are equal, since all threads compute the same; after a loop over threads assigns one they are not.
"""

from __future__ import annotations

from accache.base.diagnostics import Reporter
from accache.ir.kernels.simt import ParallelFor
from accache.ir.names import user_name
from accache.ir.tree import Declare, Stmt
from accache.ir.walk import assigned_variables, children, declared_variables, used_variables


def refuse_shared_temporaries(kernel: Stmt, memory: frozenset[str], reporter: Reporter) -> None:
    """Report scalars assigned in a loop over threads and used outside of it; ``memory`` scalars are shared anyway."""
    for loop, others in _thread_loops(kernel, []):
        private = {loop.loop.variable, *(item.variable for item in loop.reductions)}
        inner = _inner_private(loop.body)
        assigned = assigned_variables(loop.body) - declared_variables(loop.body) - private - inner - memory
        elsewhere = frozenset(name for other in others for name in _reads(other))
        for name in sorted(assigned & elsewhere):
            reporter.report("ACC312", loop.location, name=user_name(name))


def _thread_loops(stmt: Stmt, outside: list[Stmt]) -> list[tuple[ParallelFor, list[Stmt]]]:
    """Every outermost loop over threads, with the statements that stand beside it or around it."""
    if isinstance(stmt, ParallelFor) and stmt.block:
        return [(stmt, outside)]
    parts = [child for child in children(stmt) if isinstance(child, Stmt)]
    found: list[tuple[ParallelFor, list[Stmt]]] = []
    for part in parts:
        beside = [other for other in parts if other is not part]
        found += _thread_loops(part, [*outside, *beside])
    return found


def _inner_private(stmt: Stmt) -> frozenset[str]:
    """The reduction and loop variables of the loops inside."""
    names: set[str] = set()
    pending = [stmt]
    while pending:
        current = pending.pop()
        if isinstance(current, ParallelFor):
            names |= {current.loop.variable, *(item.variable for item in current.reductions)}
        pending += [child for child in children(current) if isinstance(child, Stmt)]
    return frozenset(names)


def _reads(stmt: Stmt) -> frozenset[str]:
    """The variables a statement uses; a declaration without initialiser uses none."""
    if isinstance(stmt, Declare) and stmt.init is None:
        return frozenset()
    return used_variables(stmt)
