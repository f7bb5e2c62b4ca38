"""What a kernel and its launch stub take: arrays, scalars, and buffers for what is reduced."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from accache.analysis.uniformity import written_arrays
from accache.ir.arrays import inner_lengths, lengths
from accache.ir.kernels.launch_plan import Parameter, Role
from accache.ir.openacc.regions import Copied, DataClause, LoopSpec, Region
from accache.ir.tree import Declare, Expr, For, Stmt, Variable
from accache.ir.types import element_type
from accache.ir.walk import assigned_variables, nodes_of, used_variables
from accache.lowering.lowered import LoweredKernel
from accache.mapping.data.data_model import memory_variables
from accache.mapping.data.implied import implied_clause


def region_parameters(region: Region, kernels: tuple[LoweredKernel, ...]) -> tuple[Parameter, ...]:
    """The variables of a region in order, with how each travels to the device."""
    reduced = {item.target: item for kernel in kernels for item in kernel.partials}
    results = frozenset(reduced)
    used = frozenset(name for kernel in kernels for name in kernel.free | _tile_names(kernel))
    written = frozenset(name for kernel in kernels for name in written_arrays(kernel.body)) | frozenset(
        tile.array for kernel in kernels for tile in kernel.cached.tiles if tile.policy
    )
    assigned = frozenset(name for kernel in kernels for name in assigned_variables(kernel.body))
    private = frozenset(name for kernel in kernels for name in kernel.declared) - used
    clauses: dict[str, DataClause] = {}
    inherited = tuple(clause for clause in region.enclosing_data if clause.action == "deviceptr")
    for clause in (*inherited, *region.data):
        clauses[clause.subarray.variable] = clause
    for item in region.firstprivate:
        if item.is_array and item.subarray is not None:
            clauses[item.name] = DataClause("firstprivate", item.subarray, item.location)
    memory = frozenset(name for kernel in kernels for name in kernel.memory) | (memory_variables(region) - used)
    shared = _between_kernels(kernels)
    needed = used | clauses.keys() | _addressing(region) | _computed_by_launches(kernels)
    bounds = _named_by_clauses(region)
    known = used | _named_around(region) | _computed_by_launches(kernels)
    parameters = []
    for variable in region.variables:
        if variable.name in private and variable.name not in results | bounds:
            continue
        if variable.name in shared:
            role: Role = "memory"
        elif variable.name in results:
            role = "elements" if reduced[variable.name].is_array else "result"
        elif element_type(variable.type) is not None:
            role = "array" if variable.name in needed else "host"
        elif variable.name in memory & needed:
            role = "memory"
        else:
            role = "value"
        wanted = {"value": known, "host": bounds}.get(role, needed)
        if variable.name not in wanted and variable.name not in results:
            continue
        is_written = variable.name in written or (role == "memory" and variable.name in assigned)
        written_here = clauses.get(variable.name)
        implied = role == "array" and written_here is None
        what = implied_clause(region, variable, is_written=is_written) if implied else written_here
        parameters.append(Parameter(variable, role, what, is_written))
    return tuple(parameters)


def _addressing(region: Region) -> frozenset[str]:
    """The variables by which data clauses name members of structures."""
    items = [clause.subarray for clause in (*region.data, *region.attached)]
    members = [item for item in items if not isinstance(item.base, Variable)]
    bounds = [bound for item in members for part in item.dimensions for bound in (part.lower, part.length)]
    parts = [*(item.base for item in members), *(bound for bound in bounds if bound is not None)]
    return frozenset(name for part in parts for name in used_variables(part))


def _between_kernels(kernels: tuple[LoweredKernel, ...]) -> frozenset[str]:
    """The scalars that one kernel reduces over gangs and another one uses, or reduces in another way."""
    found = frozenset(item.target for kernel in kernels for item in kernel.partials if not item.is_array)
    used = frozenset(name for kernel in kernels for name in kernel.memory)
    operators: dict[str, set[str]] = {}
    for kernel in kernels:
        for item in kernel.partials:
            operators.setdefault(item.target, set()).add(item.operator)
    return (found & used) | {name for name in found if len(operators[name]) > 1}


def _computed_by_launches(kernels: tuple[LoweredKernel, ...]) -> frozenset[str]:
    """The variables from whose values on the device launches compute the grid, and the memory that they provide."""
    loops = [loop for kernel in kernels for loop in kernel.cached.kernel.shape.counted_loops]
    parts = [part for loop in loops for part in (loop.first, loop.limit)]
    parts += [slices.count for kernel in kernels for slices in kernel.slices]
    tested = frozenset(name for kernel in kernels for most in kernel.cached.sums for name in most.names)
    return tested | {name for part in parts for name in used_variables(part)}


def _named_by_clauses(region: Region) -> frozenset[str]:
    """The variables in bounds and sizes of the construct's own clauses, whose values are the host's."""
    specs = _loop_specs(region)
    copied: list[Copied] = [
        *region.firstprivate,
        *region.reductions,
        *(item for spec in specs for item in spec.reductions),
    ]
    subarrays = [item.subarray for item in (*region.data, *region.attached)]
    subarrays += [item.subarray for item in copied if item.subarray is not None]
    sections = [part for subarray in subarrays for part in subarray.dimensions]
    parts = [bound for part in sections for bound in (part.lower, part.length) if bound is not None]
    parts += [size for _, size in (*region.sizes, *(item for spec in specs for item in spec.sizes))]
    return frozenset(name for part in parts for name in used_variables(part))


def _loop_specs(region: Region) -> list[LoopSpec]:
    """The directives of a construct's loops."""
    loops = (node.loop for node in nodes_of(region.body, For))
    return [spec for spec in loops if spec is not None]


