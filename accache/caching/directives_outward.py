"""Cache directives moved out of loops in which their subarrays stay the same: what they name is fetched once, before.

Before, in a loop of which each thread of the block has several rounds, or in a sequential one::

    for (int j = threadIdx.x; j < m; j += 128)
    #pragma acc cache(weight[0:256])
        ...

After::

    #pragma acc cache(weight[0:256])
    for (int j = threadIdx.x; j < m; j += 128)
        ...
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from accache.analysis.uniformity import written_arrays
from accache.ir.kernels.simt import ParallelFor
from accache.ir.openacc.regions import Subarray
from accache.ir.tree import Block, Cache, For, Stmt
from accache.ir.walk import is_computed, items_of, map_children, nodes_of, used_variables, varying_variables, walk
from accache.mapping.mapped import MappedKernel


def with_directives_outward(kernel: MappedKernel) -> MappedKernel:
    """A mapped kernel whose directives stand as far outside as what they name allows, within its parallel loops."""
    body = _moved(kernel.body, False)
    return kernel if body is kernel.body else replace(kernel, body=body)


def common_directives(body: Stmt) -> tuple[Cache, ...]:
    """The directives in a parallel loop whose subarrays are the same in all of its iterations, and never written."""
    if not isinstance(body, ParallelFor):
        return ()
    found = (
        replace(node, subarrays=tuple(item for item in node.subarrays if _stays(item, body)))
        for node in walk(body)
        if isinstance(node, Cache)
    )
    return tuple(node for node in found if node.subarrays)


def with_directives_inside(kernel: MappedKernel, directives: Sequence[Cache]) -> MappedKernel:
    """A mapped kernel without directives, with some around what an iteration of its nest of parallel loops does."""
    return replace(kernel, body=_around(kernel.body, directives))


def _around(body: Stmt, directives: Sequence[Cache]) -> Stmt:
    items = items_of(body)
    if len(items) == 1 and isinstance(items[0], ParallelFor):
        return replace(items[0], body=_around(items[0].body, directives))
    for directive in reversed(directives):
        body = replace(directive, body=body)
    return body


def _moved(stmt: Stmt, is_parallel: bool) -> Stmt:
    """A statement whose loops have given away what they can, in a parallel loop or not."""
    inside = is_parallel or isinstance(stmt, ParallelFor)
    stmt = map_children(stmt, lambda node: _moved(node, inside) if isinstance(node, Stmt) else node)
    is_repeated = isinstance(stmt, For) or (isinstance(stmt, ParallelFor) and bool(stmt.block) and not stmt.covered)
    if not is_parallel or not is_repeated or not isinstance(stmt, (For, ParallelFor)):
        return stmt
    left: list[Stmt] = []
    given: list[Cache] = []
    for item in items_of(stmt.body):
        kept, moved = _split(item, stmt) if isinstance(item, Cache) else ((item,), ())
        left += kept
        given += moved
    if not given:
        return stmt
    found: Stmt = replace(stmt, body=Block(stmt.body.location, tuple(left)))
    for directive in reversed(given):
        found = replace(directive, body=found)
    return found


def _split(directive: Cache, loop: For | ParallelFor) -> tuple[tuple[Stmt, ...], tuple[Cache, ...]]:
    """What stays in a loop of one of its directives, and what is moved out of it."""
    moved = tuple(item for item in directive.subarrays if _stays(item, loop))
    if not moved:
        return (directive,), ()
    rest = tuple(item for item in directive.subarrays if item not in moved)
    kept = (replace(directive, subarrays=rest),) if rest else items_of(directive.body)
    return kept, (replace(directive, subarrays=moved),)


def _stays(subarray: Subarray, loop: For | ParallelFor) -> bool:
    """Whether a subarray is the same in all rounds of a loop, which writes nothing of it and names its array once."""
    bounds = [bound for part in subarray.dimensions for bound in (part.lower, part.length) if bound is not None]
    names = frozenset[str]().union({subarray.variable}, *map(used_variables, bounds))
    is_known = bool(subarray.variable and subarray.dimensions) and all(map(is_computed, bounds))
    if not is_known or names & varying_variables(loop) or subarray.variable in written_arrays(loop):
        return False
    return _directives_of(subarray.variable, loop) == 1


def _directives_of(array: str, loop: Stmt) -> int:
    """How often directives in a loop name an array."""
    directives: Sequence[Cache] = list(nodes_of(loop, Cache))
    return sum(item.variable == array for directive in directives for item in directive.subarrays)
