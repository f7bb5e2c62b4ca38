"""What becomes of the scalars that loops of a kernel reduce: over gangs, in memory, or in copies that gangs have.

A loop that is not spread over gangs reduces a copy of what lies in memory. Before: ``for (...) s += a[i];`` over
threads, ``s`` in memory. After: ``{ own = 0; for (...) own += a[i]; s += own; }``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct, field
from msgspec.structs import replace

from accache.base.diagnostics import Reporter
from accache.base.text import Location
from accache.ir.kernels.simt import ParallelFor
from accache.ir.names import user_name
from accache.ir.openacc.regions import LoopSpec, Reduction, Region
from accache.ir.tree import Block, Declare, Expr, For, Stmt, Variable
from accache.ir.types import unqualified
from accache.ir.walk import assigned_variables, children, nodes_of, rewrite, used_variables, walk
from accache.mapping.data.data_model import memory_variables
from accache.mapping.data.elements import NEEDS_IDENTITY, assigned, combined, identity
from accache.mapping.data.renaming import Successor, renamed

ELSEWHERE = "the construct uses it outside of the reduction too"
OF_GANGS = "the loop is spread over gangs, and each gang has a variable of its own"


class ScalarRoles(Struct, dict=True):
    """Collects how the loops of one kernel's ``source`` reduce scalars.

    ``over_gangs`` are those that the launch combines, ``alone`` those that single gangs reduce, for lack of a loop
    that may be spread over gangs; each with the place of its loop.
    """

    region: Region
    source: Stmt
    over_gangs: dict[str, Location] = field(default_factory=dict)
    alone: dict[str, Location] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.host = {item.name for item in self.region.variables}
        self.combined = {item.target for item in self.region.reductions}
        specs = [node.loop for node in nodes_of(self.source, For) if node.loop is not None]
        self.reduced = {item.variable for spec in specs for item in spec.reductions if not item.is_array}
        own = {item.name for item in (*self.region.private, *self.region.firstprivate)} | self.combined
        kept = {item.name for item in self.region.variables if item.may_be_read_behind}
        self.lasting = (kept | memory_variables(self.region)) - own
        self.beside = used_beside_reductions(self.source) & self.reduced

    def holds_back(self, spec: LoopSpec) -> bool:
        """Whether gangs must not share a loop: they have copies of what it reduces, or use that beside it."""
        for_launch = self.host - (self.beside - self.combined)
        is_held = any(item.variable not in for_launch for item in spec.reductions)
        if is_held:
            self.note_alone(spec)
        return is_held

    def note_alone(self, spec: LoopSpec) -> None:
        """Note what a loop that is not spread over gangs reduces."""
        self.alone |= {item.variable: spec.location for item in spec.reductions if not item.is_array}

    def note_gangs(self, reductions: tuple[Reduction, ...], spec: LoopSpec, reporter: Reporter) -> None:
        """Note what a loop over gangs reduces (ACC262)."""
        targets = {item.target for item in reductions}
        scalars = {item.target for item in reductions if not item.is_array}
        self.over_gangs |= dict.fromkeys(scalars & self.host, spec.location)
        for name in sorted(targets - self.host):
            reporter.report("ACC262", spec.location, name=user_name(name), reason=OF_GANGS)

    def memory(self, body: Stmt, has_one_gang: bool) -> frozenset[str]:
        """The scalars and structures in device memory; ``body`` is the mapped kernel."""
        own = {item.name for item in (*self.region.private, *self.region.firstprivate)} | self.combined
        shared = _used_outside(body, lambda loop, _: is_over_gangs(loop))
        copied = (self.reduced & used_variables(body)) - shared
        results = (self.alone.keys() & self.host) - own if has_one_gang else set[str]()
        by_gangs = frozenset[str]() if has_one_gang else self.alone.keys() - _assigned_over_gangs(body)
        return (memory_variables(self.region) | results) - copied - self.over_gangs.keys() - by_gangs

    def of_one_gang(self, memory: frozenset[str], has_one_gang: bool) -> tuple[Reduction, ...]:
        """What several gangs reduce each for itself, and the host gets from one of them; not what lies in ``memory``.

        They all compute the same (OpenACC 3.3, section 2.9.11, leaves open what the host sees).
        """
        wanted = self.alone.keys() & self.lasting - memory - self.over_gangs.keys()
        found = {
            item.variable: replace(item, of_one_gang=True, fresh=False)
            for node in walk(self.source)
            if isinstance(node, For) and node.loop is not None
            for item in node.loop.reductions
            if item.variable in wanted and not has_one_gang
        }
        return tuple(found.values())

    def refuse_elsewhere(self, body: Stmt, memory: frozenset[str], has_one_gang: bool, reporter: Reporter) -> None:
        """Report scalars that gangs reduce or use each for itself, though the host gets one result of all (ACC262)."""
        outside = used_beside_reductions(body)
        wrong = {name: self.over_gangs[name] for name in (outside & self.over_gangs.keys()) - self.combined}
        apart = memory | (_assigned_over_gangs(body) & self.lasting)
        wrong |= {name: self.alone[name] for name in self.alone.keys() & apart if not has_one_gang}
        for name, where in sorted(wrong.items()):
            reporter.report("ACC262", where, name=user_name(name), reason=ELSEWHERE)


def reduced_in_copies(body: Stmt, memory: frozenset[str]) -> Stmt:
    """A mapped kernel whose loops over threads reduce copies of what lies in ``memory``."""
    nested = {
        (id(inner.loop), name) for outer in _loops(body) for name in _reduced_by(outer) for inner in _loops(outer.body)
    }

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, ParallelFor):
            return node
        wanted = [item for item in node.reductions if item.variable in memory]
        names = [item for item in wanted if (id(node.loop), item.variable) not in nested]
        return _with_copies(node, names) if names else node

    return rewrite(body, change) if any(loop.reductions for loop in _loops(body)) else body


def _with_copies(loop: ParallelFor, reductions: list[Reduction]) -> Stmt:
    """A loop that reduces copies, which are combined with the variables that they are of."""
    before: list[Stmt] = []
    after: list[Stmt] = []
    successors: dict[str, Successor] = {}
    for item in reductions:
        where, ctype, name = loop.location, unqualified(item.type), f"{item.variable}#own_{loop.loop.variable}"
        variable, own = Variable(item.type, where, item.variable), Variable(ctype, where, name)
        is_fresh = item.operator in NEEDS_IDENTITY
        before.append(Declare(where, name, ctype, identity(item.operator, ctype, where) if is_fresh else variable))
        after.append(combined(item.operator, variable, own) if is_fresh else assigned(variable, own))
        successors[item.variable] = Successor(name, ctype)
    copied = renamed(loop, successors)
    assert isinstance(copied, ParallelFor)
    new = {item.name for item in successors.values()}
    marked = (
        replace(item, fresh=item.variable in new and item.operator in NEEDS_IDENTITY) for item in copied.reductions
    )
    return Block(loop.location, (*before, replace(copied, reductions=tuple(marked)), *after))


def used_beside_reductions(stmt: Stmt) -> frozenset[str]:
    """The variables that a statement uses elsewhere than in loops that reduce them."""
    return _used_outside(stmt, lambda loop, name: name in _reduced_by(loop))


def _loops(stmt: Stmt) -> Iterable[ParallelFor]:
    return nodes_of(stmt, ParallelFor)


def _reduced_by(stmt: Stmt) -> frozenset[str]:
    """The variables that a loop reduces, mapped or not."""
    if isinstance(stmt, For) and stmt.loop is not None:
        return frozenset(item.variable for item in stmt.loop.reductions)
    return frozenset(item.variable for item in stmt.reductions) if isinstance(stmt, ParallelFor) else frozenset()


def is_over_gangs(stmt: Stmt) -> bool:
    """Whether a statement is a loop over gangs, or the first of a nest of which one is."""
    return isinstance(stmt, ParallelFor) and (bool(stmt.grid) or is_over_gangs(stmt.body))


def _assigned_over_gangs(body: Stmt) -> frozenset[str]:
    """The variables that gangs assign in iterations that they share."""
    loops = [loop for loop in _loops(body) if loop.grid]
    return frozenset[str]().union(*map(assigned_variables, loops))


def _used_outside(node: Stmt | Expr, inside: Callable[[Stmt, str], bool]) -> frozenset[str]:
    """The variables that are used elsewhere than ``inside`` of loops."""
    if isinstance(node, Expr):
        return used_variables(node)
    found = frozenset[str]().union(*(_used_outside(part, inside) for part in children(node)))
    return frozenset(name for name in found if not inside(node, name))
