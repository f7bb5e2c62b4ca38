"""Reduction clauses that parallel loops lack for what loops in them reduce.

Before: ``loop gang`` around ``loop vector reduction(+:s)``, where ``s`` is read behind both. After: both reduce ``s``.
Otherwise each gang, or worker, would combine its part with a variable that none of the others sees.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import Reporter
from accache.ir.names import user_name
from accache.ir.openacc.regions import GANGS, LoopSpec, Reduction, Region
from accache.ir.tree import Expr, For, Stmt, Variable
from accache.ir.walk import declared_variables, nodes_of, rewrite, walk
from accache.mapping.data.data_model import memory_variables
from accache.mapping.data.roles import used_beside_reductions


def with_outer_reductions(region: Region, reporter: Reporter) -> Stmt:
    """A region's body whose parallel loops reduce what loops in them reduce and nothing else in them uses (ACC321)."""
    adding = _Adding(region, reporter)
    return rewrite(region.body, adding.change) if adding.reduced else region.body


class _Adding(Struct, dict=True):
    """Adds clauses to loops of a region, inner loops first."""

    region: Region
    reporter: Reporter

    def __post_init__(self) -> None:
        region = self.region
        specs = [node.loop for node in nodes_of(region.body, For) if node.loop is not None]
        self.reduced = {item.variable for spec in specs for item in spec.reductions if not item.is_array}
        own = {item.name for item in (*region.private, *region.firstprivate)}
        lasting = {item.name for item in region.variables if item.may_be_read_behind}
        self.host = frozenset(item.name for item in region.variables) - own - declared_variables(region.body)
        self.lasting = (lasting | memory_variables(region)) & self.host

    def change(self, node: Expr | Stmt) -> Expr | Stmt:
        """A loop with the clauses that it lacks."""
        if not isinstance(node, For) or node.loop is None or not self._is_parallel(node.loop):
            return node
        missing = self._missing(node, node.loop)
        for item in missing:
            name = user_name(item.variable)
            self.reporter.report("ACC321", node.loop.location, name=name, operator=item.operator)
        return replace(node, loop=replace(node.loop, reductions=(*node.loop.reductions, *missing)))

    def _is_parallel(self, spec: LoopSpec) -> bool:
        return not spec.seq and self.region.kind != "serial" and not self.region.is_unproved(spec)

    def _missing(self, loop: For, spec: LoopSpec) -> list[Reduction]:
        """What loops inside of a loop reduce for the variables of those around it."""
        inside = [node.loop for node in nodes_of(loop.body, For) if node.loop is not None]
        found: dict[str, set[Reduction]] = {}
        for item in (item for inner in inside for item in inner.reductions if not item.is_array):
            found.setdefault(item.variable, set()).add(replace(item, fresh=False))
        private = {item.name for one in (spec, *inside) for item in one.private}
        hidden = private | declared_variables(loop.body) | {item.variable for item in spec.reductions}
        hidden |= used_beside_reductions(loop.body)
        return [
            next(iter(items))
            for name, items in found.items()
            if name not in hidden and len(items) == 1 and self._is_wanted(name, loop, spec)
        ]

    def _is_wanted(self, name: str, loop: For, spec: LoopSpec) -> bool:
        """Whether somebody may read a variable behind a loop; of a gang's own variable no gang loop has the sum."""
        if name in self.lasting:
            return True
        is_within_gangs = bool(spec.levels) and not spec.levels & set(GANGS)
        return (name in self.host or is_within_gangs) and _count(self.region.body, name) > _count(loop, name)


def _count(stmt: Stmt, name: str) -> int:
    """How often a statement names a variable."""
    return sum(isinstance(node, Variable) and node.name == name for node in walk(stmt))
