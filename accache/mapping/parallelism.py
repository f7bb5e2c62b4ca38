"""Whether a loop nobody called independent may run in parallel (kernels regions and ``auto``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.addresses import ROW, Address, Addresses, Memory, flattened, loads_of
from accache.analysis.aliasing import keeps_its_memory, may_overlap_in, may_share
from accache.analysis.calls import acts, index_parts, passed, points
from accache.analysis.canonical import canonical_loop, is_counter
from accache.analysis.dependence import Reference, carried_dependence
from accache.analysis.loop_context import EVERYWHERE, LoopContext, subscripts_of
from accache.analysis.member_variables import MemberVariables
from accache.analysis.points_to import ANYWHERE, CHAR, pointer_origins
from accache.analysis.ranges import Facts, Interval
from accache.analysis.uniformity import leaving_jumps
from accache.base.text import Location
from accache.ir.builtins import is_pure_call
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.names import user_name
from accache.ir.openacc.atomics import atomic_access
from accache.ir.openacc.regions import FreeVariable, LoopSpec, Region
from accache.ir.tree import STEPPING, Assign, Atomic, Call, Declare, Expr, For, Member, Stmt, Subscript, Unary, Variable
from accache.ir.types import Arithmetic, Array, CType, Pointer, element_type, is_array, resolve
from accache.ir.walk import (
    assigned_variables,
    children,
    declared_variables,
    nodes_of,
    single_addresses,
    single_definitions,
    used_variables,
    varying_variables,
    walk,
)


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
    scalar = _carried_scalar(body, canonical, spec)
    if scalar:
        return f"'{user_name(scalar)}' is carried from one iteration to the next"
    varying = varying_variables(body) | {canonical.variable}
    addresses = _addresses(body, varying, region)
    context = LoopContext((*_known(region), *around.ranges)).inside(loop, addresses.definitions)
    own = {item.name for item in spec.private} | declared_variables(body)
    collector = _Collector(addresses, len(context.ranges), frozenset(own))
    accesses = [access for part in parts for access in collector.accesses(part, context)]
    accesses += [access for element in read for access in collector.accesses(element, context)]
    arrays = {item.name for item in spec.private if is_array(item.type)}
    accesses = [access for access in accesses if access.address.memory.name not in arrays]
    if collector.other:
        return "it accesses memory through something other than an array"
    overlap = _overlap(accesses, region)
    if overlap:
        return overlap
    inner = varying - {canonical.variable}
    pair = carried_dependence(canonical.variable, canonical.step, _references(accesses), context.facts[0], inner=inner)
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


def _addresses(body: Stmt, varying: frozenset[str], region: Region) -> Addresses:
    """What follows the addresses of a loop's body; copies of private variables have other names than in the region."""
    copied = _copied(region)
    declared = declared_variables(body)
    around = {
        name: init
        for name, init in single_addresses(region.body).items()
        if name not in declared and not copied & {name, *used_variables(init)}
    }
    origins = {
        name: frozenset((ANYWHERE,)) if found & copied else found
        for name, found in pointer_origins(region.body).items()
    }
    free = frozenset(variable.name for variable in region.variables)
    pointers = around | single_addresses(body)
    return Addresses(single_definitions(body), pointers, varying, assigned_variables(region.body), origins, free)


def _copied(region: Region) -> frozenset[str]:
    """The variables of which gangs or threads may have copies."""
    specs = [node.loop for node in nodes_of(region.body, For) if node.loop is not None]
    private = [*region.private, *region.firstprivate, *(item for spec in specs for item in spec.private)]
    reductions = [*region.reductions, *(item for spec in specs for item in spec.reductions)]
    return frozenset((*(item.name for item in private), *(item.variable for item in reductions)))


class _Access(Struct, frozen=True):
    """One access of memory, with what is known where it stands."""

    address: Address
    is_write: bool
    location: Location
    facts: Facts
    order_class: str = ""


def _references(accesses: list[_Access]) -> Iterator[Reference]:
    """The accesses for the dependence test; those of an array of which one may leave a row have flat subscripts."""
    crossed = {access.address.memory.name for access in accesses if access.address.crosses}
    for access in accesses:
        name = access.address.memory.name
        subscripts = flattened(access.address) if name in crossed else access.address.subscripts
        residue = access.address.residue if name not in crossed else None
        yield Reference(
            name,
            subscripts or (),
            access.is_write,
            access.location,
            order_class=access.order_class,
            facts=access.facts,
            residue=residue,
        )


