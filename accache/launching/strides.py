"""Loops whose threads stride by an int, and may pass the end of its type behind the loop's limit.

Before: ``for (int j = first + threadIdx.x; j < n; j += 128)`` in a kernel. The last addition gives a number below zero
where ``n`` is within 128 of the type's end, and the loop goes on. Threads that counted in 64 bits would be slower, so
the launch looks at limits that it knows, before any thread runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from accache.analysis.canonical import may_wrap
from accache.base.architectures import LARGEST_YZ
from accache.ir.constants import constant
from accache.ir.kernels.launch_plan import StrideCheck
from accache.ir.kernels.simt import ParallelFor
from accache.ir.openacc.atomics import same
from accache.ir.tree import If, Stmt, Switch, While
from accache.ir.types import Arithmetic, exceeds_int, resolve
from accache.ir.walk import children, is_computed, used_variables
from accache.mapping.data.quotients import known_integers
from accache.mapping.grids import STRIDED_BLOCKS
from accache.mapping.mapped import MappedKernel

MOST_THREADS = 1 << 25
"""Launches of more threads are not considered, where each has an iteration."""


def stride_checks(kernels: Sequence[MappedKernel], others: Sequence[StrideCheck]) -> tuple[StrideCheck, ...]:
    """What a launch makes sure of where threads stride over a loop that one of its kernels is sure to come to.

    It makes sure of ``others``, too. Of loops that have one limit it is the greatest stride.
    """
    found = list(others)
    for new in (item for kernel in kernels for item in _checks(kernel)):
        alike = [item for item in found if same(item.limit, new.limit) and (item.stride > 0) == (new.stride > 0)]
        if all(abs(item.stride) < abs(new.stride) for item in alike):
            found = [*(item for item in found if item not in alike), new]
    return tuple(found)


def _checks(kernel: MappedKernel) -> Iterator[StrideCheck]:
    """What is to be known of each loop of a kernel."""
    known = known_integers(kernel.region)
    for loop in _sure_loops(kernel.body):
        stride, limit = _stride(loop, kernel) if _may_pass(loop) else 0, loop.loop.limit
        if stride and is_computed(limit) and used_variables(limit) <= known:
            yield StrideCheck(loop.loop.variable, limit, stride)


def _may_pass(loop: ParallelFor) -> bool:
    """Whether a loop counts in int, to a limit that only the launch knows."""
    plain = resolve(loop.loop.type)
    is_int = isinstance(plain, Arithmetic) and not plain.unsigned and not exceeds_int(plain)
    return is_int and constant(loop.loop.limit) is None and not may_wrap(loop)


def _stride(loop: ParallelFor, kernel: MappedKernel) -> int:
    """How far behind a loop's limit a thread's variable may come; 0 if that is not known.

    Where there is a thread for each iteration, small steps would take more threads than a launch has.
    """
    if loop.at_run_time or loop.most or (loop.covered and abs(loop.loop.step) * MOST_THREADS < 1 << 31):
        return 0
    is_of_many = bool(loop.grid) and not loop.covered
    return loop.threads * loop.per_thread * loop.loop.step * (_blocks(loop, kernel) if is_of_many else 1)


def _blocks(loop: ParallelFor, kernel: MappedKernel) -> int:
    """How many blocks stride over a loop at most; 0 if that is not known."""
    if kernel.shape.gangs:
        return prod(constant(size) or 0 for size in kernel.shape.gangs)
    if kernel.shape.is_general:
        return STRIDED_BLOCKS
    return LARGEST_YZ if loop.grid != "x" else 0


def _sure_loops(stmt: Stmt) -> Iterator[ParallelFor]:
    """The parallel loops in a statement that no condition stands around."""
    if isinstance(stmt, (If, Switch, While)):
        return
    if isinstance(stmt, ParallelFor):
        yield stmt
    for child in children(stmt):
        if isinstance(child, Stmt):
            yield from _sure_loops(child)
