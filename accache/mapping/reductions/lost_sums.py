"""Sums that a construct adds up in a variable whose value nobody gets."""

from __future__ import annotations

from collections.abc import Iterator

from accache.base.diagnostics import Reporter
from accache.ir.names import user_name
from accache.ir.openacc.regions import Region
from accache.ir.tree import STEPPING, Assign, Atomic, Expr, For, If, Stmt, Unary, Variable
from accache.ir.types import is_number
from accache.ir.walk import assigned_variables, declared_variables, nodes_of, used_variables, walk
from accache.mapping.data.data_model import memory_variables


def warn_of_lost_sums(region: Region, reporter: Reporter) -> None:
    """Warn of what parallel and serial constructs accumulate in scalars that no clause names (ACC322).

    These are firstprivate: the function around reads the old value. In a kernels construct they are not. Atomic
    updates have a warning of their own (ACC330).
    """
    if region.kind == "kernels":
        return
    named = memory_variables(region) | declared_variables(region.body) | _named(region)
    wanted = {
        item.name for item in region.variables if item.is_live and item.name not in named and is_number(item.type)
    }
    for node in walk(region.body) if wanted else ():
        for name in sorted(_accumulators(node) & wanted):
            wanted.remove(name)
            reporter.report("ACC322", node.location, name=user_name(name))


def _named(region: Region) -> frozenset[str]:
    """The variables of clauses that say whose a variable is, the counters of loops, and what is updated atomically."""
    atomics = list(nodes_of(region.body, Atomic))
    loops = list(nodes_of(region.body, For))
    return frozenset(
        (
            *(item.name for item in (*region.private, *region.firstprivate)),
            *(item.variable for item in region.reductions),
            *(name for loop in loops for name in _of_loop(loop)),
            *(name for atomic in atomics for name in assigned_variables(atomic.body)),
        )
    )


def _of_loop(loop: For) -> Iterator[str]:
    if loop.step is not None:
        yield from assigned_variables(loop.step)
    if loop.loop is not None:
        yield from (item.variable for item in loop.loop.reductions)
        yield from (item.name for item in loop.loop.private)


def _accumulators(node: Expr | Stmt) -> frozenset[str]:
    """The variables that a node gives a value which depends on the one they have, or only if they have some."""
    if isinstance(node, If):
        inside = {_accumulator(part) for part in walk(node.then) if isinstance(part, Expr)}  # told where it stands
        return (used_variables(node.condition) & assigned_variables(node.then)) - inside
    return frozenset({_accumulator(node)}) if isinstance(node, Expr) else frozenset()


def _accumulator(node: Expr) -> str:
    """The variable to whose value an expression adds something; '' for other expressions."""
    if isinstance(node, Unary) and node.op in STEPPING and isinstance(node.operand, Variable):
        return node.operand.name
    if not isinstance(node, Assign) or not isinstance(node.target, Variable):
        return ""
    name = node.target.name
    return name if node.op != "=" or name in used_variables(node.value) else ""
