"""The fixed order of a launch's requests: warps take turns, an instruction each, and nothing takes time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accache.l1.requests import Integers, Requests


@dataclass(frozen=True, eq=False)
class Stream:
    """Requests in the order in which they reach the cache; the columns are those of ``Requests``."""

    line: Integers
    mask: NDArray[np.uint32]
    site: NDArray[np.int32]
    store: NDArray[np.bool_]


def fixed_order(requests: Requests, active_blocks: int) -> Stream:
    """The requests of blocks that are active together, warp after warp, one instruction of each at a time.

    It is the order of the timed engine without latencies: whether requests hit makes no difference to it.
    """
    instructions = np.diff(requests.warp_first)
    warp = np.repeat(np.arange(len(instructions)), instructions)
    turn = np.arange(len(warp)) - np.repeat(requests.warp_first[:-1], instructions)
    batch = np.repeat(np.arange(len(requests.block_first) - 1) // active_blocks, np.diff(requests.block_first))
    order = np.lexsort((warp, turn, batch[warp]))
    lengths = np.diff(requests.instruction_first)[order]
    before = np.cumsum(lengths) - lengths
    at = np.arange(len(requests.line)) + np.repeat(requests.instruction_first[:-1][order] - before, lengths)
    return Stream(requests.line[at], requests.mask[at], requests.site[at], requests.store[at])
