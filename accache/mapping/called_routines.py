"""Warns of elements that gangs hand to each other between loops of a construct and those of gang routines it calls.

Before: ``parallel { fill(a, n); loop gang: b[i] = a[i - 1]; }``. The loops of a gang routine are the construct's as any
others. A copy of the construct that has their bodies in the place of calls is mapped, and what is said of gangs that do
not wait for each other (ACC334) is reported; nothing else becomes of the copy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.calls import collective_calls
from accache.base.diagnostics import CompileError, Reporter
from accache.ir.openacc.regions import Region
from accache.ir.openacc.routines import Routine
from accache.ir.tree import Block, Call, Declare, Evaluate, Expr, Jump, Stmt
from accache.ir.walk import nodes_of, rewrite
from accache.mapping.data.renaming import Successor, renamed
from accache.mapping.mapping import map_region

CODE = "ACC334"


def warn_of_routines_handing_over(region: Region, routines: Sequence[Routine], reporter: Reporter) -> None:
    """Report where a gang uses what another one may just write, or wants, in loops of routines (ACC334)."""
    known = {routine.symbol: routine for routine in routines if _is_plain(routine)}
    if region.kind != "parallel" or not any(_gang_routine(call, known) for call in collective_calls(region.body)):
        return
    body = _Inlining(known).inside(region.body)
    told = Reporter()
    try:
        map_region(replace(region, body=body), told)
    except CompileError:
        return
    places = {item.location for item in reporter.diagnostics if item.code == CODE}
    reporter.include(item for item in told.diagnostics if item.code == CODE and item.location not in places)


def _is_plain(routine: Routine) -> bool:
    """Whether a routine's body may stand in the place of a call: nothing leaves it, and it names no other variables."""
    if routine.body is None or routine.level != "gang" or routine.residents:
        return False
    return not any(jump.keyword in ("return", "goto") for jump in nodes_of(routine.body, Jump))


def _gang_routine(call: Call, known: Mapping[str, Routine]) -> Routine | None:
    """The gang routine that is called."""
    return known.get(call.callee.symbol) if call.callee is not None else None


class _Inlining(Struct):
    """Puts the bodies of routines in the place of calls, each with names of its own."""

    known: Mapping[str, Routine]
    count: int = 0

    def inside(self, body: Stmt) -> Stmt:
        """A statement without calls of the routines, those in their bodies among them."""

        def change(node: Expr | Stmt) -> Expr | Stmt:
            call = node.expr if isinstance(node, Evaluate) else None
            routine = _gang_routine(call, self.known) if isinstance(call, Call) else None
            return self.body_of(routine, call) if routine is not None and isinstance(call, Call) else node

        result = rewrite(body, change)
        assert isinstance(result, Stmt)
        return result

    def body_of(self, routine: Routine, call: Call) -> Stmt:
        """A routine's body behind variables for its parameters."""
        assert routine.body is not None
        body = self.inside(routine.body)
        self.count += 1
        types = {item.name: item.type for item in routine.parameters}
        types |= {node.name: node.type for node in nodes_of(body, Declare)}
        names = {name: Successor(f"{name}#call{self.count}", ctype) for name, ctype in types.items()}

        def change(node: Expr | Stmt) -> Expr | Stmt:
            return replace(node, name=names[node.name].name) if isinstance(node, Declare) else node

        pairs = zip(routine.parameters, call.arguments, strict=True)
        handed = (Declare(call.location, names[item.name].name, item.type, value) for item, value in pairs)
        return Block(call.location, (*handed, rewrite(renamed(body, names), change)))