class _Collector(Struct):
    """Collects the accesses of memory in a loop's parts; ``other`` if there are any that are not followed.

    ``depth`` loops are around all of them: what is known by those is no fact of a single one. What is an iteration's
    ``own`` no other one reaches by its name.
    """

    addresses: Addresses
    depth: int
    own: frozenset[str]
    other: bool = False

    def accesses(self, node: Stmt | Expr, context: LoopContext, write: bool = False) -> Iterator[_Access]:
        """The accesses below a node that stands at a place."""
        if isinstance(node, Atomic) and (atomic := atomic_access(node)).order_class and atomic.value is not None:
            if not isinstance(atomic.place, Variable):
                for found in self.accesses(atomic.place, context, True):
                    yield replace(found, order_class=atomic.order_class) if found.is_write else found
            yield from self.accesses(atomic.value, context)
        elif isinstance(node, Stmt):
            for child in children(node):
                is_body = isinstance(child, Stmt) and child is getattr(node, "body", None)
                yield from self.accesses(
                    child, context.inside(node, self.addresses.definitions) if is_body else context
                )
        elif isinstance(node, Subscript):
            yield from self.element(node, context, write)
        elif isinstance(node, Unary) and node.op == "&" and isinstance(node.operand, Subscript):
            yield from self.element(node.operand, context, write, is_used=False)
        elif isinstance(node, Call) and node.callee is not None:
            yield from self.handed(node, context)
        elif (isinstance(node, Unary) and node.op in ("*", "&")) or (isinstance(node, Member) and node.arrow):
            self.other = True
        elif isinstance(node, Assign):
            yield from self.accesses(node.target, context, True)
            if node.op != "=":
                yield from self.accesses(node.target, context)
            yield from self.accesses(node.value, context)
        else:
            writes = write or (isinstance(node, Unary) and node.op in STEPPING)
            for child in children(node):
                yield from self.accesses(child, context, writes and isinstance(node, (Unary, Member)))

    def element(self, expr: Subscript, context: LoopContext, write: bool, is_used: bool = True) -> Iterator[_Access]:
        """The access of an element, and those on the way to it: of pointers to rows, and in its subscripts.

        An element whose address is taken, and a row of an array, are not accessed themselves.
        """
        base, subscripts = subscripts_of(expr)
        if not isinstance(base, Variable):
            around, subscripts_around = _structure_around(expr)
            if around in self.own:
                for item in subscripts_around:
                    yield from self.accesses(item, context)
                return
            if not _is_in_element(expr):
                self.other = True
                return
            for item in (base, *subscripts):
                yield from self.accesses(item, context, write and item is base)
            return
        is_used = is_used and not isinstance(resolve(expr.type), Array)
        for part in (*([expr] if is_used else []), *loads_of(expr)):
            address = self.addresses.element(part)
            if address is None:
                self.other = True
                return
            yield self.access(address, write and part is expr, part, context)
        for item in subscripts:
            yield from self.accesses(item, context)

    def handed(self, call: Call, context: LoopContext) -> Iterator[_Access]:
        """The accesses of a routine's call: of any element it can reach by its arguments, and what these read."""
        handed = list(passed(call))
        addresses = {id(item.argument) for item in handed if element_type(item.argument.type) is not None}
        for item in handed:  # a structure is read as other values are; the addresses in it may lead anywhere
            address = self.addresses.of(item.argument) if id(item.argument) in addresses else None
            if address is not None:
                yield self.access(replace(address, subscripts=None), item.writes, call, context)
            element = element_type(item.argument.type)
            if item.root is None:
                self.other = True
            elif (address is None and points(item.root.type)) or (element is not None and points(element)):
                memory = Memory(item.root.name + ROW, CHAR, frozenset((ANYWHERE,)))
                yield self.access(Address(memory, None), item.writes, call, context)
        if call.callee is not None and call.callee.uses_residents:
            memory = Memory(call.function + ROW, CHAR, frozenset((ANYWHERE,)))
            yield self.access(Address(memory, None), call.callee.changes_residents, call, context)
        parts = [argument for argument in call.arguments if id(argument) not in addresses]
        parts += [part for item in handed if id(item.argument) in addresses for part in index_parts(item.argument)]
        for part in parts:
            yield from self.accesses(part, context)

    def access(self, address: Address, write: bool, expr: Expr, context: LoopContext) -> _Access:
        """An access with what is known of its place beside what is known of the loop's body."""
        return _Access(address, write, expr.location, LoopContext(context.ranges[self.depth :]).facts[0])


def _is_in_element(expr: Expr) -> bool:
    """Whether what a subscript leads to lies in an element of an array: ``a[i].row[j]``, if ``row`` is an array."""
    while isinstance(expr, Subscript) and isinstance(resolve(expr.base.type), Array):
        expr = expr.base
    is_member = isinstance(expr, Member)
    while isinstance(expr, Member) and not expr.arrow:
        expr = expr.base
    return is_member and isinstance(expr, Subscript)


def _structure_around(expr: Expr) -> tuple[str, tuple[Expr, ...]]:
    """The variable that an element lies in, and the subscripts on the way to it; '' where a pointer leads to it."""
    subscripts: list[Expr] = []
    while isinstance(expr, (Subscript, Member)):
        if isinstance(expr, Subscript):
            subscripts.append(expr.index)
        is_behind = expr.arrow if isinstance(expr, Member) else not isinstance(resolve(expr.base.type), Array)
        if is_behind:
            return "", ()
        expr = expr.base
    return expr.name if isinstance(expr, Variable) else "", tuple(subscripts)


def _overlap(accesses: list[_Access], region: Region) -> str:
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


def _carried_scalar(body: Stmt, canonical: CanonicalLoop, spec: LoopSpec) -> str:
    """A scalar declared outside the loop, assigned in it, and not private to an iteration; '' if there is none."""
    handled = {canonical.variable, *(item.name for item in spec.private), *(item.variable for item in spec.reductions)}
    assigned = assigned_variables(body) - declared_variables(body) - handled - _unordered_scalars(body)
    for name in sorted(assigned):
        if not is_counter(body, name):
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
