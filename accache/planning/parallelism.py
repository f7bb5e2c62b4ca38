"""Whether a loop nobody called independent may run in parallel (kernels regions and ``auto``)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.affine import index_polynomial
from accache.analysis.calls import index_parts, passed, points, uses_heap
from accache.analysis.dependence import Reference, carried_dependence
from accache.analysis.places import EVERYWHERE, Definitions, Place, subscripts_of
from accache.analysis.uniformity import leaving_jumps
from accache.analysis.walk import (
    assigned_variables,
    children,
    declared_variables,
    single_definitions,
    used_variables,
    varying_variables,
    walk,
)
from accache.ir.atomics import atomic_access
from accache.ir.builtins import is_pure_call
from accache.ir.polynomial import Polynomial
from accache.ir.regions import LoopSpec, Region
from accache.ir.simt import CanonicalLoop
from accache.ir.tree import Assign, Atomic, Call, Declare, Expr, For, Member, Stmt, Subscript, Unary, Variable
from accache.planning.aliasing import may_overlap
from accache.planning.counters import is_counter

STEPS = ("++", "--", "p++", "p--")


def sequential_reason(
    loop: For, canonical: CanonicalLoop, spec: LoopSpec, region: Region, around: Place = EVERYWHERE
) -> str:
    """Why a loop must run sequentially; '' where an affine dependence test proves its iterations independent.

    Start and limit of the loop count as read in each iteration. ``around`` is the place that the loop stands at.
    """
    body = loop.body
    if any(leaving_jumps(body)):
        return "it contains break, continue, return or goto"
    if loop.loop is None and not isinstance(loop.init[0], Declare) and not _only_counts(canonical.variable, region):
        return "its variable is used outside of it, too"
    parts = (canonical.first, canonical.limit, body)
    call = next((node for part in parts for node in walk(part) if isinstance(node, Call) and not _is_known(node)), None)
    if call is not None:
        return f"it calls {call.function}"
    scalar = _carried_scalar(body, canonical, spec)
    if scalar:
        return f"'{_plain(scalar)}' is carried from one iteration to the next"
    definitions = single_definitions(body)
    place = around.inside(loop, definitions)
    collector = _Collector(definitions, len(place.ranges))
    found = [reference for part in parts for reference in collector.references(part, place)]
    if collector.other:
        return "it accesses memory through something other than an array"
    overlap = _overlap(found, region)
    if overlap:
        return f"'{_plain(overlap[0])}' and '{_plain(overlap[1])}' may overlap"
    inner = varying_variables(body) - {canonical.variable}
    pair = carried_dependence(canonical.variable, canonical.step, found, place.facts[0], inner)
    if pair is None:
        return ""
    lines = sorted({pair[0].location.line, pair[1].location.line})
    where = " and ".join(f"line {line}" for line in lines)
    return f"iterations may depend on each other through '{_plain(pair[0].array)}' ({where})"


def _only_counts(name: str, region: Region) -> bool:
    """Whether a variable is one that loops of the region count with, and no more; not known of private copies."""
    return name in used_variables(region.body) and is_counter(region.body, name)


def _is_known(call: Call) -> bool:
    """Whether all that a call does is compute a value from memory it is handed."""
    return not uses_heap(call) and (call.callee is not None or is_pure_call(call.function))


class _Collector(Struct):
    """Collects the array references of a loop's parts; ``other`` if memory is accessed through something else.

    ``depth`` loops are around all of the references: what is known by those is no fact of a single one.
    """

    definitions: Definitions
    depth: int
    other: bool = False

    def references(self, node: Stmt | Expr, place: Place, write: bool = False) -> Iterator[Reference]:
        """The references below a node that stands at a place."""
        if isinstance(node, Atomic) and (access := atomic_access(node)).order_class and access.value is not None:
            if not isinstance(access.place, Variable):
                for found in self.references(access.place, place, True):
                    yield replace(found, order_class=access.order_class) if found.is_write else found
            yield from self.references(access.value, place)
        elif isinstance(node, Stmt):
            for child in children(node):
                is_body = isinstance(child, Stmt) and child is getattr(node, "body", None)
                yield from self.references(child, place.inside(node, self.definitions) if is_body else place)
        elif isinstance(node, Subscript):
            yield from self.element(node, place, write)
        elif isinstance(node, Call) and node.callee is not None:
            yield from self.handed(node, place)
        elif (isinstance(node, Unary) and node.op in ("*", "&")) or (isinstance(node, Member) and node.arrow):
            self.other = True
        elif isinstance(node, Assign):
            yield from self.references(node.target, place, True)
            if node.op != "=":
                yield from self.references(node.target, place)
            yield from self.references(node.value, place)
        else:
            writes = write or (isinstance(node, Unary) and node.op in STEPS)
            for child in children(node):
                yield from self.references(child, place, writes and isinstance(node, (Unary, Member)))

    def element(self, expr: Subscript, place: Place, write: bool) -> Iterator[Reference]:
        """The reference of an element, and those in its subscripts."""
        base, subscripts = subscripts_of(expr)
        if not isinstance(base, Variable):
            self.other = True
            return
        polynomials = tuple(index_polynomial(item, self.definitions) for item in subscripts)
        yield self.reference(base.name, polynomials, write, expr, place)
        for item in subscripts:
            yield from self.references(item, place)

    def handed(self, call: Call, place: Place) -> Iterator[Reference]:
        """The references of a routine's call: any element of the arrays it is handed, and what its arguments read."""
        handed = list(passed(call))
        addresses = {id(item.argument) for item in handed}
        for item in handed:
            if item.root is None:
                self.other = True
            elif points(item.root.type):
                yield self.reference(item.root.name, (), item.writes, call, place)
        parts = [argument for argument in call.arguments if id(argument) not in addresses]
        parts += [part for item in handed for part in index_parts(item.argument)]
        for part in parts:
            yield from self.references(part, place)

    def reference(
        self, array: str, subscripts: tuple[Polynomial | None, ...], write: bool, expr: Expr, place: Place
    ) -> Reference:
        """A reference with what is known of its place beside what is known of the loop's body."""
        facts = Place(place.ranges[self.depth :]).facts[0]
        return Reference(array, subscripts, write, expr.location, facts=facts)


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
