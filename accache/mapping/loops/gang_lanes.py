"""Loops over gangs alone, with nothing in them for the threads of a gang to share, and loops over threads alone.

Before: ``loop gang``, whose iterations one thread of each block runs while the others wait; or ``loop vector``, all of
whose iterations one block has. After, as ``loop gang vector``: each thread of each block has an iteration. What
iterations have for themselves is each thread's own then.

Only where the user has not asked for a number of what is added, where iterations use nothing that a gang keeps, and
where the loop is all that the kernel does.
"""

from __future__ import annotations

from msgspec.structs import replace

from accache.analysis.calls import collective_calls
from accache.ir.openacc.regions import Region
from accache.ir.tree import Declare, Expr, For, Stmt, Unary
from accache.ir.types import is_array, is_number
from accache.ir.walk import assigned_variables, declared_variables, nodes_of, rewrite, used_variables
from accache.mapping.loops.collapse import only_statement


def with_lanes_for_gangs(region: Region) -> Stmt:
    """The body of a construct whose loops over gangs alone are spread over vectors as well.

    Not where other loops of the same kernel may count on it that a gang has the same iterations of each of them.
    """
    if region.private or region.firstprivate:
        return region.body
    is_free = not any(region.size(level) for level in ("worker", "vector"))
    alone = only_statement(region.body)

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or node.loop is None:
            return node
        if region.kind != "kernels" and node is not alone:
            return node
        is_for_gangs = is_free and _is_for_gangs_alone(node)
        if not is_for_gangs and not (node is alone and not region.gangs and _is_for_threads_alone(node)):
            return node
        if (region.gangs or node is not alone or not is_for_gangs) and not _leaves_gangs_data(node, region):
            return node  # one gang may carry a value from one iteration to the next
        levels = frozenset(("vector",)) if is_for_gangs else node.loop.levels
        return replace(node, loop=replace(node.loop, levels=levels | {"gang"}))

    return rewrite(region.body, change)


def _is_for_gangs_alone(loop: For) -> bool:
    """Whether a loop names gangs, and nothing in it is for threads."""
    spec = loop.loop
    if spec is None or spec.levels != {"gang"} or spec.sizes or any(is_array(item.type) for item in spec.private):
        return False
    inner = (node for node in nodes_of(loop.body, For) if node.loop is not None)
    return all(node.loop is not None and node.loop.seq for node in inner) and not any(collective_calls(loop.body))


def _is_for_threads_alone(loop: For) -> bool:
    """Whether a loop names threads, but no gangs."""
    return loop.loop is not None and bool(loop.loop.levels) and loop.loop.levels <= {"worker", "vector"}


def _leaves_gangs_data(loop: For, region: Region) -> bool:
    """Whether iterations change no variable that a gang keeps for the next, and use nothing of its own but numbers."""
    spec = loop.loop
    assert spec is not None
    copied = {item.name for item in spec.private} | {item.variable for item in spec.reductions}
    changed = assigned_variables(loop.body) - declared_variables(loop) - copied
    declares = nodes_of(region.body, Declare)
    held = {node.name for node in declares if not is_number(node.type)} - declared_variables(loop)
    addressed = (node.operand for node in nodes_of(region.body, Unary) if node.op == "&")
    reached = frozenset[str]().union(*map(used_variables, addressed)) & declared_variables(region.body)
    return not changed and not used_variables(loop) & (held | reached)