def _named_around(region: Region) -> frozenset[str]:
    """The variables that clauses, loop headers, declarations and types name: sizes and counts may depend on them.

    In what the kernels compute, a private variable has no value of the host's.
    """
    loops = list(nodes_of(region.body, For))
    specs = _loop_specs(region)
    copied: list[Copied] = [*region.private, *region.firstprivate, *region.reductions]
    for spec in specs:
        copied += [*spec.private, *spec.reductions]
    subarrays = [item.subarray for item in (*region.data, *region.attached, *region.enclosing_data)]
    subarrays += [item.subarray for item in copied if item.subarray is not None]
    sections = [part for subarray in subarrays for part in subarray.dimensions]
    parts: list[Expr | Stmt | None] = [bound for part in sections for bound in (part.lower, part.length)]
    parts += [size for _, size in (*region.sizes, *(item for spec in specs for item in spec.sizes))]
    declared = list(nodes_of(region.body, Declare))
    computed = [part for loop in loops for part in (*loop.init, loop.condition, loop.step)]
    computed += [node.init for node in declared]
    private = {item.name for item in (*region.private, *(item for spec in specs for item in spec.private))}
    types = [*(item.type for item in region.variables), *(item.type for item in declared)]
    parts += [length for ctype in types for length in lengths(ctype)]
    named = frozenset(name for part in parts if part is not None for name in used_variables(part))
    return named | ({name for part in computed if part is not None for name in used_variables(part)} - private)


def kernel_parameters(versions: Sequence[LoweredKernel], parameters: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """The parameters that a kernel, the first of some versions, or another one of them uses."""
    kernel = versions[0]
    used = frozenset[str]().union(*(version.free | _tile_names(version) for version in versions))
    lengths = (inner_lengths(parameter.variable.type) for parameter in parameters if parameter.name in used)
    used |= {name for found in lengths for length in found for name in used_variables(length)}
    results: dict[str, Role] = {item.target: "elements" if item.is_array else "result" for item in kernel.partials}
    passed = (item.name for item in parameters if item.role == "memory" and item.name not in kernel.memory)
    own: dict[str, Role] = dict.fromkeys(passed, "value")
    return tuple(
        replace(parameter, role=(own | results).get(parameter.name, parameter.role))
        for parameter in parameters
        if (parameter.name in used and parameter.role not in ("result", "elements")) or parameter.name in results
    )


def _tile_names(kernel: LoweredKernel) -> frozenset[str]:
    """The arrays of a kernel's tiles, and what says where these lie, unless the kernel declares it."""
    names = frozenset(tile.array for tile in kernel.cached.tiles)
    for tile in kernel.cached.tiles:
        for pitch in tile.range.pitches:
            names |= pitch.names
        for dimension in tile.range.dimensions:
            names |= dimension.start.names | dimension.lower.names
            names |= dimension.limit.names if dimension.limit is not None else frozenset()
    return names - kernel.declared
