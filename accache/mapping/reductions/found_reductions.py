"""Reductions that nobody named: of scalars that a loop does nothing with but combine.

Before: ``for (...) error = fmaxf(error, fabsf(a[i] - b[i]));``, whose iterations seem to wait for each other. After,
as if the user had written it, ``#pragma acc loop reduction(max: error)`` stands in front of the loop.

In loops of kernels constructs only where the order makes no difference to the result, to the bit: integers, and least
and greatest floating-point numbers. Sums of floating-point numbers depend on their order, so the user has to ask for
them.
In loops that run in parallel in any case, of all that a clause could name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from accache.analysis.calls import has_effect
from accache.analysis.canonical import canonical_loop
from accache.base.diagnostics import Reporter
from accache.base.text import Location
from accache.ir.names import user_name
from accache.ir.openacc.atomics import AtomicAccess, read_access
from accache.ir.openacc.regions import GANGS, LoopSpec, Reduction, Region
from accache.ir.tree import Assign, Atomic, Block, Call, Conditional, Declare, Evaluate, Expr, For, If, Stmt, Variable
from accache.ir.types import Arithmetic, is_bool, is_volatile, resolve, unqualified
from accache.ir.walk import assigned_variables, children, declared_variables, items_of, nodes_of, rewrite, walk
from accache.mapping.data.data_model import memory_variables

OPERATORS = ("+", "*", "&", "|", "^")
CALLS = {"fmax": "double", "fmin": "double", "fmaxf": "float", "fminf": "float"}
CHOOSING = {"max": "<", "min": ">"}
"""How a minimum or maximum compares what it has with a value, so that one that is no number is never taken."""
MAGNITUDES = ("fabs", "fabsf")


def with_found_reductions(piece: Stmt, region: Region) -> Stmt:
    """A piece of a kernels region whose loops name what they reduce; the piece itself if there is nothing to name."""
    if region.kind != "kernels":
        return piece

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or isinstance(canonical_loop(node), str):
            return node
        spec = node.loop or LoopSpec(node.location, auto=True)
        found = () if spec.seq or spec.independent else tuple(_reductions(node, spec, _operator))
        return replace(node, loop=replace(spec, reductions=(*spec.reductions, *found))) if found else node

    return rewrite(piece, change)


def found_reductions(before: Stmt, after: Stmt) -> Iterator[tuple[LoopSpec, Reduction]]:
    """What the loops of a piece name that they did not name before."""
    had = {loop.location: loop.loop.reductions if loop.loop else () for loop in _loops(before)}
    for loop in _loops(after):
        if loop.loop is not None:
            yield from ((loop.loop, item) for item in loop.loop.reductions if item not in had[loop.location])


def with_implied_reductions(region: Region, reporter: Reporter) -> Region:
    """A region whose loops run in parallel and name the scalars that they do nothing with but combine (ACC328).

    Without a clause all that is combined would be lost, or written by all threads at once: there is no other result
    that a program could want. Sums of floating-point numbers are reduced, too. In kernels constructs these are the
    loops that are said to be independent.
    """
    if region.kind == "serial":
        return region
    uses = _uses(region.body)
    unnamed, of_gangs = _unnamed(region), _of_gangs(region)
    added: dict[Location, list[Reduction]] = {}
    told: set[str] = set()
    for item in items_of(region.body):
        inside = _uses(item)
        is_apart = region.kind == "kernels"  # each loop is a kernel of its own
        lasting = frozenset(name for name in unnamed if is_apart or inside[name] == uses[name])
        for spec, reduction in _implied(item, lasting, frozenset(), of_gangs=of_gangs, region=region):
            added.setdefault(spec.location, []).append(reduction)
            if reduction.variable not in told:
                told.add(reduction.variable)
                name = user_name(reduction.variable)
                reporter.report("ACC328", spec.location, name=name, operator=reduction.operator)

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or node.loop is None or node.loop.location not in added:
            return node
        own = set(_reductions(node, node.loop, _closest_operator))  # loops of a macro stand at one place
        found = (item for item in dict.fromkeys(added[node.loop.location]) if item in own)
        return replace(node, loop=replace(node.loop, reductions=(*node.loop.reductions, *found)))

    body = rewrite(region.body, change) if added else region.body
    assert isinstance(body, Stmt)
    return replace(region, body=body)


def _implied(
    stmt: Stmt, wanted: frozenset[str], own: frozenset[str], *, of_gangs: frozenset[str], region: Region
) -> Iterator[tuple[LoopSpec, Reduction]]:
    """What parallel loops combine in variables that are ``wanted``, or ``own`` ones of an iteration around them.

    In each iteration of a loop those ``of_gangs`` are own ones, too. No gang loop combines these.
    """
    if isinstance(stmt, For) and stmt.loop is not None:
        spec = stmt.loop
        combined = wanted if spec.levels & set(GANGS) else wanted | own
        found = list(_reductions(stmt, spec, _closest_operator)) if not spec.seq else []
        found = [item for item in found if item.variable in combined and not region.is_unproved(spec)]
        yield from ((spec, item) for item in found)
        wanted = wanted if spec.seq else wanted & {item.variable for item in found}
        own |= of_gangs | declared_variables(stmt.body) | {item.name for item in spec.private}
    for child in children(stmt):
        if isinstance(child, Stmt):
            yield from _implied(child, wanted, own, of_gangs=of_gangs, region=region)


def _of_gangs(region: Region) -> frozenset[str]:
    """The numbers of the host of which a gang has a copy in any case, or each iteration will have one."""
    named = {clause.subarray.variable for clause in (*region.enclosing_data, *region.data)}
    named |= {item.variable for item in region.reductions}
    memory = memory_variables(region) if region.kind == "parallel" else frozenset()
    return frozenset(
        item.name
        for item in region.variables
        if item.name not in named | memory
        and isinstance(resolve(item.type), Arithmetic)
        and (region.kind == "parallel" or not item.may_be_read_behind)
    )


def _uses(stmt: Stmt) -> Counter[str]:
    """How often variables are named."""
    return Counter(node.name for node in nodes_of(stmt, Variable))


def _unnamed(region: Region) -> frozenset[str]:
    """The numbers of the host whose value behind a construct counts, and that no clause makes anybody's own."""
    own = {item.name for item in (*region.private, *region.firstprivate)}
    own |= {item.variable for item in region.reductions} | declared_variables(region.body)
    specs = [loop.loop for loop in _loops(region.body) if loop.loop is not None]
    own |= {item.variable for spec in specs for item in spec.reductions}
    if any(spec.levels & set(GANGS[1:]) for spec in specs):  # no reduction goes over several dimensions of gangs
        return frozenset()
    memory = memory_variables(region)
    return frozenset(
        item.name
        for item in region.variables
        if item.name not in own
        and isinstance(resolve(item.type), Arithmetic)
        and (item.is_live or item.is_static or item.name in memory)
    )


