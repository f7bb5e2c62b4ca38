"""What a launch has to find on the device, since a kernel is certain to use it and no clause makes sure of it.

Before: ``copyin(a[lo:n])`` of a loop that uses a[i - 1] for i from 1 to m - 1. After: elements 0 to m - 2 of a, which
the launch looks for. A GPU would read whatever lies there.
"""

from __future__ import annotations

from collections.abc import Iterator

from accache.caching.sizing.footprints import unproved_footprints
from accache.ir.kernels.launch_plan import Parameter, Reach, ReachedArray, ReachedStructure
from accache.ir.tree import Expr, Member, Stmt, Unary, Variable
from accache.ir.types import CType, Record, element_type, resolve, shape
from accache.ir.walk import nodes_of
from accache.lowering.lowered import LoweredKernel
from accache.mapping.wrapping import without_assumed_sums


def reached(version: LoweredKernel, parameters: tuple[Parameter, ...]) -> Iterator[ReachedArray | ReachedStructure]:
    """What a version of a kernel uses of the stub's ``parameters``; the launch has tested what its fetches assume."""
    kernel = (version.cached.narrow_single or version.cached).kernel  # where tiles do not stand for references
    untested = without_assumed_sums(kernel)
    fetched = {tile.array for tile in version.cached.tiles if tile.is_bounded}
    known = frozenset(item.name for item in parameters)
    for item in parameters:
        if item.role != "array" or item.name not in version.free | fetched:
            continue
        if item.clause is not None and item.clause.action == "deviceptr":
            continue
        is_fetched = item.name in fetched
        parts = unproved_footprints(kernel if is_fetched else untested, item.name, is_fetched)
        found = tuple(Reach(part.first, part.last, part.counts) for part in parts if part.names <= known)
        if found:
            yield ReachedArray(item.name, shape(item.variable.type)[1], found, is_fetched)
        if item.clause is None:
            yield from _structure(kernel.body, item.name, item.variable.type)


def _structure(body: Stmt, pointer: str, ctype: CType) -> Iterator[ReachedStructure]:
    """The structure that a pointer leads to, of which clauses may map single members."""
    record = resolve(element_type(ctype) or ctype)
    if not isinstance(record, Record) or not record.fields:
        return
    used = {node.field for node in nodes_of(body, Member) if _is_of(node, pointer)}
    if not used:
        return
    last = [member for member in record.fields if member.name in used][-1:]
    is_known = record.keyword == "struct" and last and last[0].bits is None and used <= {m.name for m in record.fields}
    yield ReachedStructure(pointer, last[0].name if is_known else "")


def _is_of(member: Member, pointer: str) -> bool:
    """Whether a member is one of the structure that a pointer leads to."""
    base: Expr = member.base
    if not member.arrow and isinstance(base, Unary) and base.op == "*":
        base = base.operand
    elif not member.arrow:
        return False
    return isinstance(base, Variable) and base.name == pointer
