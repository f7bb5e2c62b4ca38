"""What a kernel costs a multiprocessor, with its tiles and without: issue slots, sectors of L1, turns of the banks.

An estimate for one warp far from the edges, made before anything is lowered. L1 and shared memory are one array since
Volta: a load that hits L1 costs what one from a tile costs, and the fetch and its barriers come on top. So a tile pays
where it saves sectors (accesses of threads that lie far apart), addresses that have to be computed anew, or turns.
Weights of operations are those that ``python bench/cost --calibrate`` measures; it also prints what kernels cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import ceil, prod

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop, constant_trips, loop_variable
from accache.analysis.loop_context import subscripts_of
from accache.analysis.unrollable import UNROLLED
from accache.base.properties import cached_property
from accache.caching.estimates.access_cost import GATHERED, AccessCost
from accache.caching.estimates.banks import WARP
from accache.caching.estimates.copy_cost import CopyCost
from accache.caching.estimates.cost import FREE, Cost
from accache.caching.estimates.far_from_edges import far_trips
from accache.caching.estimates.lanes import SECTOR_BYTES, used_lanes
from accache.caching.estimates.operations import call_slots, kind_of, operation_slots
from accache.caching.estimates.places import place_inside
from accache.caching.estimates.unrolled_places import Loops, SequentialLoop
from accache.caching.survey import Survey
from accache.counting.trips import Trips, trips_of
from accache.ir.kernels.alignment import Alignment
from accache.ir.kernels.simt import CacheRegion, CanonicalLoop, ParallelFor
from accache.ir.kernels.tiles import Tile, TileAccess
from accache.ir.sizes import sizeof
from accache.ir.tree import (
    STEPPING,
    Assign,
    Binary,
    Block,
    Cache,
    Call,
    Cast,
    Conditional,
    Declare,
    Expr,
    For,
    If,
    Member,
    Stmt,
    Subscript,
    Unary,
    Variable,
    While,
)
from accache.ir.walk import (
    children,
    declared_variables,
    is_computed,
    nodes_of,
    remembered,
    used_variables,
    varying_variables,
    with_definitions,
)
from accache.mapping.mapped import MappedKernel

SIZE = 1024
"""What names in trip counts are taken to be."""
TRIPS = 16
"""How often a loop is taken to run of which nothing is known."""
MOST_ACCESSES = 300
"""A compiler does not find all that is loaded again among more accesses."""
INDEX = 6
"""Slots of a thread's own index, and of the question whether there is such an iteration."""
OF_BLOCK, OF_THREAD = 2, 1
"""Slots of an index that a whole block has, and of one that each thread of a block certainly has."""


def kernel_cost(survey: Survey, body: Stmt, tiles: Iterable[Tile]) -> Cost:
    """The cost of a kernel's planned ``body`` with some of its tiles; references of the others go to memory."""
    return _Estimate(survey, body, frozenset(tile.name for tile in tiles)).total


@remembered
def plain_cost(survey: Survey) -> Cost:
    """The cost of a surveyed kernel without tiles."""
    return kernel_cost(survey, survey.kernel.body, ())


def joined_cost(survey: Survey, body: Stmt, tiles: Iterable[Tile] = ()) -> tuple[Cost, Alignment]:
    """The cost of a kernel whose accesses of neighbouring elements are joined, and what that needs."""
    estimate = _Estimate(survey, body, frozenset(tile.name for tile in tiles), joins=True)
    return estimate.total, estimate.memory.wide.needed


def with_joined_copies(survey: Survey, tiles: Iterable[Tile]) -> dict[str, Tile]:
    """Those tiles that threads fill by wide accesses, where the launch makes sure of what ``joined_cost`` needs."""
    wide = AccessCost(survey, survey.kernel.body, True).wide
    widths = {tile: wide.copied_at_once(tile) for tile in tiles if tile.is_fetched and not tile.policy}
    wider = ((tile, replace(tile.range, joined=width)) for tile, width in widths.items() if width > 1)
    return {tile.name: replace(tile, storage=held) for tile, held in wider}


def iterations_a_warp(kernel: MappedKernel) -> float:
    """Of how many iterations of its innermost parallel loop ``kernel_cost`` is the cost."""
    if nest_variables(kernel.body):
        return WARP
    inner = [node for node in nodes_of(kernel.body, ParallelFor) if not node.grid]
    length = max((constant_trips(loop.loop) or SIZE for loop in inner), default=1)
    return prod(kernel.shape.grid_threads) * length / ceil(kernel.shape.threads / WARP)


