"""What a launch does to memory: for each access of a warp its instruction, lanes and addresses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LANES = 32
_LANES = np.arange(LANES, dtype=np.uint64)
_LISTED, _STEADY, _HALVES = range(3)


@dataclass(frozen=True, eq=False)
class Records:
    """Accesses of warps to memory, one element each; those of a block in the order it made them.

    ``pc`` is the index of the instruction in ``Program.steps``, ``mask`` has a bit for every lane that took part,
    ``block`` and ``warp`` count blocks of the grid and warps of the block, x fastest. ``addresses`` holds one row for
    each access with the address of every lane; that of a lane which did not take part means nothing.
    """

    pc: NDArray[np.uint32]
    mask: NDArray[np.uint32]
    block: NDArray[np.uint64]
    warp: NDArray[np.uint32]
    addresses: NDArray[np.uint64]

    def taking_part(self) -> NDArray[np.bool_]:
        """One row for each access: which lanes took part."""
        return (self.mask[:, None] >> _LANES.astype(np.uint32)[None, :] & 1).astype(np.bool_)


class Trace:
    """Collects the accesses of blocks of one launch: of each ``every``-th from ``first`` on and before ``end``.

    Without ``end`` that is the launch's. They are those to global memory and, if ``shared``, to shared memory, whose
    addresses are in its window (``program.WINDOWS``). ``words`` holds them as they were recorded, ``records`` makes
    arrays of them. ``instructions`` counts the instructions that threads of all blocks executed.
    """

    def __init__(self, first: int = 0, end: int | None = None, every: int = 1, *, shared: bool = False) -> None:
        self.first = first
        self.end = end
        self.every = every
        self.shared = shared
        self.instructions = 0
        self.words: tuple[NDArray[np.uint64], ...] = ()

    def records(self) -> Records:
        """All accesses, block after block."""
        parts = [_decoded(words) for words in self.words or (np.empty(0, np.uint64),)]
        pc, mask, block, warp, addresses = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.argsort(block, kind="stable")
        return Records(pc[order], mask[order], block[order], warp[order], addresses[order])


def encode(accesses: Iterable[tuple[int, int, int, int, NDArray[np.uint64]]]) -> NDArray[np.uint64]:
    """Words for accesses of pc, mask, block, warp, and an address for each of the 32 lanes."""
    words: list[int] = []
    for pc, mask, block, warp, addresses in accesses:
        words += [pc << 32 | mask, block << 16 | warp << 2 | _LISTED]
        words += [int(address) for lane, address in enumerate(addresses) if mask >> lane & 1]
    return np.array(words, np.uint64)


def _decoded(words: NDArray[np.uint64]) -> tuple[NDArray[Any], ...]:
    """Columns of the recorded words.

    A record begins with two words for pc and mask, and for block, warp and kind. Then come addresses of the lanes that
    took part, or a first address and a step for all lanes, or that for each half of the warp.
    """
    starts = _starts(words)
    heads, tails = words[starts], words[starts + 1]
    kind = tails & np.uint64(3)
    mask = (heads & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    addresses = np.zeros((len(starts), LANES), np.uint64)
    steady, halves, listed = (kind == number for number in (_STEADY, _HALVES, _LISTED))
    addresses[steady] = _stepped(words, starts[steady] + 2, LANES)
    for number, half in enumerate((slice(0, LANES // 2), slice(LANES // 2, LANES))):
        addresses[halves, half] = _stepped(words, starts[halves] + 2 + 2 * number, LANES // 2)
    if listed.any():
        lanes = (mask[listed][:, None] >> _LANES.astype(np.uint32)[None, :] & 1).astype(np.int64)
        places = starts[listed][:, None] + 1 + np.cumsum(lanes, axis=1)
        addresses[listed] = words[np.minimum(places, len(words) - 1)]
    warp = (tails >> np.uint64(2) & np.uint64(0x3FFF)).astype(np.uint32)
    return (heads >> np.uint64(32)).astype(np.uint32), mask, tails >> np.uint64(16), warp, addresses


def _stepped(words: NDArray[np.uint64], places: NDArray[np.int64], count: int) -> NDArray[np.uint64]:
    """Rows of so many addresses from a first one and a step, which stand at places of the words."""
    found: NDArray[np.uint64] = words[places][:, None] + words[places + 1][:, None] * _LANES[None, :count]
    return found


def _starts(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Where records begin: each tells its own length."""
    kind = words[1:] & np.uint64(3)
    listed = 2 + _bits(words[:-1] & np.uint64(0xFFFFFFFF))
    steps = np.where(kind == _STEADY, 4, np.where(kind == _HALVES, 6, listed)).tolist()
    found, position = [], 0
    while position < len(steps):
        found.append(position)
        position += steps[position]
    return np.array(found, np.int64)


def _bits(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """How many bits are set."""
    found = np.zeros(len(values), np.int64)
    for bit in range(32):
        found += (values >> np.uint64(bit) & np.uint64(1)).astype(np.int64)
    return found
