"""Whether a loop nobody called independent may run in parallel (kernels regions and ``auto``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from accache.analysis.affine import index_polynomial
from accache.analysis.calls import index_parts, passed, points, uses_heap
from accache.analysis.dependence import Reference, carried_dependence
from accache.analysis.places import Definitions, Place, subscripts_of
from accache.analysis.uniformity import leaving_jumps
from accache.analysis.walk import (
    assigned_variables,
    children,
    declared_variables,
    single_definitions,
    walk,
)
from accache.ir.atomics import AtomicAccess, atomic_access
from accache.ir.builtins import is_pure_call
from accache.ir.regions import LoopSpec, Region
from accache.ir.simt import CanonicalLoop
from accache.ir.tree import Assign, Atomic, Call, Expr, For, Member, Stmt, Subscript, Unary, Variable
from accache.planning.aliasing import may_overlap
from accache.planning.counters import is_counter

STEPS = ("++", "--", "p++", "p--")


def sequential_reason(loop: For, canonical: CanonicalLoop, spec: LoopSpec, region: Region) -> str:
    """Why a loop must run sequentially; '' where an affine dependence test proves its iterations independent."""
    body = loop.body
    if any(leaving_jumps(body)):
        return "it contains break, continue, return or goto"
    call = next((node for node in walk(body) if isinstance(node, Call) and not _is_known(node)), None)
    if call is not None:
        return f"it calls {call.function}"
    scalar = _carried_scalar(body, canonical, spec)
    if scalar:
        return f"'{_plain(scalar)}' is carried from one iteration to the next"
    definitions = single_definitions(body)
    place = Place().inside(loop, definitions)
    references = list(_references(body, place, definitions))
    if any(not isinstance(item, tuple) for item in references):
        return "it accesses memory through something other than an array"
    found = [item for item in references if isinstance(item, tuple)]
    overlap = _overlap([item[0] for item in found], region)
    if overlap:
        return f"'{_plain(overlap[0])}' and '{_plain(overlap[1])}' may overlap"
    deepest = max((item[1] for item in found), key=lambda place: len(place.ranges), default=place)
    merged = _merge([item[1] for item in found] or [deepest])
    inner = (assigned_variables(body) | declared_variables(body)) - {canonical.variable}
    pair = carried_dependence(
        canonical.variable, canonical.step, [item[0] for item in found], merged.facts[0], frozenset(inner)
    )
    if pair is None:
        return ""
    lines = sorted({pair[0].location.line, pair[1].location.line})
    where = " and ".join(f"line {line}" for line in lines)
    return f"iterations may depend on each other through '{_plain(pair[0].array)}' ({where})"


def _is_known(call: Call) -> bool:
    """Whether all that a call does is compute a value from memory it is handed."""
    return not uses_heap(call) and (call.callee is not None or is_pure_call(call.function))


def _merge(places: list[Place]) -> Place:
    """All loops around any of the references; names are unique in a region, so ranges cannot clash."""
    return Place(tuple(dict(found for place in places for found in place.ranges).items()))


def _references(
    stmt: Stmt | Expr, place: Place, definitions: Definitions, write: bool = False
) -> Iterator[tuple[Reference, Place] | str]:
    """Every array reference below a node with its place; a string for an access that is none."""
    if isinstance(stmt, Atomic) and (access := atomic_access(stmt)).order_class and access.value is not None:
        if not isinstance(access.place, Variable):
            for found in _references(access.place, place, definitions, True):
                yield found if isinstance(found, str) else _unordered(found, access)
        yield from _references(access.value, place, definitions)
        return
    if isinstance(stmt, Stmt):
        inner = place.inside(stmt, definitions)
        for child in children(stmt):
            yield from _references(child, inner if isinstance(child, Stmt) else place, definitions)
        return
    if isinstance(stmt, Subscript):
        base, subscripts = subscripts_of(stmt)
        if not isinstance(base, Variable):
            yield "indirect"
            return
        polynomials = tuple(index_polynomial(item, definitions) for item in subscripts)
        yield Reference(base.name, polynomials, write, stmt.location), place
        for item in subscripts:
            yield from _references(item, place, definitions)
        return
    if isinstance(stmt, Call) and stmt.callee is not None:
        yield from _handed(stmt, place, definitions)
        return
    if isinstance(stmt, Unary) and stmt.op in ("*", "&"):
        yield "pointer"
        return
    if isinstance(stmt, Member) and stmt.arrow:
        yield "pointer"
        return
    if isinstance(stmt, Assign):
        yield from _references(stmt.target, place, definitions, True)
        if stmt.op != "=":
            yield from _references(stmt.target, place, definitions)
        yield from _references(stmt.value, place, definitions)
        return
    writes = write or (isinstance(stmt, Unary) and stmt.op in STEPS)
    for child in children(stmt):
        yield from _references(child, place, definitions, writes and isinstance(stmt, (Unary, Member)))


def _unordered(item: tuple[Reference, Place], access: AtomicAccess) -> tuple[Reference, Place]:
    """A reference below an atomic update: the place itself may be updated in any order."""
    reference, place = item
    return (replace(reference, order_class=access.order_class) if reference.is_write else reference), place


def _handed(call: Call, place: Place, definitions: Definitions) -> Iterator[tuple[Reference, Place] | str]:
    """The references of a routine's call: any element of the arrays it is handed, and what its arguments read."""
    handed = list(passed(call))
    addresses = {id(item.argument) for item in handed}
    for item in handed:
        if item.root is None:
            yield "pointer"
        elif points(item.root.type):
            yield Reference(item.root.name, (), item.writes, call.location), place
    parts = [argument for argument in call.arguments if id(argument) not in addresses]
    parts += [part for item in handed for part in index_parts(item.argument)]
    for part in parts:
        yield from _references(part, place, definitions)


def _overlap(references: list[Reference], region: Region) -> tuple[str, str] | None:
    """Two different names, one written, that may reach the same memory."""
    variables = {variable.name: variable for variable in region.variables}
    written = sorted({reference.array for reference in references if reference.is_write} & set(variables))
    others = sorted({reference.array for reference in references} & set(variables))
    for name in written:
        for other in others:
            if name != other and may_overlap(variables[name], variables[other]):
                return name, other
    return None


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
    uses = Counter(node.name for node in walk(body) if isinstance(node, Variable))
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


def _plain(name: str) -> str:
    return name.partition("#")[0]
