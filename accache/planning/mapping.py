"""Parallel loops to blocks and threads (paper 004, sections 4.2.1, 5.1.3 and 6.4; OpenACC 3.3, section 2.9).

Before: loops that carry loop directives. After: ParallelFor nodes with grid and block axes, the
innermost parallel loop on x; everything else stays sequential.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.calls import collective_calls
from accache.analysis.canonical import canonical_loop
from accache.analysis.uniformity import leaving_jumps, written_arrays
from accache.analysis.walk import assigned_variables, declared_variables, used_variables, walk
from accache.diagnostics import Reporter
from accache.ir.regions import GANGS, LoopSpec, Reduction, Region
from accache.ir.routines import LEVELS
from accache.ir.simt import AXES, CanonicalLoop, ParallelFor
from accache.ir.tree import Block, Cache, Expr, For, If, Stmt, Switch
from accache.planning.atomics import settle_atomics
from accache.planning.blocks import MAX_THREADS, MAX_WORKERS_OF_ROUTINES, BlockExtents
from accache.planning.collapse import only_statement, prepared
from accache.planning.copies import Copies, changed_arrays, counters, filled
from accache.planning.counters import localise_counters
from accache.planning.datamodel import memory_variables
from accache.planning.indices import number
from accache.planning.kernelsregions import kernels_pieces, may_spread_over_gangs
from accache.planning.lifting import call_of, lifted
from accache.planning.mapped import MappedKernel
from accache.planning.overwriting import warn_of_overwriting
from accache.planning.parallelism import sequential_reason
from accache.planning.reductions import ArrayReductions
from accache.planning.routinecalls import addressed_scalars, refuse_calls_in_loops

MAX_AXES = 3
ALL_LEVELS = frozenset((*GANGS, "worker", "vector"))
AVAILABLE = {
    "": ALL_LEVELS,
    "gang": ALL_LEVELS,
    "worker": frozenset(("worker", "vector")),
    "vector": frozenset(("vector",)),
}
"""The levels that loops in a kernel ('') or routine may be spread over."""
GANGS_OF_ROUTINES = 1024
"""Blocks for the gang loops of routines, whose trip counts a launch does not know."""


def map_region(region: Region, reporter: Reporter) -> tuple[MappedKernel, ...]:
    """Map every kernel of a compute region; counters of sequential loops become local to their loops.

    A kernels region with several loop nests becomes several kernels. Reports loops that must run
    sequentially and sizes that cannot be obeyed.
    """
    region = replace(region, body=lifted(localise_counters(region), reporter))
    pieces = kernels_pieces(region, reporter) if region.kind == "kernels" else [region.body]
    lines = Counter[int]()
    kernels = []
    for piece in pieces:
        kernel = _map(region, piece, MAX_THREADS, reporter)
        lines[kernel.line] += 1
        kernels.append(replace(kernel, number=lines[kernel.line]))
    return tuple(kernels)


def in_smaller_blocks(kernel: MappedKernel, threads: int) -> MappedKernel:
    """A kernel mapped once more with so many threads a block at most, where no size is the user's.

    Nothing is reported: mapping the kernel for the first time has said all there is to say.
    """
    smaller = _map(kernel.region, kernel.source, threads, Reporter())
    return replace(smaller, routine_bytes=kernel.routine_bytes, number=kernel.number)


def map_routine(region: Region, level: str, reporter: Reporter) -> MappedKernel:
    """Map a routine, given as a region: blocks of any shape call it, all threads of each together."""
    region = replace(region, body=lifted(localise_counters(region), reporter))
    block = BlockExtents(region, reporter, extents={"x": MAX_THREADS, "y": MAX_WORKERS_OF_ROUTINES})
    return _Mapper(region, reporter, block, level).kernel(region.body)


def _map(region: Region, body: Stmt, threads: int, reporter: Reporter) -> MappedKernel:
    return _Mapper(region, reporter, BlockExtents(region, reporter, threads)).kernel(body)


class _Mapper(Struct, dict=True):
    """Maps one kernel, or a ``routine`` of a level; block extents are decided by the first loop that needs them."""

    region: Region
    reporter: Reporter
    block: BlockExtents
    routine: str = ""
    grid_loops: list[CanonicalLoop] = field(default_factory=list)
    grid_threads: list[int] = field(default_factory=list)
    gangs: tuple[Expr, ...] = ()
    general: bool = False
    reducing: dict[str, Reduction] = field(default_factory=dict)
    sequential_reductions: list[Reduction] = field(default_factory=list)
    copies: Copies = field(default_factory=Copies)
    taken: frozenset[str] = frozenset()
    arrays: ArrayReductions = field(default_factory=ArrayReductions)
    calls_gangs: bool = False

    def kernel(self, body: Stmt) -> MappedKernel:
        region = self.region
        self.gangs = region.gangs
        body, copies = self.copies.of(region.private, body)
        changed = changed_arrays(region.firstprivate, body)
        body, starting = self.copies.of(changed, body)
        reductions, body = self.arrays.over_gangs(region.reductions, body)
        region = self.region = replace(region, reductions=reductions)
        self.reducing = {item.variable: item for item in reductions}
        nest = only_statement(body)
        self.general = bool(self.routine) or not _is_parallel(nest, region) or _names_gang_dimensions(body)
        available = AVAILABLE[self.routine] if region.kind != "serial" else frozenset[str]()
        self._serve_routines(body)
        mapped = self.statement(nest if not self.general else body, available)
        x, y, z = map(self.block.on, AXES)
        line = nest.location.line if region.kind == "kernels" and nest.location.line else region.location.line
        self._refuse_reduced_elsewhere(mapped)
        fills = tuple(filled(copy, item, x) for copy, item in zip(starting, changed, strict=True))
        refuse_calls_in_loops(mapped, self.reporter)
        one_thread = x * y * z == 1 and not self.routine
        addressed = frozenset[str]() if one_thread else addressed_scalars(mapped, region, self.reporter)
        settled = settle_atomics(mapped, region, (x, y, z), addressed, self.reporter)
        prologue = (*copies, *settled.copies, *self.arrays.prologue(region.location), *starting, *fills)
        gangs = frozenset(name for stmt in prologue for name in declared_variables(stmt))
        warn_of_overwriting(settled.body, memory_variables(region) | settled.shared, gangs, self.reporter)
        return MappedKernel(
            region,
            line,
            body,
            settled.body,
            (x, y, z),
            self._gangs(),
            tuple(self.grid_loops),
            tuple(self.grid_threads),
            self.general and bool(self.grid_loops),
            tuple(self.sequential_reductions),
            settled.shared,
            prologue,
            frozenset(self.arrays.copies),
            self.block.is_ours,
            bool(self.routine),
        )

    def _serve_routines(self, body: Stmt) -> None:
        """Give the kernel threads, and blocks, for the loops in the routines that it calls."""
        called = [call.callee for call in collective_calls(body) if call.callee is not None]
        if not called or self.routine or self.region.kind == "serial":
            return
        self.block.serve({callee.level for callee in called})

    def _gangs(self) -> tuple[Expr, ...]:
        """The numbers of blocks, where they are not those of the grid loops' iterations.

        In a kernels region one gang runs what is not spread over gangs.
        """
        if self.calls_gangs and not self.gangs:
            return (number(GANGS_OF_ROUTINES, self.region.location),)
        is_spread = self.region.kind != "kernels" or self.grid_loops or self.calls_gangs
        return self.gangs if is_spread else ()

    def statement(self, stmt: Stmt, available: frozenset[str]) -> Stmt:
        """Map the parallel loops inside a statement, given the levels that are still free."""
        if isinstance(stmt, For):
            return self.loop(stmt, available)
        call = call_of(stmt)
        if call is not None and call.callee is not None and call.callee.has_gang_loops and "gang" in available:
            self.calls_gangs = True
        if self.region.kind == "kernels" and not may_spread_over_gangs(stmt, self.region):
            available -= set(GANGS)
        if isinstance(stmt, Block):
            return replace(stmt, items=tuple(self.statement(item, available) for item in stmt.items))
        if isinstance(stmt, Cache):
            return replace(stmt, body=self.statement(stmt.body, available))
        if isinstance(stmt, If):
            otherwise = self.statement(stmt.otherwise, available) if stmt.otherwise else None
            return replace(stmt, then=self.statement(stmt.then, available), otherwise=otherwise)
        if isinstance(stmt, Switch):
            inside = [
                node for node in walk(stmt) if isinstance(node, For) and node.loop is not None and not node.loop.seq
            ]
            for loop in inside:
                self.reporter.report("ACC313", loop.location)
        if hasattr(stmt, "body") and isinstance(stmt.body, Stmt):
            return replace(stmt, body=self.statement(stmt.body, available))
        return stmt

    def sequential(self, loop: For, available: frozenset[str]) -> Stmt:
        """Keep a loop sequential and map what is inside it.

        Blocks cannot wait for each other, so in a kernels region one gang runs what is inside.
        """
        if loop.loop is not None and not self.routine and ("gang" in available or self.region.kind == "serial"):
            host = {variable.name for variable in self.region.variables}
            found = [self.arrays.settled(item) for item in loop.loop.reductions if not self.arrays.is_new(item)]
            found = [item for item in found if item.target in host]
            self.sequential_reductions += [item for item in found if item not in self.sequential_reductions]
        inside = available - set(GANGS) if self.region.kind == "kernels" else available
        private = loop.loop.private if loop.loop is not None else ()
        body = self.copies.inside(private, loop.body, counters(loop))
        return replace(loop, loop=None, body=self.statement(body, inside))

    def loop(self, loop: For, available: frozenset[str]) -> Stmt:
        """Map one loop and the loops perfectly nested in it."""
        spec = self._spec(loop, available)
        if spec is None:
            return self.sequential(loop, available)
        loop, spec = prepared(loop, spec)
        chain, body, cached = self._chain(loop, spec, available)
        if not chain:
            return self.sequential(loop, available)
        levels = self._levels(chain, body, available)
        if not levels:
            return self.sequential(loop, available)
        return self._spread(chain, body, cached, levels, available)

    def _spec(self, loop: For, available: frozenset[str]) -> LoopSpec | None:
        """The loop directive to obey; in a kernels region every loop may be parallel."""
        spec = loop.loop
        if spec is None:
            if self.region.kind != "kernels" or not available:
                return None
            spec = LoopSpec(loop.location, auto=True)
            if isinstance(canonical_loop(loop), str):
                return None
        if spec.seq or self.region.kind == "serial":
            return None
        canonical = canonical_loop(loop)
        if isinstance(canonical, str):
            self.reporter.report("ACC306", loop.location, reason=canonical)
            return None
        leaving = next((jump for jump in leaving_jumps(loop.body) if jump.keyword != "continue"), None)
        if leaving is not None and not spec.auto and loop.loop is not None:
            self.reporter.report("ACC244", leaving.location, keyword=leaving.keyword, construct="loop")
            return None
        if spec.auto or (self.region.kind == "kernels" and not spec.independent):
            reason = sequential_reason(loop, canonical, spec, self.region)
            if reason:
                self.reporter.report(
                    "ACC307", loop.location, variable=canonical.variable.partition("#")[0], reason=reason
                )
                return None
        return spec

    def _may_spread(self, loop: For) -> bool:
        """Whether a loop inside another one will be parallel; nothing is reported."""
        if not _is_parallel(loop, self.region):
            return False
        spec = loop.loop or LoopSpec(loop.location, auto=True)
        canonical = canonical_loop(loop)
        if isinstance(canonical, str):
            return False
        unproved = spec.auto or (self.region.kind == "kernels" and not spec.independent)
        return not unproved or not sequential_reason(loop, canonical, spec, self.region)

    def _chain(
        self, loop: For, spec: LoopSpec, available: frozenset[str]
    ) -> tuple[list[tuple[CanonicalLoop, LoopSpec]], Stmt, list[Cache]]:
        """The parallel loops perfectly nested from here, the body inside them, and cache directives between them."""
        chain: list[tuple[CanonicalLoop, LoopSpec]] = []
        cached: list[Cache] = []
        outer: set[str] = set()
        current: Stmt = loop
        wanted = spec.collapse
        while isinstance(current, For) and len(chain) < MAX_AXES:
            inner = spec if len(chain) < wanted else self._inner_spec(current, chain[0][1], available)
            canonical = canonical_loop(current)
            depends = isinstance(canonical, CanonicalLoop) and bool(
                outer & (used_variables(canonical.first) | used_variables(canonical.limit))
            )
            if inner is None or isinstance(canonical, str) or depends:
                if len(chain) < wanted:
                    reason = canonical if isinstance(canonical, str) else "its bounds depend on an outer loop"
                    self.reporter.report("ACC306", current.location, reason=reason)
                break
            chain.append((canonical, inner))
            outer.add(canonical.variable)
            current = only_statement(current.body)
        body = current
        if len(chain) < wanted:
            self.reporter.report("ACC308", spec.location, count=wanted)
        return chain, body, cached

    def _inner_spec(self, loop: For, outermost: LoopSpec, available: frozenset[str]) -> LoopSpec | None:
        """The directive of a loop nested in the chain if both can be spread in the same way."""
        spec = self._spec(loop, available)
        if spec is None or spec.collapse > 1 or spec.levels != outermost.levels or spec.reductions:
            return None
        return spec

    def _levels(
        self, chain: list[tuple[CanonicalLoop, LoopSpec]], body: Stmt, available: frozenset[str]
    ) -> frozenset[str]:
        """The levels the chain is spread over, of those still free."""
        wanted = chain[0][1].levels
        if wanted - available:
            missing = ", ".join(sorted(wanted - available))
            self.reporter.report("ACC309", chain[0][1].location, levels=missing)
        calls = {call.callee.level: call for call in collective_calls(body) if call.callee is not None}
        called = max(calls, key=LEVELS.index, default="")
        if called == "vector" and "worker" in wanted:
            self.reporter.report("ACC351", chain[0][1].location, name=calls[called].function)
            wanted -= {"worker"}
            return wanted & available
        if wanted:
            return wanted & available
        if called:
            return available & {"gang"} if called != "gang" else frozenset()
        inner = any(self._may_spread(node) for node in walk(body) if isinstance(node, For))
        if "gang" in available:
            return frozenset(("gang",)) if inner else available & frozenset(("gang", "vector"))
        if inner and "worker" in available:
            return frozenset(("worker",))
        return frozenset(("vector",)) if "vector" in available else frozenset()

    def _spread(
        self,
        chain: list[tuple[CanonicalLoop, LoopSpec]],
        body: Stmt,
        cached: list[Cache],
        levels: frozenset[str],
        available: frozenset[str],
    ) -> Stmt:
        """Nest ParallelFor nodes around the mapped body, the innermost loop on x."""
        dimension = next((level for level in GANGS if level in levels), "")
        on_grid = bool(dimension)
        inner_vector = any(_names_level(node, "vector") for node in walk(body) if isinstance(node, For))
        on_block = "vector" in levels or ("worker" in levels and not inner_vector)
        only_worker = "worker" in levels and not on_block
        if on_block:
            has_cache = any(isinstance(node, Cache) for node in walk(body))
            self.block.spread([spec for _, spec in chain], has_cache, levels)
        if only_worker:
            self.block.spread_workers(chain[0][1])
        rest = available - levels - (ALL_LEVELS if on_block else frozenset())
        if not on_block and not on_grid:
            rest -= set(GANGS)
        private = [item for spec in dict.fromkeys(spec for _, spec in chain) for item in spec.private]
        body = self.copies.inside(private, body, frozenset(canonical.variable for canonical, _ in chain))
        reductions, body, around = self._reduced(chain, body, on_grid)
        outer = dict(self.reducing)
        self.reducing |= {item.variable: item for item in reductions}
        taken, self.taken = self.taken, self.taken | ({"y"} if only_worker else set())
        result = self.statement(body, rest)
        self.reducing, self.taken = outer, taken
        covered = on_grid and not self.gangs and not self._explicit_gangs(chain) and not self.general
        for depth, (canonical, spec) in enumerate(reversed(chain)):
            axis = AXES[depth]
            grid = axis if on_grid and not self.general else ""
            if on_grid and self.general and depth == 0:
                grid = AXES[GANGS.index(dimension)]
            block = self._block_axis(depth, on_block, only_worker)
            if grid:
                self._refuse_reduced_dimensions(spec)
                self.grid_loops.append(canonical)
                self.grid_threads.append(self.block.on(block))
            result = ParallelFor(
                canonical.location,
                canonical,
                grid,
                block,
                self.block.on(block),
                covered and bool(grid),
                result,
                reductions if depth == len(chain) - 1 else (),
                at_run_time=bool(self.routine) and self.block.on(block) > 1,
            )
        self.gangs = self.gangs or self._explicit_gangs(chain)
        before, after = around
        return Block(result.location, (*before, result, *after)) if before else result

    def _block_axis(self, depth: int, on_block: bool, only_worker: bool) -> str:
        """The axis of the block that a nest's loop is spread over, '' for none; workers take the second one."""
        if only_worker:
            return "" if depth else "y"
        return AXES[depth] if on_block and AXES[depth] not in self.taken else ""

    def _reduced(
        self, chain: list[tuple[CanonicalLoop, LoopSpec]], body: Stmt, on_grid: bool
    ) -> tuple[tuple[Reduction, ...], Stmt, tuple[tuple[Stmt, ...], tuple[Stmt, ...]]]:
        """The reductions of a nest, its body with copies of arrays, and what stands in front of it and behind it."""
        before: tuple[Stmt, ...] = ()
        after: tuple[Stmt, ...] = ()
        if on_grid and self.routine and chain[0][1].reductions:
            self.reporter.report("ACC241", chain[0][1].location, feature="a reduction over gangs in a routine")
        if on_grid:
            reductions, body = self.arrays.over_gangs(chain[0][1].reductions, body)
        else:
            reductions, body, before, after = self.arrays.over_threads(chain[0][1].reductions, body)
        return (*reductions, *self._inherited(chain, reductions, body)), body, (before, after)

    def _refuse_reduced_dimensions(self, spec: LoopSpec) -> None:
        """Report a reduction over gangs of several dimensions: those that run the same iterations would count twice."""
        if spec.reductions and (spec.levels & set(GANGS[1:]) or len(self.gangs) > 1):
            self.reporter.report("ACC241", spec.location, feature="a reduction over gangs of several dimensions")

    def _refuse_reduced_elsewhere(self, body: Stmt) -> None:
        """Report arrays whose reduction over gangs ends with the kernel, and that the kernel uses beside it."""
        for name in sorted(used_variables(body) & set(self.arrays.results)):
            subarray = self.arrays.results[name].subarray
            assert subarray is not None
            text = subarray.text
            reason = "the construct uses it outside of the reduction too"
            self.reporter.report("ACC262", subarray.location, name=text, reason=reason)

    def _inherited(
        self, chain: list[tuple[CanonicalLoop, LoopSpec]], reductions: Sequence[Reduction], body: Stmt
    ) -> tuple[Reduction, ...]:
        """Reductions of an outer construct or loop whose variable this loop updates without a clause of its own."""
        changed = assigned_variables(body) | (written_arrays(body) & set(self.arrays.copies))
        own = {item.variable for item in reductions}
        missing = [self.reducing[name] for name in sorted(changed - own) if name in self.reducing]
        for reduction in missing:
            self.reporter.report(
                "ACC321", chain[0][1].location, name=reduction.variable.partition("#")[0], operator=reduction.operator
            )
        return tuple(missing)

    def _explicit_gangs(self, chain: list[tuple[CanonicalLoop, LoopSpec]]) -> tuple[Expr, ...]:
        return next(((size,) for _, spec in chain if (size := spec.size("gang")) is not None), ())


def _is_parallel(stmt: Stmt, region: Region) -> bool:
    """Whether a statement is a loop that may be spread."""
    if isinstance(stmt, Cache):
        return False
    if not isinstance(stmt, For) or region.kind == "serial":
        return False
    if stmt.loop is None:
        return region.kind == "kernels" and not isinstance(canonical_loop(stmt), str)
    return not stmt.loop.seq


def _names_level(loop: For, level: str) -> bool:
    return loop.loop is not None and level in loop.loop.levels


def _names_gang_dimensions(body: Stmt) -> bool:
    specs = [node.loop for node in walk(body) if isinstance(node, For) and node.loop is not None]
    return any(spec.levels & set(GANGS[1:]) for spec in specs)


def parallel_loops(stmt: Stmt) -> Iterator[ParallelFor]:
    """All mapped loops of a kernel, outermost first."""
    for node in walk(stmt):
        if isinstance(node, ParallelFor):
            yield node