def _loops(stmt: Stmt) -> Iterable[For]:
    return nodes_of(stmt, For)


def _reductions(loop: For, spec: LoopSpec, operator_of: Callable[[AtomicAccess, For], str]) -> Iterator[Reduction]:
    """The scalars that a loop only updates, all by one operator, and that it does not have for itself."""
    if any(isinstance(node, Call) and node.callee is not None and node.callee.uses_residents for node in walk(loop)):
        return
    own = declared_variables(loop) | {item.name for item in spec.private} | {item.variable for item in spec.reductions}
    uses = _uses(loop)
    updates: Counter[str] = Counter()
    found: dict[str, set[Reduction]] = {}
    for stmt in _statements(loop.body):
        update = _update(stmt)
        if update is not None and isinstance(update.place, Variable):
            place = update.place
            updates[place.name] += sum(isinstance(node, Variable) and node.name == place.name for node in walk(stmt))
            operator = operator_of(update, loop)
            found.setdefault(place.name, set()).add(Reduction(operator, place.name, unqualified(place.type)))
    for name, items in sorted(found.items()):
        if name not in own and len(items) == 1 and uses[name] == updates[name]:
            yield from (item for item in items if item.operator)


def _statements(stmt: Stmt) -> Iterator[Stmt]:
    """The statements in one that may be updates, atomic ones left out."""
    if isinstance(stmt, Atomic):
        return
    yield stmt
    if _update(stmt) is None:
        for child in children(stmt):
            if isinstance(child, Stmt):
                yield from _statements(child)


def _update(stmt: Stmt) -> AtomicAccess | None:
    """What a statement updates, and how; None if it does anything else."""
    if isinstance(stmt, If) and stmt.otherwise is None:
        then = stmt.then
        while isinstance(then, Block) and len(then.items) == 1:
            then = then.items[0]
        if not isinstance(then, Evaluate) or not isinstance(then.expr, Assign) or then.expr.op != "=":
            return None
        assign = then.expr
        chosen = Conditional(assign.type, stmt.location, stmt.condition, assign.value, assign.target)
        stmt = Evaluate(stmt.location, replace(assign, value=chosen))
    if not isinstance(stmt, Evaluate):
        return None
    found = read_access("update", stmt)
    return None if isinstance(found, str) or found.value is None or has_effect(found.value) else found


def _operator(update: AtomicAccess, loop: For) -> str:
    """The operator of a reduction that gives the same bits as updates in the program's order; '' if there is none."""
    place, value = resolve(unqualified(update.place.type)), update.value
    assert value is not None
    if not isinstance(place, Arithmetic) or is_bool(place) or is_volatile(update.place.type) or update.value_first:
        return ""
    if place.is_integer:
        if update.operator in CHOOSING:
            is_alike = resolve(unqualified(value.type)) == place and not update.test.startswith("f")
            return update.operator if is_alike and update.order_class else ""
        return update.order_class if update.order_class in OPERATORS else ""
    if update.operator not in CHOOSING:
        return ""
    if update.test in CALLS:
        return update.operator if CALLS[update.test] == place.name else ""
    is_exact = resolve(unqualified(value.type)) == place and _is_magnitude(value, loop)
    return update.operator if update.test == CHOOSING[update.operator] and is_exact else ""


def _closest_operator(update: AtomicAccess, loop: For) -> str:
    """The operator of a reduction that gives what updates do but for rounding; '' if there is none."""
    exact = _operator(update, loop)
    place = resolve(unqualified(update.place.type))
    if exact or not isinstance(place, Arithmetic) or place.is_integer or is_volatile(update.place.type):
        return exact
    if update.operator in CHOOSING:
        # neither a call that rounds to another type, nor a comparison that takes what is no number
        return update.operator if update.test == CHOOSING[update.operator] else ""
    return update.order_class if update.order_class in ("+", "*") and not update.value_first else ""


def _is_magnitude(value: Expr, loop: For) -> bool:
    """Whether a value is never -0, which a minimum or maximum tells from 0 only by what came first."""
    name = value.name if isinstance(value, Variable) else ""
    inits = [node.init for node in nodes_of(loop.body, Declare) if node.name == name]
    if len(inits) == 1 and inits[0] is not None and name not in assigned_variables(loop.body):
        value = inits[0]
    return isinstance(value, Call) and value.function in MAGNITUDES
