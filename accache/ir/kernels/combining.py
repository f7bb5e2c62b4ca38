"""How the threads of a block combine values along some axes: by shuffles in warps, or in shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec import Struct

from accache.ir.kernels.simt import BarrierScope

WARP = 32
BYTES_EXCHANGED = 64
"""What a thread's elements of an array take in shared memory that a block combines at a time, at most."""
MOST_EXCHANGED = 16 << 10
"""What those of all threads take."""


class Combination(Struct, frozen=True):
    """Groups of ``lanes`` threads, ``stride`` apart, of a block of ``threads``; ``axis`` is '' for the whole block."""

    axis: str
    lanes: int
    stride: int
    threads: int

    @property
    def in_warps(self) -> bool:
        """Whether warps combine their values by shuffles; the templates of accache_reduce.cuh choose by the same."""
        return self.stride == 1 and (not self.axis or self.lanes % WARP == 0 or WARP % self.lanes == 0)

    @property
    def shared_arrays(self) -> tuple[int, ...]:
        """How long its arrays in shared memory are: a value a thread, and a result for each group of several warps."""
        if not self.in_warps:
            return (self.threads,)
        return (self.threads, self.threads // self.lanes) if self.lanes > WARP else ()

    def chunk(self, count: int, size: int) -> int:
        """How many of an array's ``count`` elements of ``size`` bytes are combined at a time, as in the templates."""
        room = min(BYTES_EXCHANGED, MOST_EXCHANGED // self.threads)
        return min(count, max(1, room // size))

    def exchanged(self, count: int, size: int) -> int:
        """The bytes of shared memory that they go through, which all arrays of a kernel have in common."""
        taken = self.chunk(count, size) * size
        return self.threads * (1 << (taken - 1).bit_length())

    @property
    def scope(self) -> BarrierScope:
        """Which threads have waited for each other behind it."""
        return "block" if self.shared_arrays or self.threads <= WARP else "warp"


def combination(axes: Sequence[str], block: tuple[int, int, int]) -> Combination:
    """How a block of this shape combines values along some of its axes: all that it has, or one of them."""
    extents = dict(zip("xyz", block, strict=True))
    threads = prod(block)
    if list(axes) == [axis for axis in "xyz" if extents[axis] > 1]:
        return Combination("", threads, 1, threads)
    axis = axes[0]
    return Combination(axis, extents[axis], {"x": 1, "y": block[0], "z": block[0] * block[1]}[axis], threads)
