"""From lowered regions and routines to the plans that emission prints."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from accache.analysis.effects import effects_of
from accache.caching.sizing.footprints import hull
from accache.ir.constants import constant
from accache.ir.kernels.launch_plan import (
    ArrayExtent,
    Condition,
    GridPlan,
    KernelPlan,
    LaunchPlan,
    Parameter,
    PlannedArrays,
    RegionPlan,
    RoutinePlan,
    Version,
)
from accache.ir.kernels.simt import Barrier, BlockReduce, Fetch, ParallelFor, Round, WriteBack
from accache.ir.kernels.tiles import Tile
from accache.ir.tree import Block, Call, For, If, Jump, Stmt, While
from accache.ir.types import Void, resolve
from accache.ir.walk import nodes_of, walk
from accache.launching.conditions import (
    common_conditions,
    conditions_of_shape,
    is_distinct,
    kind_of_plain,
    met_alignment,
    own_conditions,
    truths,
    why_careful,
    why_plain,
)
from accache.launching.grids import plan_grid
from accache.launching.parameters import kernel_parameters, region_parameters
from accache.launching.reached import reached
from accache.launching.strides import stride_checks
from accache.launching.versions import KernelVersions, LoweredRegion
from accache.lowering.lowered import LoweredKernel
from accache.lowering.routines import LoweredRoutine
from accache.mapping.data.data_model import memory_variables
from accache.mapping.grids import sliced_axis
from accache.mapping.mapped import MappedKernel

FEWER = "The same with fewer iterations a thread, for launches where there are not enough for the others."
SINGLE = "The same with one iteration a thread, for launches where there are few iterations."
UNALIGNED = "The same without wide accesses of rows, for launches where these are not aligned."


def plan_region(lowered: LoweredRegion) -> RegionPlan:
    """The stub and the launches of a region."""
    region = lowered.region
    parameters = region_parameters(region, tuple(version for item in lowered.kernels for version in item.all))
    launches = tuple(_launch(versions, parameters) for versions in lowered.kernels)
    name = region.name(region.location.line)
    return RegionPlan(region, name, parameters, launches, memory_variables(region), lowered.taken)


def plan_routine(lowered: LoweredRoutine) -> RoutinePlan:
    """A routine as it is printed."""
    routine, body = lowered.routine, lowered.body
    everything = (True,) * len(routine.parameters)
    written = everything if routine.body is None else effects_of(routine.body, routine.parameters)[1]
    names = frozenset(item.name for item, is_written in zip(routine.parameters, written, strict=True) if is_written)
    falls_off = body is not None and not isinstance(resolve(routine.result), Void) and may_reach_end(body)
    return RoutinePlan(
        routine,
        body,
        written,
        falls_off,
        exchanged=_exchanged_arrays(body, names) if body is not None else frozenset(),
        shared=lowered.shared,
        names=lowered.names,
        generated=lowered.generated,
        references=lowered.references,
    )


def _launch(versions: KernelVersions, parameters: tuple[Parameter, ...]) -> LaunchPlan:
    """The launch of one kernel, in the version whose conditions hold."""
    mapped = versions.planned.cached.kernel
    common = common_conditions(versions.planned.cached, versions.pairs)
    is_alone = len(versions.all) == 1
    kernel = _kernel(versions.planned, mapped.name, is_distinct(versions.planned, versions.pairs), parameters)
    found = [Version(kernel, () if is_alone else (*common, *own_conditions(versions)))]
    if versions.unaligned is not None:
        found.append(_unaligned(versions.unaligned, versions, common, parameters))
    if versions.fewer is not None:
        found.append(_fewer(versions.fewer, versions, parameters))
    if versions.single is not None:
        found.append(_single(versions.single, versions, parameters))
    if versions.plain is not None:
        found.append(_plain(versions.plain, versions, parameters))
    if versions.careful is not None:
        found.append(_careful(versions.careful, versions, parameters))
    own = kernel_parameters(versions.all, parameters)
    grid = plan_grid(mapped)
    kernels = [item.cached.kernel for item in versions.all if item is not versions.careful or not _is_by_one(mapped)]
    grid = replace(grid, checks=stride_checks(kernels, grid.checks))
    return LaunchPlan(tuple(found), own, mapped.shape.block, grid, mapped.shape.grid_rank)


def _unaligned(
    kernel: LoweredKernel, versions: KernelVersions, common: Sequence[Condition], parameters: tuple[Parameter, ...]
) -> Version:
    """The version for rows that are not aligned."""
    cached = kernel.cached
    name = f"{versions.planned.cached.kernel.name}_unaligned"
    plan = _kernel(kernel, name, is_distinct(kernel, versions.pairs), parameters, remark=UNALIGNED)
    conditions = (*common, *conditions_of_shape(cached))
    block, grid = cached.kernel.shape.block, plan_grid(cached.kernel)
    planned = versions.planned.cached.kernel
    is_alike = (block, grid) == (planned.shape.block, plan_grid(planned))
    return Version(plan, conditions) if is_alike else Version(plan, conditions, block, grid, "unaligned")


def _fewer(kernel: LoweredKernel, versions: KernelVersions, parameters: tuple[Parameter, ...]) -> Version:
    """The version with fewer iterations a thread."""
    cached = kernel.cached
    name = f"{versions.planned.cached.kernel.name}_fewer"
    plan = _kernel(kernel, name, is_distinct(kernel, versions.pairs), parameters, remark=FEWER)
    conditions = (*common_conditions(cached, versions.pairs), *conditions_of_shape(cached))
    return Version(plan, conditions, cached.kernel.shape.block, plan_grid(cached.kernel), "fewer")


def _single(kernel: LoweredKernel, versions: KernelVersions, parameters: tuple[Parameter, ...]) -> Version:
    """The version for launches of few blocks of a kernel with several iterations a thread: tiled, or wide."""
    cached = kernel.cached
    name = f"{versions.planned.cached.kernel.name}_single"
    plan = _kernel(kernel, name, is_distinct(kernel, versions.pairs), parameters, remark=SINGLE)
    is_last = versions.plain is None and versions.careful is None
    conditions = () if is_last else (*common_conditions(cached, versions.pairs), *met_alignment(cached.kernel))
    return Version(plan, conditions, cached.kernel.shape.block, plan_grid(cached.kernel), "single")


def _plain(kernel: LoweredKernel, versions: KernelVersions, parameters: tuple[Parameter, ...]) -> Version:
    """The version for launches that meet nothing but what all versions but the careful one take for true."""
    cached = versions.planned.cached
    kind = kind_of_plain(versions.planned)
    is_last = versions.careful is None
    is_apart = is_distinct(kernel, () if is_last else versions.pairs)
    plan = _kernel(kernel, f"{cached.kernel.name}_{kind}", is_apart, parameters, remark=why_plain(versions))
    conditions = () if is_last else truths(cached, versions.pairs)
    other = kernel.cached.kernel
    is_alike = kind not in ("single", "plain", "lengthwise")
    return (
        Version(plan, conditions) if is_alike else Version(plan, conditions, other.shape.block, plan_grid(other), kind)
    )


def _careful(kernel: LoweredKernel, versions: KernelVersions, parameters: tuple[Parameter, ...]) -> Version:
    """The version that any launch may take, and that takes nothing for true."""
    mapped = versions.planned.cached.kernel
    kind, is_by_one = versions.otherwise, _is_by_one(mapped)
    is_apart = not is_by_one and is_distinct(kernel, ())
    plan = _kernel(kernel, f"{mapped.name}_{kind}", is_apart, parameters, remark=why_careful(versions))
    if is_by_one:
        return Version(plan, (), (1, 1, 1), GridPlan(), is_parallel=False)
    other = kernel.cached.kernel
    return (
        Version(plan) if other.shape == mapped.shape else Version(plan, (), other.shape.block, plan_grid(other), kind)
    )


def _is_by_one(mapped: MappedKernel) -> bool:
    """Whether one thread runs the version that takes nothing for true."""
    return mapped.variants.sequential is not None


def _kernel(
    kernel: LoweredKernel, name: str, distinct: bool, parameters: tuple[Parameter, ...], *, remark: str = ""
) -> KernelPlan:
    """One version as it is printed."""
    mapped = kernel.cached.kernel
    loops = (node.loop.variable for node in nodes_of(mapped.body, ParallelFor))
    return KernelPlan(
        name=name,
        function=mapped.region.function,
        line=mapped.line,
        body=kernel.body,
        block=mapped.shape.block,
        grid_rank=mapped.shape.grid_rank,
        loops=tuple(dict.fromkeys(loops)),
        tiles=kernel.cached.tiles,
        layout=kernel.layout,
        shared=kernel.shared,
        names=kernel.names,
        generated=kernel.generated,
        partials=kernel.partials,
        slices=kernel.slices,
        references=kernel.references,
        arrays=PlannedArrays(
            is_distinct=distinct,
            exchanged=_exchanged_arrays(kernel.body, kernel.written),
            extents=extents_of(kernel, parameters),
            reached=tuple(reached(kernel, parameters)),
            alignment=mapped.alignment,
        ),
        sliced=sliced_axis(mapped),
        remark=remark,
    )


def may_reach_end(stmt: Stmt) -> bool:
    """Whether what stands behind a statement may run next (True: it may, or nothing is known)."""
    if isinstance(stmt, Jump):
        return False
    if isinstance(stmt, Block):
        return all(map(may_reach_end, stmt.items))
    if isinstance(stmt, If):
        return may_reach_end(stmt.then) or stmt.otherwise is None or may_reach_end(stmt.otherwise)
    if isinstance(stmt, (For, While)):
        is_endless = stmt.condition is None or bool(constant(stmt.condition))
        return not is_endless or any(isinstance(node, Jump) and node.keyword == "break" for node in walk(stmt.body))
    return True


def extents_of(kernel: LoweredKernel, parameters: tuple[Parameter, ...]) -> tuple[ArrayExtent, ...]:
    """The arrays of clipped tiles, in their order; ``parameters`` are those of the stub."""
    clipped: dict[str, Tile] = {}
    for tile in kernel.cached.tiles:
        if tile.is_bounded:
            clipped.setdefault(tile.array, tile)
    by_name = {item.name: item for item in parameters}
    referring = kernel.cached.narrow_single or kernel.cached  # where tiles do not stand for references
    return tuple(_extent(referring.kernel, tile, by_name) for tile in clipped.values())


def _extent(kernel: MappedKernel, tile: Tile, parameters: dict[str, Parameter]) -> ArrayExtent:
    """One array; around what a device pointer leads to, nobody knows what belongs to it."""
    clause = parameters[tile.array].clause
    if clause is not None and clause.action == "deviceptr":
        found = hull(kernel, tile.array)
        assert found is not None
        return ArrayExtent(tile.array, tile.element, hull=(found.first, found.last + 1))
    return ArrayExtent(tile.array, tile.element)


def _exchanged_arrays(body: Stmt, written: frozenset[str]) -> frozenset[str]:
    """The ``written`` arrays of what is printed for a thread, if it waits for other threads anywhere.

    ``restrict`` would be a lie about them: to nvcc, a barrier changes nothing that a ``restrict`` pointer leads to, so
    that threads would go on with what they had loaded before it. What is only read keeps its promise, which is all that
    loads need.
    """
    return written if any(map(_waits, walk(body))) else frozenset()


def _waits(node: object) -> bool:
    is_together = isinstance(node, Call) and node.callee is not None and node.callee.level != "seq"
    return is_together or isinstance(node, (Barrier, BlockReduce, Fetch, Round, WriteBack))
