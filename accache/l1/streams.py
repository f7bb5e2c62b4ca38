"""The fixed order of a launch's requests: warps take turns, an instruction each, and nothing takes time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accache.l1.requests import Integers, Requests


@dataclass(frozen=True, eq=False)
class Stream:
    """Requests in the order in which they reach the cache; the columns are those of ``Requests``.

    ``place`` is the number of the multiprocessor whose L1 gets it, None where there is one: they share what is behind.
    """

    line: Integers
    mask: NDArray[np.uint32]
    site: NDArray[np.int32]
    store: NDArray[np.bool_]
    place: NDArray[np.int64] | None = None

    @property
    def places(self) -> int:
        """How many multiprocessors there are."""
        return 1 if self.place is None else int(self.place.max(initial=0)) + 1


def side_by_side(streams: Sequence[Stream]) -> Stream:
    """The requests of multiprocessors that work at the same time: they take turns, a request each."""
    if len(streams) == 1:
        return streams[0]
    turn = np.concatenate([np.arange(len(stream.line)) for stream in streams])
    place = np.repeat(np.arange(len(streams)), [len(stream.line) for stream in streams])
    order = np.lexsort((place, turn))
    line, mask, site, store = (
        np.concatenate([getattr(stream, name) for stream in streams])[order]
        for name in ("line", "mask", "site", "store")
    )
    return Stream(line, mask, site, store, place[order])


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
