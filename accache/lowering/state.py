"""What lowering knows of the kernel it works on, and what it collects on the way."""

from __future__ import annotations

from collections.abc import Callable, Container

from msgspec import Struct, field

from accache.analysis.accesses import Accesses, accesses_of
from accache.analysis.aliasing import keeps_its_memory, may_overlap
from accache.analysis.calls import collective_calls, points
from accache.analysis.canonical import constant_trips
from accache.analysis.points_to import leading_names, moved_pointers
from accache.analysis.uniformity import leaving_jumps, varying_names
from accache.base.choices import ScopeChoice, WidthChoice
from accache.base.diagnostics import Reporter
from accache.base.properties import cached_property
from accache.caching.cached import CachedKernel
from accache.ir.build import BOOL, formula, number
from accache.ir.kernels.combining import WARP
from accache.ir.kernels.simt import AXES, CacheRegion, ParallelFor, SharedArray, Slices
from accache.ir.names import FIRST, thread, user_name
from accache.ir.openacc.regions import Reduction
from accache.ir.tree import Binary, Declare, Expr, Jump, Stmt
from accache.ir.types import Array, CType, is_array, resolve
from accache.ir.walk import assigned_variables, declared_variables, nodes_of, single_definitions, walk
from accache.lowering.barriers import Divergence, Memory
from accache.lowering.guards import partial_variables
from accache.lowering.indices import IndexNames
from accache.lowering.thread_ownership import NO_CELLS, CellReader, Cells

ACROSS_WARP = ("x",)
"""The axes on which the lanes of a warp differ in their place, where a block has a warp for each place on y."""
Obstacle = Callable[[frozenset[str], bool, Container[str]], str]
"""What keeps threads from meeting, '' if nothing does: of names that vary between those that differ on some axes, and
whether a loop around is spread over them."""


class Context(Struct, frozen=True):
    """Where lowering stands: the block axes spread over so far, what guards a thread's own work, who owns it.

    Of the variables ``reduced`` by loops around, each thread has a copy. ``rounds`` names the values that the variables
    of loops around have in a round that all threads of a block take together.
    """

    spread: frozenset[str] = frozenset()
    guards: tuple[Expr, ...] = ()
    owner: str = ""
    reduced: frozenset[str] = frozenset()
    rounds: tuple[tuple[str, str], ...] = ()


