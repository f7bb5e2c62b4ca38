"""Elements that the lanes of a block walk again: registers hold them from the first walk on.

Before, of the threads that share a row of 512 elements, which nothing in the kernel writes::

    if (active) {
        for (int j_round = 0; j_round < 4; ++j_round) {
            const int j = threadIdx.x + 128*j_round;
            top = fmaxf(top, in[512*r + j]);
        }
    }
    top = accache_reduce_x<...>(top);
    if (active) {
        for (int j_round2 = 0; j_round2 < 4; ++j_round2) {
            const int j = threadIdx.x + 128*j_round2;
            sum += expf(in[512*r + j] - top);
        }
    }

After::

    float in_row[4];
    if (active) {
        for (int j_round = 0; j_round < 4; ++j_round) {                // unrolled
            const int j = threadIdx.x + 128*j_round;
            in_row[j_round] = in[512*r + j];
            top = fmaxf(top, in_row[j_round]);
        }
    }
    top = accache_reduce_x<...>(top);
    if (active) {
        for (int j_round2 = 0; j_round2 < 4; ++j_round2)               // unrolled
            sum += expf(in_row[j_round2] - top);
    }

A compiler does not: what one condition guards may not have been loaded where another one does. Only where threads have
a constant number of elements, and few enough for registers. Where the launch bounds the length of a row, loops that
stride along it become such rounds, in each of which a lane may be past the end of the row::

    for (int j_round = 0; j_round < 4; ++j_round) {                    // unrolled
        const int j = threadIdx.x + 128*j_round;
        if (j < n) {
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from math import prod

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.aliasing import may_overlap_in
from accache.analysis.loop_context import subscripts_of
from accache.analysis.points_to import is_followed
from accache.analysis.uniformity import written_arrays
from accache.base.properties import cached_property
from accache.caching.cached import CachedKernel
from accache.ir.as_polynomial import index_polynomial
from accache.ir.build import INT, number
from accache.ir.kernels.simt import ParallelFor
from accache.ir.kernels.tiles import TileAccess
from accache.ir.names import user_name, without_base
from accache.ir.openacc.atomics import same
from accache.ir.polynomial import Polynomial
from accache.ir.sizes import sizeof
from accache.ir.tree import (
    Assign,
    Atomic,
    Binary,
    Block,
    Conditional,
    Declare,
    Evaluate,
    Expr,
    For,
    If,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import Arithmetic, Array, CType, Pointer, holds_volatile, resolve, unqualified
from accache.ir.walk import (
    assigned_variables,
    children,
    declared_variables,
    is_computed,
    map_children,
    nodes_of,
    remembered,
    single_definitions,
    used_variables,
    walk,
    with_definitions,
)
from accache.lowering.indices import IndexNames
from accache.lowering.walks import Walk, longest_walks, walk_of

MOST_REGISTERS = 32
"""So many registers of a thread may hold rows of a kernel."""


Kept = tuple[tuple[str, int], ...]
"""Arrays, and how many elements of each a thread keeps in registers."""


def with_kept_rows(body: Block, cached: CachedKernel, names: IndexNames) -> tuple[Block, Kept]:
    """The lowered body of a kernel with the elements in registers that its lanes walk again, and what is kept."""
    if not has_several_walks(cached.kernel.body):
        return body, ()
    rows = _Rows(cached, names, single_definitions(body))
    changed = rows.block(body)
    return changed, tuple(rows.kept.items())


@remembered
def has_several_walks(body: Stmt) -> bool:
    """Whether there are several innermost loops in a mapped kernel that the threads of a block share."""
    loops = (node for node in nodes_of(body, ParallelFor) if node.block)
    return sum(not any(nodes_of(loop.body, ParallelFor)) for loop in loops) > 1


class _Reference(Struct, frozen=True):
    """A reference to an element of an array that the lanes of a loop walk.

    ``place`` is its index in each dimension, in which ``walks`` around it stand for the counters of their rounds. It is
    met under ``guards``, in the statement ``at``; if it ``is_sure``, in each iteration.
    """

    node: Subscript
    array: str
    place: tuple[Polynomial, ...]
    lanes: frozenset[str]
    walks: tuple[Walk, ...]
    guards: tuple[Expr, ...]
    at: Stmt
    is_sure: bool

    @property
    def lengths(self) -> tuple[int, ...]:
        """How many rounds each of its walks has."""
        return tuple(walk.trips for walk in self.walks)

    @property
    def registers(self) -> int:
        """The registers of a thread that hold all elements that it walks."""
        return prod(self.lengths) * -(-sizeof(self.node.type) // 4)

    def holds_where(self, other: _Reference) -> bool:
        """Whether this one is met before another one wherever that is met."""
        return all(any(same(guard, its) for its in other.guards) for guard in self.guards)


class _Rows(Struct, dict=True):
    """Changes the blocks of a kernel; ``left`` registers may still be taken, ``kept`` counts elements by arrays."""

    cached: CachedKernel
    names: IndexNames
    definitions: Mapping[str, Expr]
    left: int = MOST_REGISTERS
    kept: dict[str, int] = field(default_factory=dict)

    def block(self, block: Block) -> Block:
        """A block and those inside, the outermost first: there most walks are seen."""
        found = list(_Walker(self, block).references())
        changes = _Changes()
        for first, again in _groups(found):
            if first.registers <= self.left:
                self.left -= first.registers
                self.kept[first.array] = self.kept.get(first.array, 0) + prod(first.lengths)
                changes.keep(first, again, block, self.names)
        block = changes.block(block) if changes.kept else block
        return replace(block, items=tuple(map(self.inside, block.items)))

    def inside(self, stmt: Stmt) -> Stmt:
        """A statement in a block."""
        if isinstance(stmt, Block):
            return self.block(stmt)
        return map_children(stmt, lambda node: self.inside(node) if isinstance(node, Stmt) else node)

    @cached_property
    def lanes(self) -> frozenset[str]:
        """The variables of loops whose iterations the threads of a block share."""
        loops = (node for node in nodes_of(self.cached.kernel.body, ParallelFor) if node.block)
        return frozenset(without_base(loop.loop.variable) for loop in loops)

    @cached_property
    def longest(self) -> Mapping[Polynomial, int]:
        """How long rows are at most whose length the launch looks at."""
        return longest_walks(self.cached)

    @cached_property
    def arrays(self) -> frozenset[str]:
        """The arrays of numbers in memory that keep their elements while the kernel runs."""
        if not is_followed(self.cached.kernel.body):
            return frozenset()
        region = self.cached.kernel.region
        policies = {tile.array for tile in self.cached.tiles if tile.policy}
        bodies = (self.cached.body, self.cached.kernel.body)
        names = frozenset(policies).union(*map(written_arrays, bodies))
        names |= {name for node in nodes_of(self.cached.body, Atomic) for name in used_variables(node)}
        written = [item for item in region.variables if item.name in names]
        return frozenset(
            item.name
            for item in region.variables
            if _is_of_numbers(item.type) and not any(may_overlap_in(region, item, other) for other in written)
        )


def _is_of_numbers(ctype: CType) -> bool:
    """Whether a variable leads to numbers that nothing else changes."""
    element = resolve(ctype)
    while isinstance(element, (Pointer, Array)):
        element = resolve(element.target if isinstance(element, Pointer) else element.element)
    return isinstance(element, Arithmetic) and not holds_volatile(element)


class _Walker(Struct, dict=True):
    """Finds what a ``block`` refers to, in the order of the source."""

    rows: _Rows
    block: Block

    def references(self) -> Iterator[_Reference]:
        """The references whose places all iterations of the loops around have in common, but for the counters."""
        for item in self.block.items:
            yield from self.statement(item, (), (), True)

    @cached_property
    def changing(self) -> frozenset[str]:
        """The names that do not keep one value in the block."""
        own = {item.name for item in self.block.items if isinstance(item, Declare)}
        return (declared_variables(self.block) - own) | assigned_variables(self.block)

    def statement(
        self, stmt: Stmt, guards: tuple[Expr, ...], walks: tuple[Walk, ...], is_sure: bool
    ) -> Iterator[_Reference]:
        """Those of a statement that is met in each round of the ``walks`` around it, if it ``is_sure``."""
        if isinstance(stmt, Atomic):
            return
        inside: dict[int, tuple[tuple[Expr, ...], tuple[Walk, ...], bool]] = {}
        own = walk_of(stmt, self.rows.longest) if isinstance(stmt, For) else None
        if isinstance(stmt, If) and stmt.otherwise is None and not walks:
            is_lasting = is_computed(stmt.condition) and not used_variables(stmt.condition) & self.changing
            inside[id(stmt.then)] = ((*guards, stmt.condition), walks, is_sure and is_lasting)
        elif own is not None:
            inside[id(own.loop.body)] = (guards, (*walks, own), is_sure)
        elif isinstance(stmt, Block):
            inside = {id(item): (guards, walks, is_sure) for item in stmt.items}
        for child in children(stmt):
            if isinstance(child, Stmt):
                yield from self.statement(child, *inside.get(id(child), (guards, walks, False)))
            else:
                is_once = is_sure and isinstance(stmt, (Evaluate, Declare))
                yield from self.expression(child, guards, walks, stmt if is_once else None)

    def expression(
        self, expr: Expr, guards: tuple[Expr, ...], walks: tuple[Walk, ...], at: Stmt | None
    ) -> Iterator[_Reference]:
        """Those of an expression that is evaluated whenever the statement ``at`` is met; None: perhaps not."""
        if isinstance(expr, TileAccess) or (isinstance(expr, Unary) and expr.op == "&"):
            return
        found = self.reference(expr, guards, walks, at) if isinstance(expr, Subscript) else None
        if found is not None:
            yield found
            return
        first, *others = children(expr) or (None,)
        is_chosen = isinstance(expr, Conditional) or (isinstance(expr, Binary) and expr.op in ("&&", "||"))
        for child, place in ((first, at), *((child, None if is_chosen else at) for child in others)):
            if isinstance(child, Expr):
                yield from self.expression(child, guards, walks, place)

    def reference(
        self, expr: Subscript, guards: tuple[Expr, ...], walks: tuple[Walk, ...], at: Stmt | None
    ) -> _Reference | None:
        """An element that a lane refers to, if its place is known; None for others."""
        base, subscripts = subscripts_of(expr)
        if not isinstance(base, Variable) or base.name not in self.rows.arrays:
            return None
        if not isinstance(resolve(expr.type), Arithmetic):
            return None
        definitions = self.rows.definitions
        indices = [index_polynomial(subscript, definitions) for subscript in subscripts]
        known = [index for index in indices if index is not None]
        lanes = with_definitions(used_variables(expr), definitions) & self.rows.lanes
        names = frozenset[str]().union(*(index.names for index in known))
        used = {walk.variable: walk for walk in walks if walk.variable in names}
        outer = (names - used.keys()).union(*(walk.names for walk in used.values()))
        if len(known) < len(indices) or not lanes or outer & self.changing:
            return None
        counters = (Polynomial.symbol(f"@walk.{depth}") for depth in range(len(used)))
        in_common = {name: walk.value(next(counters)) for name, walk in used.items()}
        place = tuple(index.substitute(in_common) for index in known)
        is_sure = at is not None and len(used) == len(walks)
        return _Reference(
            node=expr,
            array=base.name,
            place=place,
            lanes=lanes,
            walks=tuple(used.values()),
            guards=guards,
            at=at or self.block,
            is_sure=is_sure,
        )


def _groups(found: Iterable[_Reference]) -> Iterator[tuple[_Reference, list[_Reference]]]:
    """The first references to elements that others walk again, and all that find these in registers."""
    alike: dict[object, list[_Reference]] = {}
    for each in found:
        shapes = tuple(walk.shape for walk in each.walks)
        alike.setdefault((each.array, each.place, shapes), []).append(each)
    for references in alike.values():
        for number_before, first in enumerate(references):
            again = [each for each in references[number_before:] if first.holds_where(each)]
            if first.is_sure and len({each.lanes for each in again}) > 1:
                yield first, again
                break


class _Changes(Struct):
    """What becomes of a block, by the identities of its nodes."""

    kept: dict[int, Expr] = field(default_factory=dict)
    before: dict[int, list[Stmt]] = field(default_factory=dict)
    counters: dict[int, str] = field(default_factory=dict)
    walks: dict[int, Walk] = field(default_factory=dict)

    def keep(self, first: _Reference, again: Sequence[_Reference], block: Block, names: IndexNames) -> None:
        """Load what the first reference walks into registers, and find it there from then on."""
        name = names.fresh(f"{user_name(first.array)}_row" if first.walks else f"{user_name(first.array)}_element")
        where, element = first.at.location, unqualified(first.node.type)
        ctype: CType = reduce(lambda inner, length: Array(inner, number(length, where)), first.lengths[::-1], element)
        item = next(item for item in block.items if any(node is first.at for node in walk(item)))
        self.before.setdefault(id(item), []).insert(0, Declare(where, name, ctype, None))
        for reference in (first, *again):
            for own in reference.walks:
                self.note(own, names)
        place = self.in_registers(first, name, ctype)
        load = Evaluate(where, Assign(element, where, "=", place, first.node))
        self.before.setdefault(id(first.at), []).append(load)
        for each in again:
            self.kept[id(each.node)] = self.in_registers(each, name, ctype)

    def note(self, own: Walk, names: IndexNames) -> None:
        """Note that a loop is unrolled, and by what its rounds are counted."""
        if id(own.loop) not in self.walks:
            fresh = names.fresh(f"{user_name(without_base(own.variable))}_round") if own.end is not None else ""
            self.walks[id(own.loop)], self.counters[id(own.loop)] = own, fresh or own.variable

    def in_registers(self, reference: _Reference, name: str, ctype: CType) -> Expr:
        """The register that holds an element in a round of the walks around."""
        where = reference.node.location
        found: Expr = Variable(ctype, where, name)
        for each in reference.walks:
            inner = resolve(found.type)
            assert isinstance(inner, Array)
            found = Subscript(inner.element, where, found, Variable(INT, where, self.counters[id(each.loop)]))
        return found

    def block(self, block: Block) -> Block:
        """The successor of a block."""
        items = ((*self.before.get(id(item), ()), self.alone(item)) for item in block.items)
        return replace(block, items=tuple(part for parts in items for part in parts))

    def of(self, node: Expr | Stmt) -> Expr | Stmt:
        """The successor of a node; where something stands before it, both in a block."""
        before = self.before.get(id(node))
        after = self.alone(node)
        return Block(node.location, (*before, after)) if before and isinstance(after, Stmt) else after

    def alone(self, node: Expr | Stmt) -> Expr | Stmt:
        """The successor of a node, without what stands before it."""
        if id(node) in self.kept:
            return self.kept[id(node)]
        if isinstance(node, Block):
            return self.block(node)
        if isinstance(node, Expr):
            return map_children(node, self.of)
        found = map_children(node, self.of)
        walk = self.walks.get(id(node))
        if walk is None or not isinstance(found, For):
            return found
        return (
            replace(found, unrolled=True) if walk.end is None else walk.in_rounds(self.counters[id(node)], found.body)
        )
