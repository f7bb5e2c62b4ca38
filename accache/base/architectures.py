"""What is known of each GPU architecture: one row of data a compute capability.

Sources: CUDA C++ Programming Guide 13.0, table of technical specifications per compute capability; for 8.8, 11.0 and
12.1, which it lacks, cuda_occupancy.h (blocks, choices of shared memory) and ptxas (threads).
"""

from __future__ import annotations

import re

from msgspec import Struct

STATIC_SHARED_BYTES = 48 << 10
"""What the static arrays of a kernel may take together, on every architecture; more is asked for at the launch."""


def _kb(*numbers: int) -> tuple[int, ...]:
    return tuple(number << 10 for number in numbers)


_VOLTA = _kb(0, 8, 16, 32, 64, 96)
_SMALL = _kb(0, 8, 16, 32, 64, 100)
_AMPERE = _kb(0, 8, 16, 32, 64, 100, 132, 164)
_HOPPER = _kb(0, 8, 16, 32, 64, 100, 132, 164, 196, 228)


class Architecture(Struct, frozen=True):
    """Limits of one compute capability; bytes a multiprocessor or block, counts a multiprocessor.

    L1 and shared memory are one memory of ``unified`` bytes, of which shared memory has one of the ``carveouts``; the
    system takes ``reserved_per_block`` of it. Shared memory is handed out in multiples of ``shared_granularity`` bytes.
    """

    name: str
    unified: int
    carveouts: tuple[int, ...]
    reserved_per_block: int
    threads_per_sm: int
    blocks_per_sm: int
    shared_granularity: int = 128

    @property
    def shared_per_sm(self) -> int:
        """The most shared memory that a multiprocessor has."""
        return self.carveouts[-1]

    @property
    def shared_per_block(self) -> int:
        """The most shared memory that a block may have."""
        return self.shared_per_sm - self.reserved_per_block

    def resident_blocks(self, threads: int, shared_bytes: int) -> int:
        """How many blocks a multiprocessor holds at once, as far as threads and shared memory limit them.

        ``threads`` are per block (whole warps are counted), ``shared_bytes`` per block. Registers are unknown here.
        """
        whole_warps = -(-threads // 32) * 32
        unit = self.shared_granularity
        used = -(-(shared_bytes + self.reserved_per_block) // unit) * unit
        by_shared = self.shared_per_sm // used if used else self.blocks_per_sm
        return min(self.blocks_per_sm, self.threads_per_sm // whole_warps, by_shared)


ARCHITECTURES = (
    Architecture("sm_70", 128 << 10, _VOLTA, 0, 2048, 32, shared_granularity=256),
    Architecture("sm_75", 96 << 10, _kb(32, 64), 0, 1024, 16, shared_granularity=256),
    Architecture("sm_80", 192 << 10, _AMPERE, 1024, 2048, 32),
    Architecture("sm_86", 128 << 10, _SMALL, 1024, 1536, 16),
    Architecture("sm_87", 192 << 10, _AMPERE, 1024, 1536, 16),
    Architecture("sm_88", 128 << 10, _SMALL, 1024, 1536, 16),
    Architecture("sm_89", 128 << 10, _SMALL, 1024, 1536, 24),
    Architecture("sm_90", 256 << 10, _HOPPER, 1024, 2048, 32),
    Architecture("sm_100", 256 << 10, _HOPPER, 1024, 2048, 32),
    Architecture("sm_103", 256 << 10, _HOPPER, 1024, 2048, 32),
    Architecture("sm_110", 256 << 10, _HOPPER, 1024, 1536, 24),
    Architecture("sm_120", 128 << 10, _SMALL, 1024, 1536, 24),
    Architecture("sm_121", 128 << 10, _SMALL, 1024, 1536, 24),
)


def architecture(name: str) -> Architecture:
    """The row of an architecture as nvcc names it: ``sm_90``, or ``sm_90a`` and ``sm_100f`` with their suffixes.

    Raises:
        ValueError: it is not known; the message lists the known ones.
    """
    plain = re.sub(r"(?<=\d)[af]$", "", name)
    for row in ARCHITECTURES:
        if row.name == plain:
            return row
    known = ", ".join(row.name for row in ARCHITECTURES)
    raise ValueError(f"'{name}' is not a known architecture: {known}")