class State(Struct, dict=True):
    """One kernel on its way to steps.

    ``width`` and ``scope`` are the user's choices for sections 4.2.2 and 4.2.3. ``shared`` are the
    arrays found to lie in shared memory so far, ``partials`` the reductions over gangs, ``slices`` memory
    that the launch provides. Arrays may take ``room`` bytes of shared memory. ``pointers`` are the arrays
    and ``references`` the scalars that kernels reach through pointers to their copies. By ``handed`` one thread gives
    values to others; no address leads there.
    """

    cached: CachedKernel
    reporter: Reporter
    names: IndexNames
    width: WidthChoice
    scope: ScopeChoice
    room: int
    shared: dict[str, SharedArray] = field(default_factory=dict)
    partials: tuple[Reduction, ...] = ()
    slices: tuple[Slices, ...] = ()
    pointers: frozenset[str] = frozenset()
    references: frozenset[str] = frozenset()
    handed: frozenset[str] = frozenset()
    owners: int = 0

    def __post_init__(self) -> None:
        kernel = self.cached.kernel
        self.axes = frozenset(axis for axis, extent in zip("xyz", kernel.shape.block, strict=True) if extent > 1)
        self.free = {variable.name: variable for variable in kernel.region.variables}
        self.varying = varying_names(self.cached.body)
        self.varying_in_warps = self.varying
        if self.has_warps_apart:
            self.varying_in_warps = varying_names(self.cached.body, axes=ACROSS_WARP)
        self.partial = partial_variables(self.cached.body)
        self.memory = kernel.memory | kernel.shared
        declared = declared_variables(self.cached.body)
        lasting = frozenset(self.free) - assigned_variables(self.cached.body) - declared
        self.reader = CellReader(kernel.shape.block, lasting, single_definitions(self.cached.body))
        self.threads = frozenset(
            node.name
            for stmt in (*kernel.prologue, self.cached.body)
            for node in walk(stmt)
            if isinstance(node, Declare) and is_array(node.type)
        )
        self.tile_names = frozenset(tile.name for tile in self.cached.tiles)
        self.apart = {tile.name: tile.apart & self.tile_names for tile in self.cached.tiles}
        self.pointers = frozenset(
            node.name for node in nodes_of(self.cached.body, Declare) if _leads_anywhere(node.type)
        )

        self.leading, self.moved = leading_names(self.cached.body), moved_pointers(self.cached.body)

    def overlap(self, first: str, second: str) -> bool:
        """Whether two names may be one memory; with tiles in play the launch has ruled it out."""
        if self.is_reused(first, second):
            return True
        if {first, second} & self.pointers:  # a pointer of the kernel's own leads anywhere but into a tile
            return not {first, second} & (self.tile_names | self.handed)
        if {first, second} & (self.leading | self.moved):
            return first == second or not self._is_apart({first, second})
        if first not in self.free or second not in self.free or self.cached.tiles:
            return first == second
        return may_overlap(self.free[first], self.free[second])

    def is_reused(self, first: str, second: str) -> bool:
        """Whether two tiles lie in one place."""
        return second in self.apart.get(first, ()) or first in self.apart.get(second, ())

    def _is_apart(self, names: set[str]) -> bool:
        """Whether one of two names is what addresses in memory, or a pointer that the kernel moves, do not lead to."""
        if names & (self.tile_names | self.handed):
            return True
        return not names & self.moved and any(name in self.free and keeps_its_memory(self.free[name]) for name in names)

    @cached_property
    def has_warps_apart(self) -> bool:
        """Whether each warp of a block has a place on y for itself, and so iterations of loops over y."""
        x, y, z = self.cached.kernel.shape.block
        return x == WARP and y > 1 and z == 1 and not self.cached.kernel.is_routine

    def divergence(self, context: Context, obstacle: Obstacle) -> Divergence:
        """Why not all threads may take a way together, of which ``obstacle`` tells what keeps some of them from it."""
        spread = context.spread & self.axes
        block = obstacle(self.varying | context.reduced, bool(spread), AXES)
        if not block or not self.has_warps_apart:
            return Divergence(block, block)
        return Divergence(block, obstacle(self.varying_in_warps | context.reduced, "x" in spread, ACROSS_WARP))

    def memory_model(self) -> Memory:
        """What barriers need to know of names."""
        tiles = {tile.name for tile in self.cached.tiles}
        reuse = self.is_reused if any(self.apart.values()) else None
        return Memory(self.overlap, frozenset(tiles | set(self.shared) | self.pointers | self.references), reuse)

    def touched(self, stmt: Stmt | Expr) -> Accesses:
        """The memory of a statement or expression that other threads can see."""
        return accesses_of(stmt, self.threads - set(self.shared) - self.pointers, self.memory)

    def extent(self, axis: str) -> int:
        """How many threads a block has along an axis."""
        return dict(zip(AXES, self.cached.kernel.shape.block, strict=True))[axis]

    def cells(self, stmt: Stmt | Expr, context: Context, loop: ParallelFor | None = None) -> Cells:
        """Which cells each thread touches in a statement, the body of ``loop`` if it strides."""
        if self.cached.kernel.is_routine:
            return NO_CELLS
        found = self.reader.cells(stmt, self.shared, dict(context.rounds), loop)
        return frozenset((name, pattern) for name, pattern in found if name not in context.reduced)

    def is_collective(self, stmt: Stmt) -> bool:
        """Whether all threads must go through a statement together."""
        return any(collective_calls(stmt)) or any(
            (isinstance(node, CacheRegion) and any(tile.scope == "block" for tile in node.tiles))
            or (isinstance(node, ParallelFor) and (bool(node.block) or bool(node.grid)))
            for node in walk(stmt)
        )

    def may_return(self, stmt: Stmt) -> bool:
        """Whether a routine may end inside of a statement that changes memory: then no thread goes through it alone."""
        returns = (isinstance(node, Jump) and node.keyword == "return" for node in walk(stmt))
        return not isinstance(stmt, Jump) and any(returns) and bool(self.touched(stmt).writes)

    def may_leave(self, stmt: Stmt) -> bool:
        """Whether a statement that changes memory may end a loop's round: all threads go on from the same place."""
        return not isinstance(stmt, Jump) and any(leaving_jumps(stmt)) and bool(self.touched(stmt).writes)

    def next_owner(self) -> str:
        """A name for the way one more parallel loop splits its work."""
        self.owners += 1
        return f"loop {self.owners}"

    def leaders(self, context: Context) -> list[Expr]:
        """The conditions of the first thread along the axes that no loop spreads over here."""
        return [self._leader(axis) for axis in sorted(self.axes - context.spread)]

    def leader(self, context: Context) -> str:
        """The owner of what these threads do: each of them is one and the same as long as the context lasts."""
        return f"leader of {''.join(sorted(self.axes - context.spread))} in {context.owner}"

    def _leader(self, axis: str) -> Expr:
        where = self.cached.body.location
        return Binary(BOOL, where, "==", formula(thread(axis), where), number(0, where))

    def tiled(self, variable: str) -> bool:
        """Whether what a tile holds depends on how many threads have an iteration of a loop over a variable."""
        return any(dimension.variable == variable for tile in self.cached.tiles for dimension in tile.range.dimensions)

    def begins(self, variable: str) -> bool:
        """Whether a tile starts at, or follows, a block's first iteration of a loop over a variable."""
        first = FIRST.format(variable)
        dimensions = (dimension for tile in self.cached.tiles for dimension in tile.range.dimensions)
        return self.tiled(variable) or any(first in dimension.start.names for dimension in dimensions)

    def exact(self, loop: ParallelFor) -> bool:
        """Whether the trip count is known to be a multiple of the block's extent."""
        trips = constant_trips(loop.loop)
        return trips > 0 and not loop.at_run_time and trips % (loop.threads * loop.per_thread) == 0

    def width_of(self, loop: ParallelFor) -> WidthChoice:
        """How the sharing width is found (section 4.2.2)."""
        if self.exact(loop) and self.width in ("auto", "fixed"):
            return "fixed"
        if self.width == "fixed":
            variable = user_name(loop.loop.variable)
            self.reporter.report("ACC410", loop.location, variable=variable, threads=loop.threads)
        return "sync" if self.width == "sync" else "kernel-args"


def _leads_anywhere(ctype: CType) -> bool:
    """Whether a variable is an address, or holds some, and so leads to memory that other names reach too."""
    plain = resolve(ctype)
    while isinstance(plain, Array):
        plain = resolve(plain.element)
    return points(plain)
