"""Warns of elements that gangs hand to each other between the loops of one compute construct.

Before: ``parallel { loop gang: a[i] = ...; loop gang: b[i] = a[i - 1]; }``. No barrier parts gangs, so the second loop
may read a[i - 1] before the gang that has iteration i - 1 of the first one has written it. Such programs do not
conform, and what they compute depends on timing. Nothing is said where each gang gets back what it has written itself,
nor where it is not known which elements a reference leads to: a warning needs two iterations that meet in one element.

What an index that is loaded leads to may be any element (``loaded_indices``). So ``b[i] = a[at[i]]`` behind a loop that
writes ``a[i]`` is told: a gang would have to load numbers of its own iterations alone. Where both references have such
indices it may well do so. A condition on what is loaded may hold in each iteration, if only one reference has one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.canonical import constant_trips
from accache.analysis.dependence import Reference, may_meet
from accache.analysis.loop_context import EVERYWHERE, LoopContext
from accache.base.diagnostics import Reporter
from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.simt import CanonicalLoop, ParallelFor
from accache.ir.names import user_name
from accache.ir.openacc.regions import Region
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    Atomic,
    Binary,
    Block,
    Conditional,
    Declare,
    Expr,
    For,
    If,
    Member,
    Stmt,
    Subscript,
    Variable,
    While,
)
from accache.ir.types import Array, Pointer, resolve
from accache.ir.walk import (
    children,
    declared_variables,
    nodes_of,
    rewrite,
    single_definitions,
    used_variables,
    varying_variables,
)
from accache.mapping.loaded_indices import is_loaded, with_loaded_indices
from accache.mapping.memory_accesses import AccessCollector, addresses_in, references_of
from accache.mapping.witnesses import have_witness

_MEMBER = "."
"""Parts the name of an array from that of a member of its elements."""
_ATOMIC = "atomic"
"""The order class of atomic accesses whose order counts: of two of them the program says itself what it wants."""


def warn_of_handing_over(kernel: Stmt, region: Region, own: frozenset[str], reporter: Reporter) -> None:
    """Report where a gang uses elements of an array that another one may just write (ACC334), once for each array.

    Each gang has copies of its ``own`` arrays.
    """
    if isinstance(kernel, ParallelFor) or not any(_gang_loops(kernel)):
        return
    known: set[str] = set()
    for pair in _Parts(kernel, region, own).pairs:
        for first, second in pair.references:
            if first.array not in known and pair.hands_over(first, second):
                known.add(first.array)
                name = user_name(first.array.partition(_MEMBER)[0])
                how = "written" if first.is_write else "read"
                reporter.report("ACC334", second.location, name=name, how=how, line=first.location.line)


class _Part(Struct, frozen=True):
    """A part of a kernel, which is one loop over gangs or run by all gangs alike; and what it refers to.

    Iterations with one number have one gang in all loops of a ``schedule`` that is known. The symbols ``inside`` may
    have several values while a gang runs the part. Data decides on ``conditional`` references.
    """

    loop: CanonicalLoop | None
    schedule: tuple[object, ...]
    has_one_gang: bool
    references: tuple[Reference, ...]
    conditional: tuple[Reference, ...]
    inside: frozenset[str]


class _Pair(Struct, frozen=True):
    """Two parts that gangs may run in any order, of which the program runs ``later`` later.

    Both may be in the same rounds of the loops around them. If not, ``rounds`` names what may have changed in between.
    """

    earlier: _Part
    later: _Part
    rounds: frozenset[str] = frozenset()

    @property
    def references(self) -> Iterator[tuple[Reference, Reference]]:
        """The pairs of references of which data decides on one at most; in one loop it may see to it that none meet."""
        yield from product(self.earlier.references, self.later.references)
        if self.earlier is self.later:
            return
        yield from product(self.earlier.conditional, self.later.references)
        yield from product(self.earlier.references, self.later.conditional)

    def hands_over(self, first: Reference, second: Reference) -> bool:
        """Whether different gangs refer to one element, and one of them writes it.

        What all gangs write alike, each of them has written before it reads it.
        """
        earlier, later = self.earlier, self.later
        if first.array != second.array or len(first.subscripts) != len(second.subscripts):
            return False
        if (first.order_class and second.order_class) or (earlier.has_one_gang and later.has_one_gang):
            return False
        if _loads_index(first) and _loads_index(second):
            return False
        by_all = earlier.loop is None or later.loop is None
        is_ordered = second.is_write if earlier.loop is None else first.is_write
        if (by_all and not is_ordered) or not (first.is_write or second.is_write):
            return False
        return self._meet(first, second)

    def _meet(self, first: Reference, second: Reference) -> bool:
        """Whether two references are known to meet in iterations of different gangs."""
        x, y = self.earlier.loop, self.later.loop
        loop = x if self._has_one_schedule() else None
        if loop is not None and y is not None:
            second = _renamed(second, y.variable, loop.variable)
        variable = loop.variable if loop is not None else ""
        counters = {item.variable for item in (x, y) if item is not None}
        inner = (self.earlier.inside | self.later.inside | self.rounds | counters) - {variable}
        step = loop.step if loop is not None else 1
        is_possible = may_meet(variable, step, first, second, inner=inner)
        return is_possible and have_witness(loop, first, second, inner)

    def _has_one_schedule(self) -> bool:
        """Whether iterations with one number have one gang in both parts."""
        schedule = self.earlier.schedule
        start = schedule[0] if schedule else None
        is_settled = isinstance(start, Polynomial) and start.names.isdisjoint(self.rounds)
        return is_settled and schedule == self.later.schedule


class _Parts:
    """The parts of a kernel, and the ``pairs`` of them that gangs may run in any order."""

    def __init__(self, kernel: Stmt, region: Region, own: frozenset[str]) -> None:
        self.own = own | declared_variables(kernel)
        varying = varying_variables(kernel)
        self.varying, self.loaded = varying, frozenset[str]()
        self.addresses = addresses_in(kernel, varying, region)
        members = rewrite(kernel, self._with_members)
        assert isinstance(members, Stmt)
        loading = with_loaded_indices(members)
        self.loaded = frozenset(name for name in used_variables(loading) if is_loaded(name))
        self.varying = varying | self.loaded
        self.addresses = replace(self.addresses, definitions=single_definitions(loading))
        self.data = self._data(loading)
        self.pairs: list[_Pair] = []
        self._parts(loading, EVERYWHERE)

    def _parts(self, stmt: Stmt, context: LoopContext) -> tuple[_Part, ...]:
        """The parts of a statement at a place, whose pairs are noted.

        Those under a condition make pairs with each other only: another condition may exclude it.
        """
        if not any(_gang_loops(stmt)) or isinstance(stmt, ParallelFor):
            return (self._part(stmt, context),)
        found: tuple[_Part, ...] = ()
        if isinstance(stmt, Block):
            for item in stmt.items:
                parts = self._parts(item, context)
                self.pairs += [_Pair(*pair) for pair in product(found, parts)]
                found += parts
            return found
        inside = context.inside(stmt, self.addresses.definitions)
        for child in children(stmt):
            found += self._parts(child, inside) if isinstance(child, Stmt) and any(_gang_loops(child)) else ()
        if not isinstance(stmt, (For, While)):
            return ()
        self.pairs += [_Pair(*pair, varying_variables(stmt)) for pair in product(found, found)]
        return found

    def _part(self, stmt: Stmt, context: LoopContext) -> _Part:
        """One part of the kernel."""
        loops = list(_gang_loops(stmt))
        outer = frozenset(name for name, _ in context.ranges)
        inside = varying_variables(stmt) | self.loaded

        def known(part: Stmt) -> tuple[Reference, ...]:
            collector = AccessCollector(self.addresses, 0, frozenset(), ordered=_ATOMIC)
            accesses = [item for item in collector.accesses(part, context) if item.address.subscripts]
            found = (item for item in references_of(accesses) if item.array not in self.own)
            return tuple(item for item in found if self._is_known(item, outer, inside, loops))

        sure = known(self._sure(stmt)) if len(loops) <= 1 else ()
        conditional = known(self._sure(stmt, or_by_data=True)) if len(loops) <= 1 else ()
        loop = loops[0].loop if len(loops) == 1 else None
        first = index_polynomial(loop.first, self.addresses.definitions) if loop is not None else None
        shape = (loops[0].grid, loops[0].block, loops[0].threads) if loops else ()
        schedule = () if first is None or loop is None else (first, loop.step, *shape)
        has_one_gang = loop is not None and 0 < constant_trips(loop) <= loops[0].threads
        conditional = tuple(item for item in conditional if item not in sure)
        return _Part(loop, schedule, has_one_gang, sure, conditional, inside)

    def _is_known(
        self, item: Reference, outer: frozenset[str], inside: frozenset[str], loops: list[ParallelFor]
    ) -> bool:
        """Whether it is known which elements a reference leads to, and that each gang has its own of its loops.

        A number that is loaded may be one of a gang's own where it is added to what a gang has, or to another one.
        """
        gang = {loop.loop.variable for loop in loops}
        for part in item.subscripts:
            loaded = part.names & self.loaded if part is not None else frozenset[str]()
            if part is not None and loaded and (len(loaded) > 1 or part.names & gang):
                return False
            for name in part.names & self.varying if part is not None else ("",):
                own = item.facts.interval(name)
                is_free = name in inside and own.low is not None and own.high is not None
                if name not in gang | outer | loaded and not (is_free and own.names.isdisjoint(self.varying - outer)):
                    return False
        return True

    def _sure(self, stmt: Stmt, or_by_data: bool = False) -> Stmt:
        """What of a part is sure to happen in one iteration or its neighbours, or what data may decide on, too."""
        whole = {id(node) for atomic in nodes_of(stmt, Atomic) for node in nodes_of(atomic, Conditional)}

        def is_kept(condition: Expr, operator: str) -> bool:
            return self._is_range(condition, (operator,), or_by_data)

        def change(node: Expr | Stmt) -> Expr | Stmt:
            if isinstance(node, If):
                nothing = Block(node.location, ())
                then = node.then if is_kept(node.condition, "!=") else nothing
                return replace(node, then=then, otherwise=node.otherwise if is_kept(node.condition, "==") else None)
            if isinstance(node, Conditional) and id(node) not in whole:
                parts = [node.then] if is_kept(node.condition, "!=") else []
                parts += [node.otherwise] if is_kept(node.condition, "==") else []
                return node if len(parts) == 2 else parts[0] if parts else node.condition
            return node

        return rewrite(stmt, change)

    def _is_range(self, condition: Expr, operators: tuple[str, ...], or_by_data: bool) -> bool:
        """Whether a condition compares positions, and so may hold in two iterations in a row; or data, which may."""
        if isinstance(condition, Binary) and condition.op in ("&&", "||"):
            sides = (condition.left, condition.right)
            return all(self._is_range(side, operators, or_by_data) for side in sides)
        if self._is_data(condition):
            return or_by_data
        if not isinstance(condition, Binary):
            return "!=" in operators and self._is_position(condition)
        if condition.op not in ("<", "<=", ">", ">=", *operators):
            return False
        return self._is_position(condition.left) and self._is_position(condition.right)

    def _is_data(self, expr: Expr) -> bool:
        """Whether an expression is computed from what is loaded."""
        return any(nodes_of(expr, Subscript)) or not used_variables(expr).isdisjoint(self.data)

    def _data(self, kernel: Stmt) -> frozenset[str]:
        """The variables of a kernel that are loaded, or declared with what is computed from such."""
        self.data = self.loaded
        declared = [node for node in nodes_of(kernel, Declare) if node.init is not None]
        while (
            more := {node.name for node in declared if node.init is not None and self._is_data(node.init)} - self.data
        ):
            self.data |= more
        return self.data

    def _is_position(self, expr: Expr) -> bool:
        """Whether an expression is a position in loops or arrays."""
        return index_polynomial(expr, self.addresses.definitions) is not None

    def _with_members(self, node: Expr | Stmt) -> Expr | Stmt:
        """A member of an array's elements as an element of an array of these, one that is an array as that array."""
        if not isinstance(node, Member):
            return node
        path, base = [], node.base
        while isinstance(base, Subscript):
            path.append(base)
            base = base.base
        leads = isinstance(resolve(node.type), (Array, Pointer)) and isinstance(base, Variable)
        if not isinstance(base, Variable) or (not path and not (leads and base.name not in self.varying)):
            return node
        if node.arrow and path:
            return node
        found: Expr = replace(base, name=base.name + _MEMBER + node.field)
        if not path:
            return replace(found, type=node.type)
        for item in reversed(path):
            found = replace(item, base=found)
        return replace(found, type=node.type)


def _renamed(reference: Reference, name: str, other: str) -> Reference:
    """A reference in the loop over another variable."""
    to = {name: Polynomial.symbol(other)}
    facts = reference.facts
    intervals = tuple((other if key == name else key, item.substitute(to)) for key, item in facts.intervals)
    assumptions = tuple(part.substitute(to) for part in facts.assumptions)
    return replace(
        reference,
        subscripts=tuple(None if part is None else part.substitute(to) for part in reference.subscripts),
        facts=replace(facts, intervals=intervals, assumptions=assumptions),
    )


def _loads_index(reference: Reference) -> bool:
    """Whether a number that is loaded decides on the element."""
    return any(part is not None and any(map(is_loaded, part.names)) for part in reference.subscripts)


def _gang_loops(stmt: Stmt) -> Iterator[ParallelFor]:
    """The loops in a statement that are spread over gangs."""
    return (loop for loop in nodes_of(stmt, ParallelFor) if loop.grid)
