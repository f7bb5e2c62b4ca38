"""What a multiprocessor of a GPU does in a clock, and what it holds: one row a GPU, with its sources."""

from __future__ import annotations

from dataclasses import dataclass

ISSUED = 3.2
"""Warp instructions a clock: 80 % of the four schedulers."""
SECTORS = 4
"""Sectors of 32 bytes that L1 serves in a clock: 128 bytes."""


@dataclass(frozen=True)
class Chip:
    """One GPU, named as in ``accache.l1.gpus``.

    ``l2_bytes`` is a multiprocessor's share of what L2 delivers in a clock. A multiprocessor holds ``threads`` threads
    in ``blocks`` blocks, with ``registers`` registers and ``shared`` bytes of shared memory, of which each block takes
    ``reserved`` more than it asks for.
    """

    name: str
    multiprocessors: int
    l2_bytes: float
    threads: int = 2048
    blocks: int = 32
    registers: int = 65536
    shared: int = 228 << 10
    reserved: int = 1024


# NVIDIA's A100 whitepaper gives L2 2048 bytes a clock for v100 and 5120 for a100. It is silent on h100, whose L2 is
# taken to deliver what that of a100 does; multiprocessors are those of the SXM boards.
CHIPS = (
    Chip("v100", 80, 2048 / 80, shared=96 << 10, reserved=0),
    Chip("a100", 108, 5120 / 108, shared=164 << 10),
    Chip("h100", 132, 5120 / 132),
    Chip("h200", 132, 5120 / 132),
)


def chip_named(name: str) -> Chip:
    """The row of a name; raises KeyError if there is none."""
    return {chip.name: chip for chip in CHIPS}[name]


def occupancy(chip: Chip, threads: int, registers: int, shared: int) -> float:
    """Which part of the resident threads blocks of so many threads, registers a thread and shared bytes fill.

    >>> occupancy(chip_named("h100"), 256, 32, 0), occupancy(chip_named("h100"), 256, 33, 0)
    (1.0, 0.75)
    """
    return resident_blocks(chip, threads, registers, shared) * -(-threads // 32) * 32 / chip.threads


def resident_blocks(chip: Chip, threads: int, registers: int, shared: int) -> int:
    """How many such blocks a multiprocessor holds.

    >>> resident_blocks(chip_named("h100"), 256, 33, 0), resident_blocks(chip_named("v100"), 32, 16, 48 << 10)
    (6, 2)
    """
    warps = -(-threads // 32)
    of_registers = chip.registers // (warps * 32 * max(8, -(-registers // 8) * 8))
    limits = [chip.blocks, chip.threads // (warps * 32), of_registers]
    if shared + chip.reserved:
        limits.append(chip.shared // (shared + chip.reserved))
    return min(limits)
