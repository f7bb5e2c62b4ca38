"""Loops over gangs alone, with nothing in them for the threads of a gang to share: they are for vectors, too.

Before: ``loop gang``, whose iterations one thread of each block runs while the others wait. After, as ``loop gang
vector``: each thread of a block has an iteration. What iterations have for themselves is each thread's own then.

Only where the user has asked for no workers and vectors, and where gangs have no copies of data.
"""

from __future__ import annotations

from msgspec.structs import replace

from accache.analysis.calls import collective_calls
from accache.ir.openacc.regions import Region
from accache.ir.tree import Expr, For, Stmt
from accache.ir.types import is_array
from accache.ir.walk import rewrite, walk


def with_lanes_for_gangs(region: Region) -> Stmt:
    """The body of a region whose loops over gangs alone are spread over vectors as well."""
    if any(region.size(level) is not None for level in ("worker", "vector")) or region.private or region.firstprivate:
        return region.body

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or node.loop is None or not _is_for_gangs_alone(node):
            return node
        return replace(node, loop=replace(node.loop, levels=frozenset(("gang", "vector"))))

    return rewrite(region.body, change)


def _is_for_gangs_alone(loop: For) -> bool:
    """Whether a loop names gangs, and nothing in it is for threads."""
    spec = loop.loop
    if spec is None or spec.levels != {"gang"} or spec.sizes or any(is_array(item.type) for item in spec.private):
        return False
    inner = (node for node in walk(loop.body) if isinstance(node, For) and node.loop is not None)
    return all(node.loop is not None and node.loop.seq for node in inner) and not any(collective_calls(loop.body))
