"""The variables a compute construct uses and does not declare."""

from __future__ import annotations

from collections.abc import Mapping

from accache.frontend.c.scope import Symbol
from accache.ir.names import user_name
from accache.ir.nodes import nodes_below
from accache.ir.openacc.regions import DataClause, FreeVariable, Private, Reduction, Region
from accache.ir.tree import Declare, Variable


def implicit_copies(region: Region) -> tuple[DataClause, ...]:
    """The data clauses that reductions of array sections stand for (OpenACC 3.3, section 2.5.15)."""
    nodes = list(nodes_below([region.body, region.private, region.firstprivate, region.reductions]))
    own = {node.name for node in nodes if isinstance(node, (Private, Declare))}
    own |= {item.subarray.variable for item in region.data}
    parts = {node.variable: node.subarray for node in nodes if isinstance(node, Reduction) and node.variable not in own}
    return tuple(
        DataClause("copy", part, part.location) for part in parts.values() if part is not None and part.dimensions
    )


def free_variables(
    region: Region,
    symbols: dict[str, Symbol],
    derived: frozenset[str],
    stored: frozenset[str],
    *,
    live: frozenset[str],
    least: Mapping[str, int],
) -> tuple[FreeVariable, ...]:
    """The variables a region uses without declaring them, in order of first use.

    By their names as they are spelled: those ``derived`` may hold addresses computed from others, those ``stored``
    have given theirs away, those ``live`` are read behind the region. ``least`` is what some hold at least.
    """
    declared: set[str] = set()
    used: dict[str, Variable] = {}
    clauses = [item.subarray for item in (*region.data, *region.attached)]
    parts: list[object] = [region.body, region.sizes, region.execution.condition, clauses]
    parts += [region.private, region.firstprivate, region.reductions]
    for node in nodes_below(parts):
        if isinstance(node, Declare):
            declared.add(node.name)
        elif isinstance(node, Variable):
            used.setdefault(node.name, node)
    private = (item.name for item in (*region.private, *region.firstprivate))
    for name in (*private, *(item.variable for item in region.reductions)):
        if name in symbols and name not in used:
            used[name] = Variable(symbols[name].type, region.location, name)
    return tuple(
        FreeVariable(
            name,
            symbols[name].type,
            symbols[name].is_static,
            is_derived=user_name(name) in derived,
            is_stored=user_name(name) in stored,
            is_live=user_name(name) in live,
            least=least.get(name),
        )
        for name in used
        if name not in declared and name in symbols
    )
