"""The accesses of memory in a statement, with the elements that they lead to and what is known where they stand."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.addresses import ROW, Address, Addresses, Memory, flattened, loads_of
from accache.analysis.calls import index_parts, passed, points
from accache.analysis.dependence import Reference
from accache.analysis.loop_context import LoopContext, subscripts_of
from accache.analysis.points_to import ANYWHERE, CHAR, pointer_origins
from accache.analysis.ranges import Facts
from accache.base.text import Location
from accache.ir.as_polynomial import index_polynomial
from accache.ir.openacc.atomics import AtomicAccess, atomic_access
from accache.ir.openacc.regions import Region
from accache.ir.polynomial import Polynomial
from accache.ir.tree import STEPPING, Assign, Atomic, Call, Expr, For, Member, Stmt, Subscript, Unary, Variable
from accache.ir.types import Array, element_type, is_array, resolve
from accache.ir.walk import (
    assigned_variables,
    children,
    declared_variables,
    nodes_of,
    single_addresses,
    single_definitions,
    used_variables,
)


def addresses_in(body: Stmt, varying: frozenset[str], region: Region) -> Addresses:
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


_FIELD = "#member"
"""Marks the symbol that stands for a member of a structure, whichever it is: the same one is in one place."""


class Access(Struct, frozen=True):
    """One access of memory, with what is known where it stands; the ``path`` leads to a part of an element."""

    address: Address
    is_write: bool
    location: Location
    facts: Facts
    order_class: str = ""
    path: tuple[Polynomial | None, ...] = ()


def references_of(accesses: list[Access]) -> Iterator[Reference]:
    """The accesses for the dependence test; those of an array of which one may leave a row have flat subscripts.

    Parts of elements are told apart where all accesses of an array lead as deep into them.
    """
    crossed = {access.address.memory.name for access in accesses if access.address.crosses}
    depths: dict[str, set[int]] = {}
    for access in accesses:
        depths.setdefault(access.address.memory.name, set()).add(len(access.path))
    for access in accesses:
        name = access.address.memory.name
        subscripts = flattened(access.address) if name in crossed else access.address.subscripts
        if subscripts is not None and name not in crossed and len(depths[name]) == 1:
            subscripts = (*subscripts, *access.path)
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


class AccessCollector(Struct):
    """Collects the accesses of memory in a loop's parts; ``other`` if there are any that are not followed.

    ``depth`` loops are around all of them: what is known by those is no fact of a single one. What is an iteration's
    ``own`` no other one reaches by its name. Atomic accesses whose order counts are of the class ``ordered``.
    """

    addresses: Addresses
    depth: int
    own: frozenset[str]
    other: bool = False
    ordered: str = ""

    def accesses(self, node: Stmt | Expr, context: LoopContext, write: bool = False) -> Iterator[Access]:
        """The accesses below a node that stands at a place."""
        if isinstance(node, Atomic) and (atomic_access(node).order_class or self.ordered):
            yield from self.atomic(atomic_access(node), context)
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

    def atomic(self, atomic: AtomicAccess, context: LoopContext) -> Iterator[Access]:
        """The accesses of an atomic construct: of its place, what this is combined with, and what gets its value."""
        order, writes = atomic.order_class or self.ordered, bool(atomic.operator)
        if not isinstance(atomic.place, Variable):
            for found in self.accesses(atomic.place, context, True):
                yield replace(found, order_class=order, is_write=writes) if found.is_write else found
        for part, is_target in ((atomic.value, False), (atomic.captured, True)):
            if part is not None:
                yield from self.accesses(part, context, is_target)

    def element(self, expr: Subscript, context: LoopContext, write: bool, is_used: bool = True) -> Iterator[Access]:
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
            yield from self.in_element(expr, context, write)
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

    def in_element(self, expr: Subscript, context: LoopContext, write: bool) -> Iterator[Access]:
        """The access of an element of an array that lies in an element of another one: ``a[i].row[j]``.

        What lies behind a member of a union is not told apart.
        """
        part, path = self._around(expr)
        place = self.addresses.element(part)
        for found in self.accesses(part, context, write):
            if found.address == place and place.subscripts is not None:
                found = replace(found, path=path)
            yield found
        for index in _indices_behind(expr, part):
            yield from self.accesses(index, context)

    def _around(self, expr: Subscript) -> tuple[Subscript, tuple[Polynomial | None, ...]]:
        """The element that such an element lies in, and what tells where in it."""
        path: list[Polynomial | None] = []
        part: Expr = expr
        while isinstance(part, Subscript) and is_array(part.base.type):
            path.insert(0, index_polynomial(part.index, self.addresses.definitions))
            part = part.base
        while isinstance(part, Member):
            is_union = getattr(resolve(part.base.type), "keyword", "") == "union"
            path = [] if is_union else [Polynomial.symbol(part.field + _FIELD), *path]
            part = part.base
        assert isinstance(part, Subscript)
        if isinstance(subscripts_of(part)[0], Variable) or not _is_in_element(part):
            return part, tuple(path)
        outer, first = self._around(part)
        return outer, (*first, *path)

    def handed(self, call: Call, context: LoopContext) -> Iterator[Access]:
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

    def access(self, address: Address, write: bool, expr: Expr, context: LoopContext) -> Access:
        """An access with what is known of its place beside what is known of the loop's body."""
        return Access(address, write, expr.location, LoopContext(context.ranges[self.depth :]).facts[0])


def _is_in_element(expr: Expr) -> bool:
    """Whether what a subscript leads to lies in an element of an array: ``a[i].row[j]``, if ``row`` is an array."""
    while isinstance(expr, Subscript) and isinstance(resolve(expr.base.type), Array):
        expr = expr.base
    is_member = isinstance(expr, Member)
    while isinstance(expr, Member) and not expr.arrow:
        expr = expr.base
    return is_member and isinstance(expr, Subscript)


def _indices_behind(expr: Expr, part: Expr) -> Iterator[Expr]:
    """The subscripts on the way from an element to one that lies in it."""
    while expr is not part and isinstance(expr, (Subscript, Member)):
        if isinstance(expr, Subscript):
            yield expr.index
        expr = expr.base


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
