"""Subarrays that get no tile whatever their references are: scalars, structures, a block's own arrays."""

from __future__ import annotations

from collections.abc import Iterator

from accache.base.options import Options
from accache.caching.methods import keeps_lines
from accache.caching.sizing.bounds import Refusal
from accache.caching.survey import Survey
from accache.ir.kernels.simt import CacheRegion, ParallelFor
from accache.ir.kernels.tiles import Tile
from accache.ir.openacc.regions import Subarray
from accache.ir.tree import Cache, Stmt, Variable
from accache.ir.types import Arithmetic, Array, Complex, Pointer, Record, is_scalar, resolve
from accache.ir.walk import nodes_of, walk


def ineligible(
    subarray: Subarray,
    stmt: Cache,
    path: tuple[Stmt, ...],
    before: tuple[Tile, ...],
    *,
    survey: Survey,
    options: Options,
) -> Refusal | None:
    """Why a subarray of a directive gets no tile; None if it may.

    What stands inside of the directive is planned already. ``before`` are the tiles of its earlier subarrays.
    """
    base = subarray.base
    if not isinstance(base, Variable):
        hint = "copy the pointer to a variable in front of the construct, and use that in its place"
        return Refusal("ACC417", "it is a member of a structure", hint=hint)
    if any(table.name == base.name for table in survey.kernel.region.tables):
        return Refusal("ACC405", "its elements are constants")
    if base.name in survey.gang_arrays(path):
        return Refusal("ACC404", "one copy a block lies in shared memory")
    if base.name in _reduced(stmt, path, survey):
        return Refusal("ACC405", "each thread has a copy of its own to reduce")
    if base.name in survey.worker_arrays(path):
        return Refusal("ACC405", "each worker has a copy of its own")
    refused = of_type(base, survey.declared, survey.assigned)
    if refused is not None:
        return refused
    if options.caches_nothing:
        return Refusal("ACC406", "--method none")
    named = bool(subarray.dimensions) or keeps_lines(options.method)
    if not named and not isinstance(resolve(base.type), Array):
        return Refusal("ACC415", "a pointer without a subarray has no known length")
    if any(tile.array == base.name and tile.policy for tile in before):
        reason = "another subarray of the same array is cached here already, and written"
        return Refusal("ACC402", reason, hint="write one subarray that holds both")
    inner = next((tile for tile in _tiles(stmt) if tile.array == base.name), None)
    if inner is not None:
        reason = f"the directive at line {inner.location.line} inside caches the same array"
        return Refusal("ACC402", reason, hint="take one of them out")
    if not any(isinstance(outer, ParallelFor) for outer in path):
        hint = "move it into a loop with '#pragma acc loop': what the threads of that loop share is cached"
        return Refusal("ACC402", "it stands outside of every parallel loop", hint=hint)
    return None


def _tiles(stmt: Stmt) -> Iterator[Tile]:
    """The tiles of the regions in a statement."""
    return (tile for node in nodes_of(stmt, CacheRegion) for tile in node.tiles)


def _reduced(stmt: Cache, path: tuple[Stmt, ...], survey: Survey) -> frozenset[str]:
    """The variables of reductions of the construct, of the loops around a directive, and of those inside."""
    loops = (loop for loop in (*path, *walk(stmt.body)) if isinstance(loop, ParallelFor))
    found = [*survey.kernel.region.reductions, *(item for loop in loops for item in loop.reductions)]
    return frozenset(item.variable for item in found)


def of_type(base: Variable, declared: frozenset[str], assigned: frozenset[str]) -> Refusal | None:
    """What only a variable's type says; the names ``declared`` and ``assigned`` are those of the kernel or routine."""
    ctype = resolve(base.type)
    if base.name in declared:
        if isinstance(ctype, Array):
            return Refusal("ACC405", "it belongs to one thread")
        if isinstance(ctype, Pointer):
            return Refusal("ACC402", "it is a pointer of the kernel's own; name the array that it leads into")
        if is_scalar(ctype):
            return Refusal("ACC403", "a scalar lives in a register")
    if isinstance(ctype, Pointer) and base.name in assigned:
        return Refusal("ACC402", "the kernel moves the pointer", hint="leave it as it is, and write its elements a[i]")
    if isinstance(ctype, (Arithmetic, Complex)):
        return Refusal("ACC403", "a scalar lives in a register")
    if isinstance(ctype, Record):
        return Refusal("ACC414", "a whole structure cannot be cached; name the array inside")
    return None
