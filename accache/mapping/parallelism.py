"""Whether a loop nobody called independent may run in parallel (kernels regions and ``auto``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product

from accache.analysis.addresses import Memory
from accache.analysis.aliasing import keeps_its_memory, may_overlap_in, may_share
from accache.analysis.calls import acts
from accache.analysis.canonical import canonical_loop, is_counter
from accache.analysis.dependence import carried_dependence
from accache.analysis.loop_context import EVERYWHERE, LoopContext
from accache.analysis.member_variables import MemberVariables
from accache.analysis.points_to import ANYWHERE
from accache.analysis.ranges import Interval
from accache.analysis.uniformity import leaving_jumps
from accache.ir.builtins import is_pure_call
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.names import user_name
from accache.ir.openacc.atomics import atomic_access
from accache.ir.openacc.regions import FreeVariable, LoopSpec, Region
from accache.ir.tree import Atomic, Call, Declare, For, Stmt, Variable
from accache.ir.types import Arithmetic, CType, Pointer, is_array, resolve
from accache.ir.walk import (
    assigned_variables,
    declared_variables,
    nodes_of,
    used_variables,
    varying_variables,
    walk,
)
from accache.mapping.data.data_model import memory_variables
from accache.mapping.memory_accesses import Access, AccessCollector, addresses_in, references_of


def sequential_reason(
    loop: For, canonical: CanonicalLoop, spec: LoopSpec, region: Region, *, around: LoopContext = EVERYWHERE
) -> str:
    """Why a loop must run sequentially; '' where an affine dependence test proves its iterations independent.

    Start and limit of the loop count as read in each iteration. ``around`` is the place that the loop stands at.
    """
    members = MemberVariables.of(region)
    read, loop, region = tuple(members.reads(loop)), members.loop(loop), members.region(region)
    found = canonical_loop(loop)
    assert isinstance(found, CanonicalLoop)
    canonical, body = found, loop.body
    if any(jump.keyword != "continue" for jump in leaving_jumps(body)):
        return "it contains break, return or goto"
    if loop.loop is None and not isinstance(loop.init[0], Declare) and not _only_counts(canonical.variable, region):
        return "its variable is used outside of it, too"
    parts = (canonical.first, canonical.limit, body)
    call = next((node for part in parts for node in nodes_of(part, Call) if not _is_known(node)), None)
    if call is not None:
        return f"it calls {call.function}"
    scalar = _carried_scalar(body, canonical, spec, region)
    if scalar:
        return f"'{user_name(scalar)}' is carried from one iteration to the next"
    varying = varying_variables(body) | {canonical.variable}
    addresses = addresses_in(body, varying, region)
    context = LoopContext((*_known(region), *around.ranges)).inside(loop, addresses.definitions)
    own = {item.name for item in spec.private} | declared_variables(body)
    collector = AccessCollector(addresses, len(context.ranges), frozenset(own))
    accesses = [access for part in parts for access in collector.accesses(part, context)]
    accesses += [access for element in read for access in collector.accesses(element, context)]
    arrays = {item.name for item in spec.private if is_array(item.type)}
    arrays |= {item.name for item in nodes_of(body, Declare) if is_array(item.type)}
    accesses = [access for access in accesses if access.address.memory.name not in arrays]
    if collector.other:
        return "it accesses memory through something other than an array"
    overlap = _overlap(accesses, region)
    if overlap:
        return overlap
    inner = varying - {canonical.variable}
    pair = carried_dependence(
        canonical.variable, canonical.step, references_of(accesses), context.facts[0], inner=inner
    )
    if pair is None:
        return ""
    lines = sorted({pair[0].location.line, pair[1].location.line})
    where = " and ".join(f"line {line}" for line in lines)
    return f"iterations may depend on each other through '{user_name(pair[0].array)}' ({where})"


def _known(region: Region) -> Iterator[tuple[str, tuple[Interval, ...]]]:
    """What the loops around a construct say of their counters."""
    for item in region.variables:
        if item.least is not None:
            yield item.name, (Interval.between(item.least, None),)


def _only_counts(name: str, region: Region) -> bool:
    """Whether a variable is one that loops of the region count with, and no more; not known of private copies."""
    return name in used_variables(region.body) and is_counter(region.body, name)


def _is_known(call: Call) -> bool:
    """Whether all that a call does is compute a value from memory it is handed."""
    return not acts(call) and (call.callee is not None or is_pure_call(call.function))


def _overlap(accesses: list[Access], region: Region) -> str:
    """What two memories of different names, one written, may overlap; '' if there are none."""
    memories = {access.address.memory.name: access.address.memory for access in accesses}
    written = sorted({access.address.memory.name for access in accesses if access.is_write})
    free = {variable.name: variable for variable in region.variables}
    for name in written:
        for other in sorted(memories):
            if name != other and _may_meet(memories[name], memories[other], region, free):
                first, second = user_name(name), user_name(other)
                both = f"'{first}' and '{second}'" if first != second else f"what '{first}' leads to"
                return f"{both} may overlap"
    return ""


def _may_meet(first: Memory, second: Memory, region: Region, free: Mapping[str, FreeVariable]) -> bool:
    """Whether two memories may have an element in common."""
    pairs = product(first.origins, second.origins)
    may_be_one = not region.types_tell_apart or _may_be_one(first.element, second.element)
    return may_be_one and any(_may_have_one(*pair, region, free) for pair in pairs)


def _may_be_one(first: CType, second: CType) -> bool:
    """Whether C lets elements of two types be one: a number is no pointer."""
    kinds = [resolve(first), resolve(second)]
    if sum(isinstance(kind, Pointer) for kind in kinds) == 1:
        return not any(isinstance(kind, Arithmetic) and kind.name != "char" for kind in kinds)
    return may_share(first, second)


def _may_have_one(first: str, second: str, region: Region, free: Mapping[str, FreeVariable]) -> bool:
    """Whether two origins may reach the same memory; what lies anywhere is no ``restrict`` pointer's."""
    if ANYWHERE in (first, second):
        return not any(name in free and keeps_its_memory(free[name]) for name in (first, second))
    if first not in free or second not in free:
        return first == second
    return may_overlap_in(region, free[first], free[second])


def _carried_scalar(body: Stmt, canonical: CanonicalLoop, spec: LoopSpec, region: Region) -> str:
    """A scalar declared outside the loop, assigned in it, and not private to an iteration; '' if there is none.

    A counter in the device's memory is one that tells where a break left its loop: all threads would count with it.
    """
    handled = {canonical.variable, *(item.name for item in spec.private), *(item.variable for item in spec.reductions)}
    assigned = assigned_variables(body) - declared_variables(body) - handled - _unordered_scalars(body)
    for name in sorted(assigned):
        if not is_counter(body, name) or name in memory_variables(region):
            return name
    return ""


def _unordered_scalars(body: Stmt) -> frozenset[str]:
    """The scalars a loop only updates, atomically and in any order."""
    uses = Counter(node.name for node in nodes_of(body, Variable))
    updates: Counter[str] = Counter()
    classes: dict[str, set[str]] = {}
    for node in walk(body):
        if isinstance(node, Atomic) and isinstance((access := atomic_access(node)).place, Variable):
            name = access.place.name
            classes.setdefault(name, set()).add(access.order_class)
            updates[name] += sum(isinstance(part, Variable) and part.name == name for part in walk(node))
    return frozenset(
        name for name, found in classes.items() if len(found) == 1 and "" not in found and uses[name] == updates[name]
    )
