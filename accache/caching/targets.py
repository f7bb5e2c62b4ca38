"""What the planner knows of each GPU architecture: one row of data a target.

Source: CUDA C++ Programming Guide 13.0, table of technical specifications per compute capability.
"""

from __future__ import annotations

from msgspec import Struct

STATIC_SHARED_BYTES = 48 * 1024


class Target(Struct, frozen=True):
    """Limits of one compute capability; bytes a multiprocessor or block, counts a multiprocessor.

    Shared memory is handed out in multiples of ``shared_granularity`` bytes.
    """

    arch: str
    shared_per_sm: int
    shared_per_block: int
    reserved_per_block: int
    threads_per_sm: int
    blocks_per_sm: int
    shared_granularity: int = 128


TARGETS = (
    Target("sm_75", 64 << 10, 64 << 10, 0, 1024, 16, shared_granularity=256),
    Target("sm_80", 164 << 10, 163 << 10, 1024, 2048, 32),
    Target("sm_86", 100 << 10, 99 << 10, 1024, 1536, 16),
    Target("sm_87", 164 << 10, 163 << 10, 1024, 1536, 16),
    Target("sm_89", 100 << 10, 99 << 10, 1024, 1536, 24),
    Target("sm_90", 228 << 10, 227 << 10, 1024, 2048, 32),
    Target("sm_100", 228 << 10, 227 << 10, 1024, 2048, 32),
)


def target_named(arch: str) -> Target | None:
    """The row of an architecture such as ``sm_90``; None if it is not known."""
    return next((target for target in TARGETS if target.arch == arch), None)


def shared_limit(arch: str) -> int:
    """Bytes of shared memory that a block of an architecture may have."""
    target = target_named(arch)
    return target.shared_per_block if target is not None else STATIC_SHARED_BYTES


def resident_blocks(target: Target, threads: int, shared_bytes: int) -> int:
    """Blocks a multiprocessor holds at once, limited by threads, blocks and shared memory (registers are unknown here).

    ``threads`` are per block (whole warps are counted), ``shared_bytes`` per block.
    """
    warps_threads = -(-threads // 32) * 32
    by_threads = target.threads_per_sm // warps_threads
    unit = target.shared_granularity
    used = -(-(shared_bytes + target.reserved_per_block) // unit) * unit
    by_shared = target.shared_per_sm // used if used else target.blocks_per_sm
    return min(target.blocks_per_sm, by_threads, by_shared)
