"""Routines to what the device runs (OpenACC 3.3, section 2.15).

A seq routine is run by each thread for itself: its loops are plain loops.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from accache.analysis.walk import rewrite, walk
from accache.diagnostics import Reporter
from accache.ir.routines import Routine
from accache.ir.simt import SharedArray
from accache.ir.tree import Cache, Expr, For, Stmt
from accache.planning.atomics import settled
from accache.planning.copies import Copies, counters
from accache.planning.uncached import without_directives


@dataclass(frozen=True)
class LoweredRoutine:
    """A routine ready to print; ``names`` and ``generated`` as in LoweredKernel."""

    routine: Routine
    body: Stmt | None
    shared: tuple[SharedArray, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    generated: frozenset[str] = frozenset()


def lower_routine(routine: Routine, taken: frozenset[str], reporter: Reporter) -> LoweredRoutine:
    """Lower one routine; reports cache directives in it, which have no effect."""
    if routine.level != "seq":
        reporter.report("ACC241", routine.location, feature=f"a {routine.level} routine")
    if routine.body is None:
        return LoweredRoutine(routine, None)
    for node in walk(routine.body):
        for subarray in node.subarrays if isinstance(node, Cache) else ():
            reason = "it stands in a routine"
            reporter.report("ACC402", subarray.location, name=subarray.text, reason=reason)
    return LoweredRoutine(routine, settled(sequential(without_directives(routine.body)), routine.parameters))


def sequential(body: Stmt) -> Stmt:
    """A body whose loops all run one iteration after another; private variables are the iterations' own."""
    copies = Copies()

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or node.loop is None:
            return node
        return replace(node, loop=None, body=copies.inside(node.loop.private, node.body, counters(node)))

    return rewrite(body, change)
