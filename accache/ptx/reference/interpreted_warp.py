"""A warp of the reference machine: where its lanes are, and what their registers hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from accache.ptx.machine.program import Program, Routine
from accache.ptx.rules.types import TYPES, Type

LANES = 32
Lanes: TypeAlias = NDArray[Any]
Mask: TypeAlias = NDArray[np.bool_]
_TURNS_BEFORE_OTHERS = 128


@dataclass(frozen=True, eq=False)
class Frame:
    """Registers of a function at a depth of calls, as bits, and each lane's argument area."""

    registers: tuple[Lanes, ...]
    arguments: NDArray[np.uint8]


class Warp:
    """32 threads of a block.

    ``depth`` counts the calls a lane is in; ``base`` is where its frame in local memory lies.
    """

    def __init__(self, number: int, block: tuple[int, int, int], program: Program) -> None:
        self.number = number
        threads = np.arange(number * LANES, (number + 1) * LANES)
        x, y, _ = block
        self.tid = (threads % x, threads // x % y, threads // x // y)
        self.alive: Mask = threads < block[0] * block[1] * block[2]
        self.waiting: Mask = np.zeros(LANES, np.bool_)
        self.parked: Mask = np.zeros(LANES, np.bool_)
        self.pc = np.zeros(LANES, np.int64)
        self.depth = np.zeros(LANES, np.int64)
        self.base = np.zeros(LANES, np.int64)
        self.back: dict[tuple[int, int], int] = {}
        self._program = program
        self._frames: dict[tuple[int, str], Frame] = {}
        self._turns = 0

    def next_lanes(self, meets_anywhere: Callable[[int], bool]) -> Mask | None:
        """The lanes that take the next step together; None if all wait or have ended."""
        can = self.alive & ~self.waiting
        ready = can & ~self.parked
        if not ready.any():
            if not can.any() or not all(meets_anywhere(int(pc)) for pc in self.pc[can]):
                return None
            self.pc[can] += 1  # they meet, each at a barrier of the warp of its own
            self.parked[:] = False
            return self.next_lanes(meets_anywhere)
        ready &= self.depth == self.depth[ready].max()
        self._turns += 1
        rare = self._turns % _TURNS_BEFORE_OTHERS == 0  # who spins must not keep out whom it waits for
        pc = self.pc[ready].max() if rare else self.pc[ready].min()
        found: Mask = can & (self.pc == pc) & (self.depth == self.depth[ready].max())
        return found

    def frame(self, depth: int, routine: Routine) -> Frame:
        """The frame of a function at a depth; it lasts as long as the warp."""
        key = (depth, routine.name)
        if key not in self._frames:
            registers = tuple(np.zeros(LANES, f"u{type_.bytes}") for type_ in routine.registers)
            self._frames[key] = Frame(registers, np.zeros((LANES, max(16, routine.argument_bytes)), np.uint8))
        return self._frames[key]


def as_type(bits: Lanes, type_: Type) -> Lanes:
    """Bits of registers as values of a type that is no wider."""
    return bits.astype(f"u{type_.bytes}").view(type_.numpy)


def as_bits(values: Lanes, type_: Type, width: Type) -> Lanes:
    """Values of a type as the bits of registers; a sign is kept in a wider one."""
    held = np.asarray(values).astype(type_.numpy)
    if type_.kind == "s":
        return held.astype(np.int64).astype(f"u{width.bytes}")
    return held.view(f"u{type_.bytes}").astype(f"u{width.bytes}")


def bits_of_mask(mask: Mask) -> int:
    """A mask as an integer; lane 0 is its lowest bit."""
    return sum(1 << int(lane) for lane in np.flatnonzero(mask))


def numbers(mask: Mask) -> list[int]:
    """The lanes of a mask."""
    return [int(lane) for lane in np.flatnonzero(mask)]


def move(
    source: Frame, ranges: tuple[tuple[int, int], ...], target: Frame, places: tuple[tuple[int, int], ...], *, lane: int
) -> None:
    """Copy parameters between the argument areas of two frames."""
    for (start, size), (end, room) in zip(ranges, places, strict=False):
        count = min(size, room)
        target.arguments[lane, end : end + count] = source.arguments[lane, start : start + count]


def source_lane(mode: str, lane: int, distance: int, clamp: int) -> tuple[int, bool]:
    """The lane that another one reads, and whether it is in range; c has a clamp and a mask of segments."""
    b, c, segments = distance & 31, clamp & 31, clamp >> 8 & 31
    last, first = (lane & segments) | (c & ~segments & 31), lane & segments
    source = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": first | (b & ~segments & 31)}[mode]
    valid = source >= last if mode == "up" else source <= last
    return (source if valid else lane), valid


U32 = TYPES["u32"]