def nest_variables(body: Stmt) -> frozenset[str]:
    """The variables of the parallel loops around all that a body does; empty if something stands beside one."""
    found, stmt = set[str](), body
    while isinstance(stmt, (ParallelFor, Cache, CacheRegion)) or (isinstance(stmt, Block) and len(stmt.items) == 1):
        if isinstance(stmt, ParallelFor):
            found.add(stmt.loop.variable)
        stmt = stmt.items[0] if isinstance(stmt, Block) else stmt.body
    return frozenset() if any(nodes_of(stmt, ParallelFor)) else frozenset(found)


class _Estimate(Struct, dict=True):
    """Walks a body; ``loops`` are the sequential loops around. Accesses of neighbouring elements may be joined."""

    survey: Survey
    body: Stmt
    tiles: frozenset[str]
    loops: Loops = ()
    joins: bool = False
    counted: dict[int, Trips | None] = field(default_factory=dict)

    @cached_property
    def memory(self) -> AccessCost:
        """What accesses cost."""
        return AccessCost(self.survey, self.body, self.joins)

    @cached_property
    def total(self) -> Cost:
        found = self.statement(self.body)
        iterations = prod(number for _, number in self.survey.kernel.coarse.outputs)
        read = sum(self.memory.read.values()) * iterations
        found += Cost(slots=sum(self.memory.bases.values()), read=read)
        return found.times(1 / used_lanes(self.survey.kernel)) if self.nest else found

    @cached_property
    def nest(self) -> frozenset[str]:
        """The variables of the parallel loops around all that the body does; empty if something stands beside one."""
        return nest_variables(self.body)

    @cached_property
    def definitions(self) -> Mapping[str, Expr]:
        return self.memory.definitions

    @cached_property
    def known(self) -> frozenset[str]:
        """The names that trip counts may hold: all."""
        return used_variables(self.body) | declared_variables(self.body)

    def statement(self, stmt: Stmt) -> Cost:
        """A statement, as often as it runs in one iteration of the loops around."""
        if isinstance(stmt, ParallelFor):
            return self.parallel(stmt)
        if isinstance(stmt, CacheRegion):
            inner = list(nodes_of(stmt.body, ParallelFor))
            rounds = prod(self.rounds(loop) for loop in inner if loop.loop.variable in self.nest)
            return self.region(stmt).times(1 / rounds) + self.statement(stmt.body)
        if isinstance(stmt, For):
            return self.loop(stmt)
        if isinstance(stmt, While):
            return (self.statement(stmt.body) + self.expression(stmt.condition) + Cost(slots=2)).times(TRIPS)
        if isinstance(stmt, If):
            return self.branch(stmt)
        if isinstance(stmt, Declare) and stmt.name in self.definitions and any(loop.unrolled for loop in self.loops):
            return FREE  # a part of addresses, whose constants are folded
        found = FREE
        for child in children(stmt):
            found += self.statement(child) if isinstance(child, Stmt) else self.expression(child)
        return found

    def branch(self, stmt: If) -> Cost:
        """A condition: what iterations of unrolled loops load under it is not at hand where another one asks for it."""
        asked = self.expression(stmt.condition)
        around, loaded = self.loops, dict(self.memory.loaded)
        decisive = with_definitions(used_variables(stmt.condition), self.definitions)
        is_apart = not is_computed(stmt.condition)
        self.loops = tuple(
            replace(each, steps=range(0) if is_apart or each.variable in decisive else each.steps, hoists=False)
            for each in around
        )
        then = self.statement(stmt.then)
        otherwise = self.statement(stmt.otherwise) if stmt.otherwise is not None else FREE
        self.loops, self.memory.loaded = around, loaded
        return asked + Cost(slots=1) + (then | otherwise)

    def parallel(self, loop: ParallelFor) -> Cost:
        """A loop over blocks and threads: how many iterations a thread has, of those that its block must do.

        Of kernels that are nothing but such loops one iteration counts.
        """
        rounds = 1.0 if loop.loop.variable in self.nest else self.rounds(loop)
        return (self.statement(loop.body) + Cost(slots=_index_slots(loop))).times(rounds)

    def rounds(self, loop: ParallelFor) -> float:
        """How many iterations of a loop a thread has."""
        if loop.covered or loop.grid:
            return 1
        trips = trips_of(loop, self.definitions, self.known, frozenset())
        count = trips.count.evaluate(_Sizes()) if trips is not None else SIZE
        return max(1, ceil(count / loop.threads))

    def loop(self, stmt: For) -> Cost:
        """A sequential loop."""
        trips = self.trips(stmt)
        count = trips.count.evaluate(_Sizes(loop.variable for loop in self.loops)) if trips is not None else TRIPS
        if count <= 0:  # a difference of sizes, of which one is a place found in memory
            count = (trips.most if trips is not None else 0) or TRIPS
        limits = trips is not None and (trips.count.value is not None or count < SIZE // 2)
        canonical = canonical_loop(stmt)
        variable = canonical.variable if isinstance(canonical, CanonicalLoop) else ""
        variable = trips.variable if trips is not None else variable
        unrolled = limits and count <= UNROLLED
        around = self.loops
        first = trips.first if trips is not None else None
        is_inside = any(loop.steps for loop in around)  # one whose accesses are few: it has not more of them
        is_short = unrolled and (is_inside or self.accesses(stmt) <= MOST_ACCESSES)
        steps = _steps(trips) if is_short else range(0)
        changed = self.changed(stmt, variable)
        self.loops = (*around, SequentialLoop(variable, max(0, count), unrolled, first, steps, changed=changed))
        body = self.statement(stmt.body) + Cost(slots=0 if unrolled else 1)
        self.loops = around
        return body.times(max(0, count))

    def changed(self, stmt: For, variable: str) -> frozenset[str]:
        """The variables whose values in the iterations of a loop are not known, and may differ."""
        varying = varying_variables(stmt)
        counting = {loop_variable(node) for node in nodes_of(stmt, For)}
        found = varying - self.definitions.keys() - counting
        moving = found | {variable}
        opaque = varying & self.memory.surroundings.opaque
        return found | {name for name in opaque if with_definitions((name,), self.definitions) & moving}

    def trips(self, stmt: For) -> Trips | None:
        """How often a loop runs; each is looked at once."""
        if id(stmt) not in self.counted:
            far = far_trips(stmt, self.definitions, self.memory.own)
            self.counted[id(stmt)] = far or trips_of(stmt, self.definitions, self.known, frozenset())
        return self.counted[id(stmt)]

    def accesses(self, stmt: Stmt, around: tuple[tuple[str, int], ...] = ()) -> int:
        """The different accesses of memory in a statement whose loops of constant length are unrolled.

        What an access does not depend on of the loops ``around``, each with its iterations, does not make it another.
        """
        if isinstance(stmt, For):
            trips = self.trips(stmt)
            around = (*around, (loop_variable(stmt) or "", max(1, trips.most or 1) if trips is not None else 1))
        found = 0
        for child in children(stmt):
            if isinstance(child, Stmt):
                found += self.accesses(child, around)
                continue
            for reference in _references(child, self.memory.in_registers):
                names = with_definitions(used_variables(reference), self.definitions)
                found += prod(times for variable, times in around if variable in names)
        return found

    def region(self, region: CacheRegion) -> Cost:
        """The fetches and write-backs of a region's tiles, and the barriers around them."""
        return CopyCost(self.memory, self.loops).region([tile for tile in region.tiles if tile.name in self.tiles])

    @property
    def unrolled(self) -> frozenset[str]:
        """The variables of loops around that are constants once these are unrolled."""
        first = {loop.variable: loop.first for loop in self.loops if loop.unrolled}
        return frozenset(
            name for name, value in first.items() if value is not None and value.constant_value is not None
        )

    def expression(self, expr: Expr, written: bool = False) -> Cost:
        """One evaluation of an expression, by all lanes of a warp."""
        if isinstance(expr, (Binary, Cast)) and is_computed(expr) and used_variables(expr) <= self.unrolled:
            return FREE  # a constant
        if isinstance(expr, TileAccess):
            if expr.tile.name not in self.tiles:
                return self.expression(expr.original, written)
            through = self.expression(expr.original, written) if written and expr.tile.policy == "through" else FREE
            if expr.tile.traits.in_registers:
                return through
            return self.computed(subscripts_of(expr.original)[1]) + self.memory.tile(expr, self.loops) + through
        if isinstance(expr, Subscript):
            found = self.reference(expr, written)
            return replace(found, written=found.sectors * SECTOR_BYTES) if written else found
        if isinstance(expr, Member):
            return self.member(expr, written)
        if isinstance(expr, Assign):
            return self.assignment(expr)
        if isinstance(expr, Binary):
            return self.binary(expr)
        if isinstance(expr, Unary):
            inner = self.expression(expr.operand)
            if expr.op == "*":
                return inner + Cost(slots=GATHERED, sectors=WARP / 4)
            return inner + Cost(slots=1.0 if expr.op in STEPPING else 0.3)
        if isinstance(expr, Call):
            return self.all(expr) + Cost(slots=call_slots(expr, self.survey.fast_math))
        if isinstance(expr, Cast):
            same = kind_of(expr.type) == kind_of(expr.operand.type)
            return self.expression(expr.operand) + Cost(slots=0.2 if same else 1)
        if isinstance(expr, Conditional):
            return self.all(expr) + Cost(slots=1)
        return self.all(expr)

    def all(self, expr: Expr) -> Cost:
        """All operands."""
        found = FREE
        for child in children(expr):
            if isinstance(child, Expr):
                found += self.expression(child)
        return found

    def assignment(self, expr: Assign) -> Cost:
        """A store, or an operation that ends in a register; an addition of a product is one instruction."""
        target = FREE if isinstance(expr.target, Variable) else self.expression(expr.target, written=True)
        if expr.op != "=" and target != FREE:  # an element that lies in no register is loaded, too
            target = target + replace(self.expression(expr.target), slots=1.0)
        operation = Cost()
        if expr.op != "=" and not (expr.op in ("+=", "-=") and _is_product(expr.value)):
            operation = Cost(slots=operation_slots(expr.op[:-1], expr.type, expr.value, self.survey.fast_math))
        return target + self.expression(expr.value) + operation

    def binary(self, expr: Binary) -> Cost:
        """An operation of two operands."""
        operands = self.all(expr)
        if expr.op in ("+", "-") and (_is_product(expr.left) or _is_product(expr.right)):
            return operands
        return operands + Cost(slots=operation_slots(expr.op, expr.type, expr.right, self.survey.fast_math))

    def member(self, expr: Member, written: bool) -> Cost:
        """A member of a structure, which may be an element of an array."""
        base: Expr = expr
        while isinstance(base, Member) and not base.arrow:
            base = base.base
        if not isinstance(base, Subscript):
            return self.all(expr)
        if not isinstance(subscripts_of(base)[0], Variable):
            return self.inside(expr, written) or self.all(expr)
        found = self.reference(base, written, expr)
        return replace(found, written=found.sectors * SECTOR_BYTES) if written else found

    def inside(self, expr: Expr, written: bool) -> Cost | None:
        """A part of a structure that is an element of an array in memory; None if it is none."""
        found = place_inside(expr, self.definitions)
        if found is None or found[0] in self.memory.in_registers | self.survey.gang_arrays():
            return None
        return self.memory.in_memory(*found, sizeof(expr.type), written, loops=self.loops)

    def computed(self, subscripts: Iterable[Expr]) -> Cost:
        """What computes the indices that are no polynomials of the kernel's variables."""
        found = FREE
        for subscript in subscripts:
            found += FREE if self.memory.index(subscript) is not None else self.expression(subscript)
        return found

    def reference(self, expr: Subscript, written: bool, member: Member | None = None) -> Cost:
        """A load or a store of an element, or of a member of it, and what computes an index that comes from memory."""
        base, subscripts = subscripts_of(expr)
        nested = self.computed(subscripts)
        if not isinstance(base, Variable) and (found := self.inside(expr, written)) is not None:
            return nested + found
        if not isinstance(base, Variable):
            return nested + self.expression(base) + Cost(GATHERED, WARP / 4)
        return nested + self.memory.element(expr, written, self.loops, member)


def _index_slots(loop: ParallelFor) -> int:
    """Slots of an iteration of a loop over blocks and threads, beside what it does."""
    if not loop.block:
        return OF_BLOCK
    is_certain = not loop.grid and constant_trips(loop.loop) == loop.threads
    return OF_THREAD if is_certain else INDEX


def _references(expr: Expr, registers: frozenset[str]) -> Iterator[Subscript]:
    """The references to elements of memory in an expression."""
    found = list(nodes_of(expr, Subscript))
    rows = {id(node.base) for node in found}
    for node in found:
        base, _ = subscripts_of(node)
        if id(node) not in rows and not (isinstance(base, Variable) and base.name in registers):
            yield node


class _Sizes(dict[str, int]):
    """A size for every name: nothing for variables of loops around, which begin there, else SIZE."""

    def __init__(self, loops: Iterable[str] = ()) -> None:
        super().__init__(dict.fromkeys(loops, 0))

    def __missing__(self, name: str) -> int:
        return SIZE


def _steps(trips: Trips | None) -> range:
    """How far the variable of a loop of constant length, or of a full chunk, is from its first value each time."""
    count = max(0, trips.most or 0) if trips is not None else 0
    return range(0, count * trips.step, trips.step) if trips is not None and count else range(0)


def _is_product(expr: Expr) -> bool:
    """Whether an operand is a product of floating-point numbers, which one instruction multiplies and adds."""
    return isinstance(expr, Binary) and expr.op == "*" and kind_of(expr.type) in ("float", "double")
