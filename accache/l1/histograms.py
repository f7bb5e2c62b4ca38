"""The histogram of reuse distances of a trace, for the sets of a cache, and the hits of every number of ways."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accache.l1.gpus import Gpu
from accache.l1.modes import PAPER
from accache.l1.requests import make_requests
from accache.l1.sets import set_of
from accache.l1.setups import setup_of
from accache.l1.streams import fixed_order
from accache.l1.tools import PLAIN, Tools
from accache.l1.trace import Trace, loading_parts


@dataclass(frozen=True, eq=False)
class Histogram:
    """``counts[d]`` loads have reuse distance d among the lines of their set; ``never`` ask for a line's first time."""

    sets: int
    counts: NDArray[np.int64]
    never: int

    @property
    def requests(self) -> int:
        """All of them."""
        return int(self.counts.sum()) + self.never

    def hits(self, ways: int) -> int:
        """The requests that hit with a number of ways, in as many sets managed by LRU."""
        return int(self.counts[:ways].sum())

    def ranges(self) -> tuple[tuple[int, int, int], ...]:
        """The histogram in ranges that double: the least and the largest distance of each, and its requests."""
        found = []
        low, high = 0, 0
        while low < len(self.counts):
            found.append((low, high, int(self.counts[low : high + 1].sum())))
            low, high = high + 1, 2 * high + 1
        return tuple(found)


def histogram(trace: Trace, gpu: Gpu, tools: Tools = PLAIN) -> Histogram:
    """The reuse distances of a trace's loads in the fixed order, each in its set of a cache.

    Raises:
        CompileError: steps of a thread go back.
        ValueError: a block has more threads than the multiprocessor holds.
    """
    active = setup_of(gpu, PAPER, trace.block_threads).active_blocks
    found = []
    for part in loading_parts(trace):
        line = fixed_order(make_requests(part, gpu, tools.coalesce, tools.order), active).line
        found.append(tools.measure(line, set_of(line, gpu.sets, gpu.index)))
    counts = np.zeros(max(len(each) for each, _ in found), np.int64)
    for each, _ in found:
        counts[: len(each)] += each
    return Histogram(gpu.sets, counts, sum(never for _, never in found))
