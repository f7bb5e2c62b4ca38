"""What is known of each GPU architecture: one row of data a compute capability.

Sources: CUDA C++ Programming Guide 13.0, table of technical specifications per compute capability; for 8.8, 11.0 and
12.1, which it lacks, cuda_occupancy.h (blocks, choices of shared memory) and ptxas (threads).
"""

from __future__ import annotations

import re

from msgspec import Struct

STATIC_SHARED_BYTES = 48 << 10
"""What the static arrays of a kernel may take together, on every architecture; more is asked for at the launch."""
WARP = 32
L1_LINE, SECTOR = 128, 32
"""The bytes of a line of L1, and of the parts in which it is fetched, on every architecture here."""
MAX_THREADS = 1024
"""Threads of a block at most, on every architecture (CUDA C++ Programming Guide, compute capabilities)."""
LARGEST_YZ = 65535
"""Blocks on y or z of a grid."""
REGISTERS = 65536
"""The registers of a multiprocessor, on every architecture here; a warp gets multiples of ``REGISTER_UNIT``."""
REGISTER_UNIT = 256
REGISTER_PARTS = 4
"""A warp has its registers in one part of them."""


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

    def threads_that_fill_l1(self, streams: int, own_line: int) -> int:
        """From how many resident threads on lines of their own pay, where each goes through so many arrays.

        Each is in a line of L1 of each array; see ``fills_l1``. ``lines_that_pay`` of accache_private.cuh computes the
        same for a launch.
        """
        most, rest = divmod(self.unified, L1_LINE * streams)
        return most if not rest and fills_l1(self.unified, self.unified, own_line) else most + 1

    def resident_blocks(self, threads: int, shared_bytes: int, registers: int = 0) -> int:
        """How many blocks a multiprocessor holds at once, 0 if a block takes more shared memory than it may.

        ``threads`` are per block (whole warps are counted), ``shared_bytes`` per block, ``registers`` per thread; where
        these are not known (0), it is at most as many.
        """
        if shared_bytes > self.shared_per_block:
            return 0
        warps = -(-threads // WARP)
        unit = self.shared_granularity
        used = -(-(shared_bytes + self.reserved_per_block) // unit) * unit
        limits = [self.blocks_per_sm, self.threads_per_sm // (warps * WARP)]
        limits += [self.shared_per_sm // used] if used else []
        if registers:
            of_warp = -(-registers * WARP // REGISTER_UNIT) * REGISTER_UNIT
            limits.append(REGISTERS // REGISTER_PARTS // of_warp * REGISTER_PARTS // warps)
        return min(limits)

    def shared_room(self, threads: int, shared_bytes: int, registers: int = 0) -> int:
        """The bytes of shared memory that a block may take besides its own until fewer blocks are resident."""
        blocks = self.resident_blocks(threads, shared_bytes, registers)
        if blocks == 0:
            return 0
        unit = self.shared_granularity
        each = self.shared_per_sm // blocks // unit * unit - self.reserved_per_block
        return max(0, min(each, self.shared_per_block) - shared_bytes)


def fills_l1(used: int, l1: int, own_line: int) -> bool:
    """Whether ``used`` bytes of L1's lines, which all threads are in at a time, are too many for its ``l1`` bytes.

    At just as many it depends on where the arrays lie: sets of L1 may not fill evenly. Lines of ``own_line`` bytes of
    each thread's own are no loss there if they are sectors, and else move each sector twice (docs/private.md).
    ``own_line`` is 0 where not each array with lines is gone through in records of the threads' own.
    """
    return used > l1 or (used == l1 and own_line == SECTOR)


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

KEPLER = Architecture("sm_35", 64 << 10, _kb(16, 32, 48), 0, 2048, 16, shared_granularity=256)
"""A chip of the papers, for which today's nvcc makes no code."""


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
