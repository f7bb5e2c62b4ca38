"""Scalars that each thread has a copy of, and that a loop over threads leaves different in each.

Every thread of a block keeps its own copy of a gang's scalars, every lane one of its worker's. Between parallel loops
all copies are equal, since all threads compute the same; after a loop over threads assigns one they are not.
"""

from __future__ import annotations

from collections.abc import Iterator

from accache.ir.kernels.simt import ParallelFor
from accache.ir.tree import Declare, Stmt
from accache.ir.walk import assigned_variables, children, declared_variables, nodes_of, used_variables


def left_different(stmt: Stmt) -> Iterator[tuple[ParallelFor, frozenset[str]]]:
    """The loops over threads in a statement, each with what it assigns of what is used outside of it, too.

    In a loop over workers these are the variables of a worker, which loops over lanes assign.
    """
    for loop, outside in _thread_loops(stmt, []):
        private = {loop.loop.variable, *(item.variable for item in loop.reductions)}
        assigned = assigned_variables(loop.body) - declared_variables(loop.body) - private - _inner_private(loop.body)
        yield loop, assigned & frozenset(name for other in outside for name in _reads(other))
        own = declared_variables(loop.body)
        for inner, names in left_different(loop.body):
            yield inner, names & own


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
    loops = list(nodes_of(stmt, ParallelFor))
    reduced = (item.variable for loop in loops for item in loop.reductions)
    return frozenset((*(loop.loop.variable for loop in loops), *reduced))


def _reads(stmt: Stmt) -> frozenset[str]:
    """The variables a statement uses; a declaration without initialiser uses none."""
    if isinstance(stmt, Declare) and stmt.init is None:
        return frozenset()
    return used_variables(stmt)
