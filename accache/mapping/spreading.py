"""Parallel loops of one kernel or routine over blocks and threads (paper 004, sections 4.2.1, 5.1.3 and 6.4).

Before: loops that carry loop directives. After: ParallelFor nodes with grid and block axes, the
innermost parallel loop on x; everything else stays sequential.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec import Struct, field
from msgspec.structs import replace

from accache.analysis.calls import collective_calls
from accache.analysis.uniformity import written_arrays
from accache.base.diagnostics import Reporter
from accache.ir.build import number
from accache.ir.constants import constant
from accache.ir.kernels.simt import AXES, CanonicalLoop, ParallelFor
from accache.ir.names import user_name
from accache.ir.openacc.regions import GANGS, LoopSpec, Reduction, Region
from accache.ir.tree import Block, Cache, Expr, For, If, Stmt, Switch, While
from accache.ir.types import is_array
from accache.ir.walk import assigned_variables, declared_variables, nodes_of, used_variables
from accache.mapping.blocks import BlockExtents
from accache.mapping.coarsening.kept_elements import with_kept_elements
from accache.mapping.data.addressed import addressed_scalars
from accache.mapping.data.atomics import settle_atomics
from accache.mapping.data.copies import (
    Copies,
    changed_arrays,
    changed_beside_private,
    counters,
    filled,
    private_of_loops,
)
from accache.mapping.data.gang_arrays import GangArrays
from accache.mapping.data.lane_stores import stored_by_one_lane
from accache.mapping.data.overwriting import warn_of_overwriting
from accache.mapping.data.roles import ScalarRoles, reduced_in_copies
from accache.mapping.grids import grid_axes, passes_grid
from accache.mapping.handing_over import warn_of_handing_over
from accache.mapping.kernels_regions import may_spread_over_gangs
from accache.mapping.loops.collapse import only_statement, prepared
from accache.mapping.loops.constant_trips import with_constant_trips
from accache.mapping.loops.hoist_calls import call_of
from accache.mapping.mapped import LaunchShape, MappedKernel
from accache.mapping.nests import (
    ALL_LEVELS,
    Nests,
    Spread,
    is_counted_by_routines,
    is_each_threads_own,
    is_parallel,
    names_gang_dimensions,
    names_level,
    refuse_calls_in_loops,
)
from accache.mapping.reductions.array_reductions import ArrayReductions, packed

AVAILABLE = {
    "": ALL_LEVELS,
    "gang": ALL_LEVELS,
    "worker": frozenset(("worker", "vector")),
    "vector": frozenset(("vector",)),
}
"""The levels that loops in a kernel ('') or routine may be spread over."""
GANGS_OF_ROUTINES = 1024
"""Blocks for the gang loops of routines, whose trip counts a launch does not know."""
STRIDING_THREADS = 1 << 18
"""Threads at most for a loop that reduces: about as many as the largest GPUs hold. Sums must not depend on the GPU."""


class Mapper(Struct, dict=True):
    """Maps one kernel, or a ``routine`` of a level; block extents are decided by the first loop that needs them.

    In a kernel that ``is_strided`` blocks stride over loops, so that any number of them runs it.
    """

    region: Region
    reporter: Reporter
    block: BlockExtents
    routine: str = ""
    is_strided: bool = False
    grid_loops: list[CanonicalLoop] = field(default_factory=list)
    grid_threads: list[int] = field(default_factory=list)
    gangs: tuple[Expr, ...] = ()
    general: bool = False
    reducing: dict[str, Reduction] = field(default_factory=dict)
    over_gangs: dict[str, Reduction] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()
    arrays: ArrayReductions = field(default_factory=ArrayReductions)
    calls_gangs: bool = False
    most_blocks: int = 0
    quarter_first: bool = False

    def __post_init__(self) -> None:
        self.copies = Copies(self.reporter)

    def kernel(self, body: Stmt) -> MappedKernel:
        """The kernel that runs a body: the compute construct's, or one loop nest of a kernels region."""
        region = self.region
        self.gangs = region.gangs
        body, copies = self.copies.of(region.private, body)
        changed = changed_arrays(region.firstprivate, body)
        body, starting = self.copies.of(changed, body)
        self.over_gangs = {item.variable: item for item in region.reductions}
        reductions, body = self.arrays.over_gangs(region.reductions, body)
        region = self.region = replace(region, reductions=reductions)
        self.reducing = {item.variable: item for item in reductions}
        self.roles = ScalarRoles(region, body)
        self._refuse_moved_parts(region.reductions, self.region.body)
        self.gang_arrays = GangArrays.of(body, (*copies, *starting))
        nest = only_statement(body)
        self.general = self.is_strided or bool(self.routine) or not is_parallel(nest, region)
        self.general = self.general or names_gang_dimensions(body) or is_counted_by_routines(nest)
        available = AVAILABLE[self.routine] if region.kind != "serial" else frozenset[str]()
        self._serve_routines(body)
        mapped = self.statement(nest if not self.general else body, available)
        x, y, z = map(self.block.on, AXES)
        line = nest.location.line if region.kind == "kernels" and nest.location.line else region.location.line
        has_one_gang = self._has_one_gang
        memory = self.roles.memory(mapped, has_one_gang)
        results = self.roles.of_one_gang(memory, has_one_gang)
        for item in results:
            self.reporter.report("ACC325", self.roles.alone[item.variable], name=user_name(item.variable))
        self.roles.refuse_elsewhere(mapped, memory, has_one_gang, self.reporter)
        self._refuse_reduced_elsewhere(mapped)
        gangs = frozenset((*(item.name for item in region.variables), *(copy.name for copy in copies))) - memory
        addressed = addressed_scalars(mapped, region, (x, y, z), gangs, reporter=self.reporter)
        addressed |= stored_by_one_lane(mapped) - memory
        arrays = [copy for copy in starting if is_array(copy.type)]
        fills = tuple(filled(copy, item, x) for copy, item in zip(arrays, changed, strict=True))
        refuse_calls_in_loops(mapped, self.reporter)
        mapped = reduced_in_copies(mapped, memory | addressed)
        settled = settle_atomics(mapped, region, (x, y, z), memory, addressed=addressed, reporter=self.reporter)
        reducing = self.arrays.prologue(region.location)
        prologue = (*copies, *settled.copies, *reducing, *starting, *fills)
        own = frozenset(name for stmt in prologue for name in declared_variables(stmt))
        own |= self.gang_arrays.names | self.gang_arrays.uses.keys()
        own |= {name for name, origins in self.gang_arrays.pointers.items() if origins & own}
        warn_of_overwriting(settled.body, memory | settled.shared, own, self.reporter)
        if not has_one_gang:
            warn_of_handing_over(settled.body, region, own, self.reporter)
        return MappedKernel(
            region,
            line,
            body,
            with_constant_trips(self._with_kept_elements(settled.body, memory | addressed | settled.shared)),
            self._shape((x, y, z)),
            shared=settled.shared,
            prologue=prologue,
            own=frozenset(self.arrays.copies),
            is_block_ours=self.block.is_ours and not (copies or reducing or starting),  # which the source has already
            is_routine=bool(self.routine),
            memory=memory,
            results=results,
        )

    def _shape(self, block: tuple[int, int, int]) -> LaunchShape:
        """What the blocks and the grid of a launch depend on, once the body is mapped."""
        return LaunchShape(
            block=block,
            gangs=self._gangs(),
            grid_loops=tuple(self.grid_loops),
            grid_threads=tuple(self.grid_threads),
            is_general=self.general and bool(self.grid_loops),
            most_blocks=self.most_blocks,
            quarter_first=self.quarter_first,
        )

    def _with_kept_elements(self, body: Stmt, elsewhere: frozenset[str]) -> Stmt:
        """A kernel's body with elements kept in registers; variables that lie ``elsewhere`` are in no register."""
        if self.routine:
            return body
        return with_kept_elements(body, self.region.variables, elsewhere, is_tested=self.region.are_apart)

    @property
    def nests(self) -> Nests:
        """Finds nests in the region as it is now."""
        return Nests(self.region, self.reporter)

    def _serve_routines(self, body: Stmt) -> None:
        """Give the kernel threads, and blocks, for the loops in the routines that it calls."""
        called = [call.callee for call in collective_calls(body) if call.callee is not None]
        if not called or self.routine or self.region.kind == "serial":
            return
        self.block.serve({callee.level for callee in called})

    @property
    def _has_one_gang(self) -> bool:
        """Whether a single gang runs the kernel."""
        is_one = all(constant(size) == 1 for size in self._gangs())
        return is_one and bool(self._gangs() or not self.grid_loops) and not self.calls_gangs

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
            inside = [node for node in nodes_of(stmt, For) if node.loop is not None and not node.loop.seq]
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
            self.roles.note_alone(loop.loop)
        inside = available - set(GANGS) if self.region.kind == "kernels" else available
        private = loop.loop.private if loop.loop is not None else ()
        body = self.copies.inside(private, loop.body, counters(loop), loop.step)
        return replace(loop, loop=None, body=self.statement(body, inside))

    def loop(self, loop: For, available: frozenset[str]) -> Stmt:
        """Map one loop and the loops perfectly nested in it."""
        spec = self.nests.spec(loop, available)
        if spec is None:
            return self.sequential(loop, available)
        if "gang" in available and not spec.levels & set(GANGS) and self.roles.holds_back(spec):
            available -= set(GANGS)
        if "gang" in available and not self.region.is_unproved(spec) and self.gang_arrays.need_gangs(loop, spec):
            spec = replace(spec, levels=frozenset(("gang",)))
        loop, spec = prepared(loop, spec)
        chain, body = self.nests.chain(loop, spec, available)
        if not chain:
            return self.sequential(loop, available)
        levels = self.nests.levels(chain, body, available)
        if not levels:
            return self.sequential(loop, available)
        return self._spread(chain, body, levels, available)

    def _spread(
        self,
        chain: list[tuple[CanonicalLoop, LoopSpec]],
        body: Stmt,
        levels: frozenset[str],
        available: frozenset[str],
    ) -> Stmt:
        """Nest ParallelFor nodes around the mapped body, the innermost loop on x."""
        inner_vector = any(names_level(node, "vector") for node in nodes_of(body, For))
        spread = Spread(levels, inner_vector)
        is_crosswise = chain[0][1].is_crosswise
        if is_crosswise:
            self.block.spread_crosswise()
        if not spread.on_grid and "gang" in available and not self.routine:
            for _, spec in chain:
                self.roles.note_alone(spec)
        if spread.on_block:
            has_cache = any(nodes_of(body, Cache))
            self.block.spread([spec for _, spec in chain], [loop for loop, _ in chain], has_cache, levels)
        if spread.only_worker:
            self.block.spread_workers(chain[0][1])
        if spread.on_grid and not spread.on_block:
            self.block.fit(body)
        private = [item for spec in dict.fromkeys(spec for _, spec in chain) for item in spec.private]
        body = self.copies.inside(private, body, frozenset(canonical.variable for canonical, _ in chain))
        reductions, body, (before, after) = self._reduced(chain, body, spread.on_grid)
        rest = frozenset(("worker",)) if is_crosswise else spread.rest(available)
        inside = self._inside(body, rest, reductions, spread, is_crosswise=is_crosswise)
        result = self._nested(chain, inside, reductions, spread, strides=bool(reductions) and is_each_threads_own(body))
        self.gangs = self.gangs or self._explicit_gangs(chain)
        return Block(result.location, (*before, result, *after)) if before else result

    def _inside(
        self,
        body: Stmt,
        available: frozenset[str],
        reductions: tuple[Reduction, ...],
        spread: Spread,
        *,
        is_crosswise: bool,
    ) -> Stmt:
        """Map the body of a nest, inside of which its reductions and the axis of its workers are taken."""
        outer, taken = dict(self.reducing), self.taken
        self.reducing |= {item.variable: item for item in reductions}
        self.taken = taken | ({"y"} if spread.only_worker else {"x"} if is_crosswise else set())
        result = self.statement(body, available)
        self.reducing, self.taken = outer, taken
        return result

    def _nested(
        self,
        chain: list[tuple[CanonicalLoop, LoopSpec]],
        result: Stmt,
        reductions: tuple[Reduction, ...],
        spread: Spread,
        *,
        strides: bool,
    ) -> Stmt:
        """The loops of a nest around its mapped body; blocks may do several of its parts if it ``strides``."""
        blocks = [self._block_axis(depth, spread) for depth in range(len(chain))]
        axes, covered = self._grid(chain, blocks, spread, strides=strides and spread.on_block)
        packs = packed(reductions) if self.most_blocks and len(chain) == 1 else 1
        has_loops = any(any(nodes_of(result, kind)) for kind in (ParallelFor, For, While))
        # combining costs a thread as much as a short body, of which it should have several
        self.quarter_first = self.most_blocks > 0 and len(chain) > 1 and not has_loops
        for depth, (canonical, spec) in enumerate(reversed(chain)):
            is_outermost = depth == len(chain) - 1
            most = self.most_blocks if is_outermost else 0
            threads, grid = self.block.on(blocks[depth]), self._grid_axis(depth, axes, spread)
            if grid:
                self._refuse_reduced_dimensions(spec)
                self.grid_loops.append(canonical)
                self.grid_threads.append(threads * packs)
            result = ParallelFor(
                canonical.location,
                canonical,
                grid,
                blocks[depth],
                threads=threads,
                covered=covered and bool(grid) and not most,
                body=result,
                reductions=reductions if is_outermost else (),
                at_run_time=bool(self.routine) and threads > 1,
                most=most,
                packs=packs > 1,
            )
        if axes[0] == "y":
            self.grid_loops.reverse()
            self.grid_threads.reverse()
        return result

    def _grid(
        self, chain: list[tuple[CanonicalLoop, LoopSpec]], blocks: list[str], spread: Spread, *, strides: bool
    ) -> tuple[Sequence[str], bool]:
        """The axes of the grid for a nest's loops, innermost first, and whether the grid has all of their iterations.

        Where it has and the nest ``strides``, the grid gets a limit.
        """
        covered = spread.on_grid and not self.gangs and not self._explicit_gangs(chain) and not self.general
        strides = strides and covered
        loops, shares = [loop for loop, _ in reversed(chain)], [self.block.iterations(block) for block in blocks]
        axes = grid_axes(loops, shares) if covered and not strides else AXES
        covered = covered and not any(map(passes_grid, loops, axes, shares))
        if covered and strides:
            self.most_blocks = max(1, STRIDING_THREADS // prod(self.block.on(axis) for axis in AXES))
        return axes, covered

    def _grid_axis(self, depth: int, axes: Sequence[str], spread: Spread) -> str:
        """The axis of the grid that a nest's loop is spread over, '' for none; in a general kernel by its dimension."""
        if not self.general:
            return axes[depth] if spread.on_grid else ""
        return AXES[GANGS.index(spread.dimension)] if spread.on_grid and depth == 0 else ""

    def _block_axis(self, depth: int, spread: Spread) -> str:
        """The axis of the block that a nest's loop is spread over, '' for none; workers take the second one."""
        if spread.only_worker:
            return "" if depth else "y"
        if "x" in self.taken:
            return "" if depth else "y"
        return AXES[depth] if spread.on_block and AXES[depth] not in self.taken else ""

    def _reduced(
        self, chain: list[tuple[CanonicalLoop, LoopSpec]], body: Stmt, on_grid: bool
    ) -> tuple[tuple[Reduction, ...], Stmt, tuple[tuple[Stmt, ...], tuple[Stmt, ...]]]:
        """The reductions of a nest, its body with copies of arrays, and what stands in front of it and behind it."""
        before: tuple[Stmt, ...] = ()
        after: tuple[Stmt, ...] = ()
        self._refuse_reduced_otherwise(chain[0][1], on_grid)
        self._refuse_moved_parts(chain[0][1].reductions, self.region.body if on_grid else body)
        if on_grid and self.routine and chain[0][1].reductions:
            self.reporter.report("ACC241", chain[0][1].location, feature="a reduction over gangs in a routine")
        if on_grid:
            reductions, body = self.arrays.over_gangs(chain[0][1].reductions, body)
            if not self.routine:
                self.roles.note_gangs(reductions, chain[0][1], self.reporter)
        else:
            reductions, body, before, after = self.arrays.over_threads(chain[0][1].reductions, body)
        return (*reductions, *self._inherited(chain, reductions, body)), body, (before, after)

    def _refuse_reduced_otherwise(self, spec: LoopSpec, on_grid: bool) -> None:
        """Report variables that the construct, or a loop of it, reduces over gangs by another operator, or in part."""
        for item in spec.reductions:
            if self.arrays.combines_otherwise(item, self.over_gangs.get(item.variable) if on_grid else None):
                reason = "the construct reduces it by another operator, or other elements of it, too"
                self.reporter.report("ACC262", spec.location, name=user_name(item.target), reason=reason)
            elif on_grid:
                self.over_gangs.setdefault(item.variable, item)

    def _refuse_moved_parts(self, reductions: Sequence[Reduction], where: Stmt) -> None:
        """Report parts of arrays that begin where a variable says that a statement changes, or has for itself."""
        changed = changed_beside_private(where) | private_of_loops(where) | declared_variables(where)
        for item in reductions:
            subarray = item.subarray
            if subarray is not None and item.lower is not None and used_variables(item.lower) & changed:
                reason = "what says where its part begins is changed"
                self.reporter.report("ACC262", subarray.location, name=subarray.text, reason=reason)

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
                "ACC321", chain[0][1].location, name=user_name(reduction.variable), operator=reduction.operator
            )
        return tuple(missing)

    def _explicit_gangs(self, chain: list[tuple[CanonicalLoop, LoopSpec]]) -> tuple[Expr, ...]:
        return next(((size,) for _, spec in chain if (size := spec.size("gang")) is not None), ())
