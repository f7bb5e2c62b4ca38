"""What a launch does to global memory: for each access of a warp its instruction, lanes and addresses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_LANES = np.arange(32, dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class Records:
    """Accesses of warps to global memory, one element each; those of a block in the order it made them.

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
    """Collects the accesses of the blocks ``first`` to ``end`` (all, if that is None) of one launch.

    ``words`` holds them as they were recorded, ``records`` makes arrays of them. ``instructions`` counts the
    instructions that threads of all blocks executed.
    """

    def __init__(self, first: int = 0, end: int | None = None) -> None:
        self.first = first
        self.end = end
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
        words += [pc << 32 | mask, block << 16 | warp << 1]
        words += [int(address) for lane, address in enumerate(addresses) if mask >> lane & 1]
    return np.array(words, np.uint64)


def _decoded(words: NDArray[np.uint64]) -> tuple[NDArray[np.generic], ...]:
    """Columns of the recorded words: two a record, then a first address and a step, or one address a lane."""
    starts = _starts(words)
    heads, tails = words[starts], words[starts + 1]
    mask = (heads & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    steady = (tails & np.uint64(1)).astype(np.bool_)
    lanes = (mask[:, None] >> _LANES.astype(np.uint32)[None, :] & 1).astype(np.bool_)
    addresses = np.zeros((len(starts), 32), np.uint64)
    first_lane = np.argmax(lanes, axis=1).astype(np.uint64)
    base, step = words[starts[steady] + 2], words[starts[steady] + 3]
    addresses[steady] = base[:, None] + step[:, None] * (_LANES[None, :] - first_lane[steady][:, None])
    places = starts[~steady][:, None] + 1 + np.cumsum(lanes[~steady], axis=1)
    addresses[~steady] = words[np.minimum(places, max(0, len(words) - 1))] if len(words) else 0
    return (
        (heads >> np.uint64(32)).astype(np.uint32),
        mask,
        tails >> np.uint64(16),
        (tails >> np.uint64(1) & np.uint64(0x7FFF)).astype(np.uint32),
        addresses,
    )


def _starts(words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Where records begin: each tells its own length."""
    steady = (words & np.uint64(1)).astype(np.bool_)
    count = _bits(words & np.uint64(0xFFFFFFFF))
    length = np.full(len(words), 4, np.int64)
    length[:-1] = np.where(steady[1:], 4, 2 + count[:-1])
    found, position, total = [], 0, len(words)
    steps = length.tolist()
    while position < total:
        found.append(position)
        position += steps[position]
    return np.array(found, np.int64)


def _bits(values: NDArray[np.uint64]) -> NDArray[np.int64]:
    """How many bits are set."""
    found = np.zeros(len(values), np.int64)
    for bit in range(32):
        found += (values >> np.uint64(bit) & np.uint64(1)).astype(np.int64)
    return found
