"""Loads from global memory of a kernel, as formulas: of one block far from the edges, and of a whole launch.

The tree walked is the mapped one, where parallel loops still are loops: each kind of loop and statement says how
many threads run it how often.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from math import prod

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.accesses import accesses_of
from accache.base.properties import cached_property
from accache.counting.formulas import Count, as_count, fixed, least, plain, plus, product, rounds, total
from accache.counting.references import References, whole
from accache.counting.tallies import AT_MOST, EXACT, FETCHED, HELD, LAZY, NO_LOADS, Key, Loads, Tally
from accache.counting.trips import Trips, trips_of
from accache.ir.kernels.simt import CacheRegion, ParallelFor
from accache.ir.kernels.tiles import Tile, TileDimension
from accache.ir.openacc.atomics import atomic_access
from accache.ir.polynomial import Polynomial
from accache.ir.tree import (
    Assign,
    Atomic,
    Block,
    Cache,
    Case,
    Declare,
    Evaluate,
    Expr,
    For,
    If,
    Jump,
    Label,
    Raw,
    Stmt,
    Switch,
    While,
)
from accache.ir.types import Record, resolve
from accache.ir.walk import assigned_variables, declared_variables, items_of, nodes_of, single_definitions, walk
from accache.mapping.mapped import MappedKernel

EARLY_END = "a loop may end early"
IN_DATA = "a limit depends on data"
CLIPPED = "elements past the end of the array are not fetched"


class Where(Struct, frozen=True):
    """Where the walk stands.

    ``spread`` are the block axes that loops around are spread over, ``gridded`` tells whether blocks have their own
    iterations here. ``copies`` is how many threads repeat a statement; None where each statement decides that.
    ``loops`` are the variables whose values formulas may use.
    """

    spread: frozenset[str] = frozenset()
    gridded: bool = False
    copies: int | None = None
    loops: frozenset[str] = frozenset()


class LoadCounter(Struct, frozen=True, dict=True):
    """Counts the loads of one kernel ``body``, of a block (``launch`` False) or of a launch of ``blocks`` blocks.

    ``tiles`` are those that the body's cache regions fetch, by name.
    """

    kernel: MappedKernel
    body: Stmt
    launch: bool
    blocks: Count
    shared: frozenset[str]

    @cached_property
    def definitions(self) -> Mapping[str, Expr]:
        """The temporaries that stand for one expression."""
        return single_definitions(self.body)

    @cached_property
    def tiles(self) -> dict[str, Tile]:
        """The tiles by name."""
        return {tile.name: tile for node in nodes_of(self.body, CacheRegion) for tile in node.tiles}

    @cached_property
    def axes(self) -> dict[str, int]:
        """The block's extents on the axes it has."""
        return {axis: extent for axis, extent in zip("xyz", self.kernel.shape.block, strict=True) if extent > 1}

    @cached_property
    def references(self) -> References:
        """What counts as global memory."""
        before = declared_variables(Block(self.body.location, self.kernel.prologue))
        local = declared_variables(self.body) | before | self.shared
        return References(frozenset(local), self.kernel.memory, self.parameters, self.definitions)

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The scalars that keep one value through the kernel."""
        free = {variable.name for variable in self.kernel.region.variables}
        return frozenset(free - assigned_variables(self.body) - declared_variables(self.body))

    @cached_property
    def parallel_variables(self) -> frozenset[str]:
        """The variables of loops spread over blocks."""
        return frozenset(node.loop.variable for node in nodes_of(self.body, ParallelFor) if node.grid)

    def count(self) -> Loads:
        """The loads of the whole body."""
        return self.statement(self.body, Where())

    def facts(self) -> tuple[Polynomial, ...]:
        """What is positive since all counts take for granted that loops run: the spans that parameters tell."""
        full = frozenset[str]() if self.launch else self.parallel_variables
        loops = (node for node in walk(self.body) if isinstance(node, (For, ParallelFor)))
        found = (trips_of(loop, self.definitions, self.parameters, full) for loop in loops)
        spans = (trips.span for trips in found if trips is not None)
        return tuple(dict.fromkeys(span.polynomial for span in spans if span.names and not span.atoms))

    def statement(self, stmt: Stmt, where: Where) -> Loads:
        """The loads of a statement, all threads together."""
        if isinstance(stmt, ParallelFor):
            return self.parallel(stmt, where)
        if isinstance(stmt, CacheRegion):
            return reduce(Loads.__add__, (self.fetch(tile, where) for tile in stmt.tiles), NO_LOADS) + self.statement(
                stmt.body, where
            )
        if isinstance(stmt, Cache):
            return self.statement(stmt.body, where)
        if where.copies is None and not self.is_collective(stmt):
            where = replace(where, copies=self.copies(stmt, where))
        if isinstance(stmt, Block):
            return self.all(stmt.items, where)
        if isinstance(stmt, Declare):
            return self.expression(stmt.init, where)
        if isinstance(stmt, Evaluate):
            return self.expression(stmt.expr, where)
        if isinstance(stmt, Atomic):
            return self.atomic(stmt, where)
        if isinstance(stmt, Jump):
            return self.expression(stmt.value, where)
        if isinstance(stmt, If):
            return self.condition(stmt, where)
        if isinstance(stmt, (For, While)):
            return self.loop(stmt, where)
        if isinstance(stmt, Switch):
            return self.switch(stmt, where)
        return self.unusual(stmt, where)

    def atomic(self, stmt: Atomic, where: Where) -> Loads:
        """The loads beside an atomic access, which itself counts as neither load nor store."""
        access = atomic_access(stmt)
        nothing = Raw(access.place.type, stmt.location, "")
        found = self.expression(Assign(nothing.type, stmt.location, "=", access.place, access.value or nothing), where)
        if access.captured is None:
            return found
        return found + self.expression(Assign(nothing.type, stmt.location, "=", access.captured, nothing), where)

    def all(self, items: tuple[Stmt, ...], where: Where) -> Loads:
        """The loads of some statements."""
        return reduce(Loads.__add__, (self.statement(item, where) for item in items), NO_LOADS)

    def expression(self, expr: Expr | None, where: Where) -> Loads:
        """The loads of an expression in all the threads that evaluate it."""
        copies = where.copies if where.copies is not None else self.unspread(where)
        times = self.times(copies, where)
        return self.references.loads(expr).each(lambda _, tally: tally.times(times))

    def times(self, copies: int, where: Where) -> Count:
        """How often code runs that some threads of each block repeat; outside of the grid's loops all blocks do."""
        return product(as_count(copies), as_count(1) if where.gridded or not self.launch else self.blocks)

    def unspread(self, where: Where) -> int:
        """How many threads repeat what no loop spreads over them."""
        return prod(extent for axis, extent in self.axes.items() if axis not in where.spread)

    def copies(self, stmt: Stmt, where: Where) -> int | None:
        """How many threads run a statement of their own: one if it writes memory between gang and vector loops."""
        if self.unspread(where) == 1 or not self.writes(stmt):
            return self.unspread(where)
        return 1 if not assigned_variables(stmt) - declared_variables(stmt) else None

    def writes(self, stmt: Stmt) -> bool:
        """Whether a statement writes memory that other threads see."""
        return bool(accesses_of(stmt, self.references.local - self.shared).writes)

    def is_collective(self, stmt: Stmt) -> bool:
        """Whether the threads of a block go through a statement together."""
        return any(
            isinstance(node, ParallelFor)
            or (isinstance(node, CacheRegion) and any(tile.scope == "block" for tile in node.tiles))
            for node in walk(stmt)
        )

    def condition(self, stmt: If, where: Where) -> Loads:
        """The branch that loads more as a bound, unless they are alike."""
        then = self.statement(stmt.then, where)
        otherwise = self.statement(stmt.otherwise, where) if stmt.otherwise is not None else NO_LOADS
        return self.expression(stmt.condition, where) + (then | otherwise)

    def switch(self, stmt: Switch, where: Where) -> Loads:
        """The case that loads most as a bound, unless they are alike; one goes on to the next up to a jump."""
        items = items_of(stmt.body)
        cases = [item for item in items if isinstance(item, Case)]
        inside = [node for node in walk(stmt.body) if isinstance(node, (Case, Label, Switch))]
        if len(cases) != len(items) or len(inside) != len(cases):
            return self.unusual(stmt, where)
        ways, behind = [], NO_LOADS
        for case in reversed(cases):
            own, is_left = self.all(case.body, where), _is_left(case.body)
            if sum(isinstance(node, Jump) for node in walk(case)) > is_left:
                own = own.limited(AT_MOST, LAZY)
            behind = own if is_left else own + behind
            ways.append(behind)
        if all(case.value is not None for case in cases):
            ways.append(NO_LOADS)
        return self.expression(stmt.value, where) + reduce(Loads.__or__, ways)

    def unusual(self, stmt: Stmt, where: Where) -> Loads:
        """Labels, and switches with jumps of other kinds: everything in them as a bound."""
        found = NO_LOADS
        for name in stmt.__struct_fields__:
            value = getattr(stmt, name)
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, Stmt):
                    found += self.statement(part, where)
                elif isinstance(part, Expr):
                    found += self.expression(part, where)
        return found.limited(AT_MOST, LAZY)

    def loop(self, stmt: For | While, where: Where) -> Loads:
        """A sequential loop."""
        trips = self.trips(stmt, where) if isinstance(stmt, For) else None
        known = trips is not None and trips.first.names <= self.parameters | where.loops
        inside = replace(where, loops=where.loops | {trips.variable}) if trips is not None and known else where
        body = self.statement(stmt.body, inside)
        condition, step = self.expression(stmt.condition, inside), NO_LOADS
        if isinstance(stmt, For):
            step = self.expression(stmt.step, inside)
        if any(nodes_of(stmt.body, Jump)):
            body = body.limited(AT_MOST, EARLY_END)
        if trips is None:
            name = f"trips_{stmt.location.line}"
            note = f"{name} is how often the loop at line {stmt.location.line} runs, on average"
            symbol = as_count(Polynomial.symbol(name))
            repeated = (body + step + condition).each(lambda _, tally: tally.times(symbol).limited(EXACT, note))
        else:
            repeated = (body + step + condition).each(lambda _, tally: self.repeated(tally, trips))
        before = self.all(stmt.init, where) if isinstance(stmt, For) else NO_LOADS
        return before + repeated + condition

    def trips(self, stmt: For | ParallelFor, where: Where) -> Trips | None:
        """The trip count of a loop in names that formulas may use here."""
        full = frozenset[str]() if self.launch else self.parallel_variables
        return trips_of(stmt, self.definitions, self.parameters | where.loops, full)

    def repeated(self, tally: Tally, trips: Trips) -> Tally:
        """What all iterations make of a tally."""
        found = replace(tally, count=total(trips.variable, trips.first, trips.span, trips.step, body=tally.count))
        begins = trips.first.to_c()
        if begins.endswith("_first#0") and begins in found.count.names:
            found = found.limited(EXACT, f"{plain(begins)} is the block's first {plain(trips.variable)}")
        return found.limited(AT_MOST, IN_DATA) if trips.is_bound else found

    def parallel(self, loop: ParallelFor, where: Where) -> Loads:
        """A loop spread over blocks or threads: own loads once an iteration, fetches once a round of a block."""
        trips = self.trips(loop, where)
        variable = loop.loop.variable
        if trips is None:
            span = as_count(Polynomial.symbol(f"trips_{loop.location.line}")) if self.launch or not loop.grid else None
            trips = Trips(variable, fixed(f"{plain(variable)}_first"), span or as_count(1), 1)
        if loop.grid and not self.launch:
            first = fixed(f"{plain(variable)}_first" if loop.threads > 1 else variable)
            trips = replace(trips, first=first, span=as_count(loop.threads * abs(trips.step)), is_bound=False)
        spread = where.spread | ({loop.block} if loop.block else set())
        inside = replace(where, spread=spread, gridded=where.gridded or bool(loop.grid), loops=where.loops | {variable})
        if (
            not loop.covered
            and not self.is_collective(loop.body)
            and self.unspread(inside) > 1
            and self.writes(loop.body)
        ):
            inside = replace(inside, copies=1)

        def spread_over(key: Key, tally: Tally) -> Tally:
            kind, name = key
            if kind in (FETCHED, HELD) and self.tiles[name].scope != "thread":
                return self.along(name, tally, loop, trips)
            return self.repeated(tally, trips)

        return self.statement(loop.body, inside).each(spread_over)

    def along(self, name: str, tally: Tally, loop: ParallelFor, trips: Trips) -> Tally:
        """What the blocks fetch of a tile along one loop: over w iterations ``length + |sigma|*(w - 1)`` elements."""
        chunks = rounds(trips.count, loop.threads)
        for dimension in self.tiles[name].range.dimensions:
            if dimension.variable == loop.loop.variable:
                sigma = abs(dimension.rate * dimension.step)
                every = product(as_count(sigma), trips.count)
                return tally.times(plus(every, product(as_count(dimension.length - sigma), chunks)))
        return tally.times(chunks)

    def fetch(self, tile: Tile, where: Where) -> Loads:
        """A fetch: the dimensions no loop moves in full, the others when the walk comes to their loop."""
        if not tile.range.dimensions:
            return NO_LOADS
        lengths = [self.length(dimension, where) for dimension in tile.range.dimensions if not dimension.variable]
        copies = 1
        if tile.scope == "thread":
            copies = where.copies if where.copies is not None else self.unspread(where)
        found = Tally(product(*lengths)).times(self.times(copies, where))
        element = resolve(tile.element)
        if isinstance(element, Record):
            found = whole(element, found)
        if tile.is_bounded and (self.launch or self.moves(tile, where)):
            found = found.limited(AT_MOST, CLIPPED)
        return Loads.of(HELD, tile.name, found) + (Loads.of(FETCHED, tile.name, found) if tile.is_fetched else NO_LOADS)

    def length(self, dimension: TileDimension, where: Where) -> Count:
        """How many elements one thread asks for in a dimension."""
        length = as_count(dimension.length)
        if dimension.limit is None or not dimension.limit.names <= self.parameters | where.loops:
            return length
        return least((length, as_count(dimension.limit)))

    def moves(self, tile: Tile, where: Where) -> bool:
        """Whether a sequential loop moves a tile, so that it may pass the array's end in any block."""
        sequential = where.loops - {node.loop.variable for node in nodes_of(self.body, ParallelFor)}
        return any(dimension.lower.names & sequential for dimension in tile.range.dimensions)


def _is_left(items: tuple[Stmt, ...]) -> bool:
    """Whether there is a jump among statements that each thread comes to."""
    return any(isinstance(item, Jump) or (isinstance(item, Block) and _is_left(item.items)) for item in items)
