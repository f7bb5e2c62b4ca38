"""Routines to what the device runs (OpenACC 3.3, section 2.15).

A seq routine is run by each thread for itself: its loops are plain loops.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from accache.analysis.walk import rewrite, walk
from accache.diagnostics import Reporter
from accache.ir.routines import Routine
from accache.ir.simt import SharedArray
from accache.ir.tree import Block, Cache, Declare, Expr, For, Stmt, Variable
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
    return LoweredRoutine(routine, sequential(without_directives(routine.body), routine))


def sequential(body: Stmt, routine: Routine) -> Stmt:
    """A body whose loops all run one iteration after another; private variables are the iterations' own."""
    types = {item.name: item.type for item in routine.parameters}
    types |= {node.name: node.type for node in walk(body) if isinstance(node, Declare)}

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or node.loop is None:
            return node
        inner = node.body
        for name in node.loop.private:
            if name in types:
                inner = _own_copy(inner, name, types[name])
        return replace(node, loop=None, body=inner)

    return rewrite(body, change)


def _own_copy(body: Stmt, name: str, ctype: object) -> Stmt:
    """A statement with a variable of its own in the place of an outer one."""
    own = f"{name}#{body.location.line}"
    declare = Declare(body.location, own, ctype, None)  # type: ignore[arg-type]

    def change(node: Expr | Stmt) -> Expr | Stmt:
        return replace(node, name=own) if isinstance(node, Variable) and node.name == name else node

    renamed = rewrite(body, change)
    items = renamed.items if isinstance(renamed, Block) else (renamed,)
    return Block(body.location, (declare, *items))
