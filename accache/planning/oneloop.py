"""Which statements of a kernels region may be run by several gangs.

Blocks cannot wait for each other, and what stands around a loop over gangs is run by each of them. So it may
neither change anything, nor use what the loop changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from accache.analysis.uniformity import written_arrays
from accache.analysis.walk import assigned_variables, declared_variables, used_variables
from accache.ir.regions import Region
from accache.ir.tree import Block, Cache, Declare, Empty, Evaluate, Expr, For, If, Stmt
from accache.planning.aliasing import may_overlap


def may_spread_over_gangs(stmt: Stmt, region: Region) -> bool:
    """Whether loops right below a statement may be spread over gangs."""
    if isinstance(stmt, Block):
        items = [item for item in stmt.items if not isinstance(item, Empty)]
        around, last = items[:-1], items[-1:]
        return all(isinstance(item, Declare) for item in around) and _independent(around, last, region)
    if isinstance(stmt, If):
        branches = [stmt.then] + ([stmt.otherwise] if stmt.otherwise is not None else [])
        return _independent([stmt.condition], branches, region)
    return isinstance(stmt, (Cache, Evaluate, Declare, For))


def _independent(around: Sequence[Stmt | Expr], inside: Sequence[Stmt], region: Region) -> bool:
    """Whether what stands around some statements changes nothing and uses nothing that they change."""
    used, changes = _union(map(used_variables, around)), _union(map(_changed, around))
    own = _union(map(declared_variables, (*around, *inside)))
    changed = _union(map(_changed, inside)) - own
    free = {item.name: item for item in region.variables}
    pairs = ((free[first], free[second]) for first in used & free.keys() for second in changed & free.keys())
    return not changes and not used & changed and not any(may_overlap(first, second) for first, second in pairs)


def _changed(node: Stmt | Expr) -> frozenset[str]:
    """The variables that a statement or expression assigns, or changes elements of."""
    stmt = node if isinstance(node, Stmt) else Evaluate(node.location, node)
    return written_arrays(stmt) | assigned_variables(stmt)


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*sets)
