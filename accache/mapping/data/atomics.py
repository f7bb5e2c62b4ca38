"""Atomic accesses of what threads do not share, and of gang's scalars that they do.

A variable of a thread's own needs no atomic access: what is left is the plain statement. A gang's
scalar that the gang's threads access atomically moves to shared memory, since otherwise each
thread keeps a copy of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from accache.base.diagnostics import Reporter
from accache.ir.kernels.simt import ParallelFor
from accache.ir.names import user_name
from accache.ir.openacc.atomics import atomic_access
from accache.ir.openacc.regions import FreeVariable, Region
from accache.ir.tree import Atomic, Declare, Expr, Member, Stmt, Subscript, Variable
from accache.ir.types import Array, element_type, is_scalar, resolve
from accache.ir.walk import children, rewrite, walk

Axes = frozenset[str]


class Settled(Struct, frozen=True):
    """A kernel's body with the atomic accesses that are left.

    ``shared`` are the gang's scalars in shared memory; ``copies`` declares those among them that start from the value
    of a variable of the host.
    """

    body: Stmt
    shared: frozenset[str] = frozenset()
    copies: tuple[Declare, ...] = ()


class _Use(Struct, frozen=True):
    """An atomic construct, the axes spread where its variable is declared, and those spread around itself."""

    stmt: Atomic
    name: str
    declared: Axes
    around: Axes

    @property
    def is_array(self) -> bool:
        """Whether the variable is an array, of which threads share one copy anyway."""
        return any(isinstance(node, Variable) and isinstance(resolve(node.type), Array) for node in walk(self.place))

    @property
    def place(self) -> Expr:
        """What is accessed."""
        return atomic_access(self.stmt).place


def settle_atomics(
    body: Stmt,
    region: Region,
    block: tuple[int, int, int],
    memory: frozenset[str],
    *,
    addressed: frozenset[str],
    reporter: Reporter,
) -> Settled:
    """Take atomic accesses of a thread's own variables apart, and move the gang's scalars to shared memory.

    Those are the scalars that are ``addressed`` too, none that lie in device ``memory``. Warns of a scalar that each
    gang has a copy of by default, which then takes the updates (ACC330).
    """
    axes = frozenset(axis for axis, extent in zip("xyz", block, strict=True) if extent > 1)
    free = {item.name: item.type for item in region.variables}
    uses = list(_uses(body, {name: Axes() for name in _own_copies(region, memory)}, Axes(), axes))
    for name in dict.fromkeys(use.name for use in uses if use.name in free):
        if name not in {item.name for item in region.firstprivate}:
            first = next(use.place for use in uses if use.name == name)
            plain = user_name(name)
            reporter.report("ACC330", first.location, name=plain)
    own = {id(use.stmt) for use in uses if use.declared == use.around}
    settled = rewrite(body, lambda node: node.body if isinstance(node, Atomic) and id(node) in own else node, Atomic)
    shared = addressed | {use.name for use in uses if id(use.stmt) not in own and not use.is_array}
    names = {name: f"{name}#shared" for name in shared if name in free}

    def change(node: Expr | Stmt) -> Expr | Stmt:
        return replace(node, name=names[node.name]) if isinstance(node, Variable) and node.name in names else node

    where = region.location
    copies = (Declare(where, new, free[old], Variable(free[old], where, old)) for old, new in sorted(names.items()))
    changed = rewrite(settled, change) if names else settled
    return Settled(changed, frozenset(names.get(name, name) for name in shared), tuple(copies))


def settled(body: Stmt, parameters: Sequence[FreeVariable]) -> Stmt:
    """A seq routine's body without atomic accesses of its own variables."""
    values = {item.name: Axes() for item in parameters if element_type(item.type) is None}
    own = {id(use.stmt) for use in _uses(body, values, Axes(), Axes())}
    return rewrite(body, lambda node: node.body if isinstance(node, Atomic) and id(node) in own else node)


def _own_copies(region: Region, memory: frozenset[str]) -> Iterator[str]:
    """The host's variables of which each gang has a copy."""
    for variable in region.variables:
        if is_scalar(variable.type) and element_type(variable.type) is None and variable.name not in memory:
            yield variable.name


def _uses(stmt: Stmt, declared: dict[str, Axes], around: Axes, axes: Axes) -> Iterator[_Use]:
    """The atomic constructs below a statement whose place is a variable that not all threads of the program share.

    ``declared`` is added to by the declarations on the way.
    """
    if isinstance(stmt, Declare):
        declared[stmt.name] = around
    if isinstance(stmt, Atomic):
        name = _root(atomic_access(stmt).place)
        if name in declared:
            yield _Use(stmt, name, declared[name], around)
        return
    if isinstance(stmt, ParallelFor):
        around |= {stmt.block} & axes
        own = (stmt.loop.variable, *(item.variable for item in stmt.reductions))
        declared |= dict.fromkeys(own, around)
    for child in children(stmt):
        if isinstance(child, Stmt):
            yield from _uses(child, declared, around, axes)


def _root(place: Expr) -> str:
    """The variable a place lies in; '' for memory behind a pointer."""
    while isinstance(place, (Subscript, Member)):
        behind = place.arrow if isinstance(place, Member) else not isinstance(resolve(place.base.type), Array)
        if behind:
            return ""
        place = place.base
    return place.name if isinstance(place, Variable) else ""
