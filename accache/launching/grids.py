"""How many blocks a launch has: trip counts of loops, and the axes of the grid made from them."""

from __future__ import annotations

from math import prod

from accache.analysis.canonical import FAR, may_pass_end, may_start_far, trip_count
from accache.base.architectures import LARGEST_YZ
from accache.ir.as_polynomial import index_polynomial
from accache.ir.constants import constant
from accache.ir.kernels.launch_plan import (
    AskedAxis,
    Axis,
    Count,
    CountedAxis,
    DifferenceCount,
    ExpressionCount,
    GridPlan,
    PolynomialCount,
    StrideCheck,
)
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.tree import Expr
from accache.ir.types import Arithmetic, exceeds_int, resolve
from accache.mapping.grids import STRIDED_BLOCKS
from accache.mapping.mapped import MappedKernel

MANY = 1 << 31
"""More iterations than the numbers of blocks and threads can say."""


def plan_grid(kernel: MappedKernel) -> GridPlan:
    """The grid of a kernel."""
    if kernel.shape.gangs:
        return GridPlan(tuple(AskedAxis(size) for size in kernel.shape.gangs))
    if not kernel.shape.grid_loops:
        return GridPlan()
    if kernel.shape.is_general:
        return GridPlan((STRIDED_BLOCKS,))
    axes: list[Axis] = []
    for loop, threads in zip(kernel.shape.counted_loops, kernel.shape.grid_threads, strict=True):
        count = count_of(loop)
        if count.value is not None and 0 < count.value < MANY:
            needed = -(-count.value // threads)
            axes.append(min(needed, LARGEST_YZ) if axes and kernel.strides else needed)
        else:
            axes.append(CountedAxis(loop.variable, count, threads))
    check = _stride_check(kernel) if isinstance(axes[-1], CountedAxis) else None
    checks = (check,) if check is not None else ()
    return _capped(GridPlan(tuple(axes), kernel.shape.most_blocks, checks, kernel.shape.quarter_first))


def _capped(grid: GridPlan) -> GridPlan:
    """A grid whose last axis is made shorter where there would be too many blocks and all axes are known."""
    known = [axis for axis in grid.axes if isinstance(axis, int)]
    if not grid.most or len(known) < len(grid.axes):
        return grid
    *others, last = known
    left = max(1, grid.most // prod(others))
    if grid.quarter_first:
        left = min(left, max(left // 4, -(-last // 4), 1))
    return GridPlan((*others, min(last, left)), 0, grid.checks)


def _stride_check(kernel: MappedKernel) -> StrideCheck | None:
    """What the launch makes sure of where an int strides for a reduction, and may pass the end of its type."""
    loop, most = kernel.shape.counted_loops[-1], kernel.shape.most_blocks
    threads = min(kernel.shape.grid_threads[-1], kernel.shape.threads)
    if not most or exceeds_int(loop.type) or constant(loop.limit) is not None or may_pass_end(loop, threads):
        return None
    return StrideCheck(loop.variable, loop.limit, most * threads * loop.step)


def count_of(loop: CanonicalLoop) -> Count:
    """How many iterations a loop has."""
    if loop.may_not_start or may_start_far(loop):
        return ExpressionCount(trip_count(loop, loop.first))
    first, limit = index_polynomial(loop.first), index_polynomial(loop.limit)
    distance = abs(loop.step)
    extra = distance - 1 + (loop.operator in ("<=", ">="))
    if first is not None and limit is not None and _is_int(loop.first) and _is_int(loop.limit):
        span = (limit - first if loop.step > 0 else first - limit) + extra
        is_far = bool(first.names and limit.names) or abs(span.constant_term) > FAR
        return PolynomialCount(span, distance, is_far)
    high, low = (loop.limit, loop.first) if loop.step > 0 else (loop.first, loop.limit)
    return DifferenceCount(high, None if constant(low) == 0 else low, extra, distance)


def _is_int(expr: Expr) -> bool:
    """Whether an expression is computed in plain int."""
    plain = resolve(expr.type)
    return isinstance(plain, Arithmetic) and plain.name == "int" and not plain.unsigned
