"""How full a multiprocessor gets of a kernel's blocks."""

from __future__ import annotations

from accache.base.architectures import WARP, architecture
from accache.report.records import OccupancyReport


def occupancy(arch: str, threads: int, shared_bytes: int, registers: int = 0) -> OccupancyReport:
    """What a multiprocessor holds of blocks of so many threads and bytes, and what limits that.

    ``registers`` are those of a thread; where nobody counted them (0), it holds at most as many.
    """
    target = architecture(arch)
    blocks = target.resident_blocks(threads, shared_bytes, registers)
    warps = -(-threads // WARP)
    percent = round(100 * blocks * warps * WARP / target.threads_per_sm)
    by_shared, unlimited = target.resident_blocks(threads, shared_bytes), target.resident_blocks(threads, 0)
    if blocks < by_shared:
        limit = "registers"
    elif blocks < unlimited:
        limit = "shared memory"
    else:
        limit = "blocks" if unlimited == target.blocks_per_sm and percent < 100 else "threads"
    return OccupancyReport(target.name, blocks, percent, limit, registers or None)
