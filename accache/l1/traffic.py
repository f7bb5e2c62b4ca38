"""What moves from L2 to L1 if only some loads are cached, for any choice of loads, from one trace (paper 000).

Requests reach the cache in the fixed order (``streams``): what is cached changes no order, so choices can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from accache.l1.gpus import Gpu
from accache.l1.hierarchy import (
    FETCHED,
    HITS,
    REQUESTS,
    SECTOR_BYTES,
    SECTOR_HITS,
    SECTORS,
    Flow,
    Hierarchy,
    hierarchy_of,
)
from accache.l1.modes import PAPER
from accache.l1.policies import POLICIES
from accache.l1.requests import make_requests
from accache.l1.setups import setup_of
from accache.l1.streams import fixed_order
from accache.l1.tools import PLAIN, Tools
from accache.l1.trace import Site, Trace

BYPASSED = ("no_allocate", "cg")
"""How a load that is not cached is made: it looks into L1 but keeps nothing, or passes it by."""


@dataclass(frozen=True)
class LoadCounts:
    """What became of the loads of one site: ``requests``, and ``hits``, those of which L1 had all sectors.

    ``sectors`` of 32 bytes were asked for, ``sector_hits`` of them were there, and ``bytes`` were moved from L2 to L1.
    """

    requests: int
    hits: int
    sectors: int
    sector_hits: int
    bytes: int


@dataclass(frozen=True)
class Pairs:
    """Counts for groups of loads, each with all other loads not cached.

    ``hit[i]`` of the ``access[i]`` requests of group i hit if it alone is cached; ``hit_both[i, j]`` those of both
    groups if both are. ``none``, ``alone[i]`` and ``both[i, j]`` are the bytes that all loads then move from L2 to L1.
    ``hit_both`` and ``both`` are symmetric; their diagonals are ``hit`` and ``alone``.
    """

    access: NDArray[np.int64]
    hit: NDArray[np.int64]
    hit_both: NDArray[np.int64]
    none: int
    alone: NDArray[np.int64]
    both: NDArray[np.int64]


class Traffic:
    """The requests of one trace, ready to be sent through L1 again and again."""

    def __init__(self, trace: Trace, gpu: Gpu, tools: Tools = PLAIN) -> None:
        """Prepare a trace; its stores take part as the cache's ``writes`` says.

        Raises:
            CompileError: steps of a thread go back.
            ValueError: a block has more threads than the multiprocessor holds.
        """
        setup = setup_of(gpu, PAPER, trace.block_threads)
        fine = replace(gpu, sector_bytes=min(SECTOR_BYTES, gpu.line_bytes))
        self._sector_bytes: int = fine.sector_bytes or 0
        requests = make_requests(trace, fine, tools.coalesce, tools.order, stores=gpu.writes != "around")
        self._stream = fixed_order(requests, setup.active_blocks)
        self._hierarchy: Hierarchy = hierarchy_of(gpu, with_l2=False)
        self._tools = tools
        self._whole = tools.prepare_hierarchy(self._stream)
        self.sites: tuple[Site, ...] = trace.sites or (Site(),) * (int(self._stream.site.max()) + 1)
        self.loads: tuple[int, ...] = tuple(np.unique(self._stream.site[~self._stream.store]).tolist())
        """The sites that load, as places in ``sites``."""

    def counts(self, cached: Iterable[int], bypassed: str = BYPASSED[0]) -> tuple[LoadCounts, ...]:
        """What becomes of the loads of each site if those of the sites ``cached``, and no others, are cached.

        A cached load keeps the policy that its site has in the trace.
        """
        return self._load_counts(self._whole(self._hierarchy, self._policies(cached, bypassed)))

    def bytes(self, cached: Iterable[int], bypassed: str = BYPASSED[0]) -> int:
        """B(S): the bytes that all loads together move from L2 to L1 if the loads of the sites S are cached."""
        return sum(count.bytes for count in self.counts(cached, bypassed))

    def pairs(self, groups: Sequence[frozenset[int]], bypassed: str = BYPASSED[0], workers: int = 1) -> Pairs:
        """Counts for each group of sites, and each pair of groups, that is cached alone; groups have no site in common.

        Each pair takes one pass over the requests; ``workers`` threads share the pairs.
        """
        count = len(groups)
        none = self.counts((), bypassed)
        chosen = [(i, j) for i in range(count) for j in range(i, count)]

        def run(pair: tuple[int, int]) -> tuple[int, int]:
            sites = groups[pair[0]] | groups[pair[1]]
            counts = self.counts(sites, bypassed)
            return sum(counts[site].hits for site in sites), sum(each.bytes for each in counts)

        with ThreadPoolExecutor(workers) as pool:
            results = list(pool.map(run, chosen))
        hit_both, both = np.zeros((count, count), np.int64), np.zeros((count, count), np.int64)
        for (i, j), (hits, moved) in zip(chosen, results, strict=True):
            hit_both[i, j] = hit_both[j, i] = hits
            both[i, j] = both[j, i] = moved
        access = np.array([sum(none[site].requests for site in group) for group in groups], np.int64)
        everything = sum(each.bytes for each in none)
        return Pairs(access, hit_both.diagonal().copy(), hit_both, everything, both.diagonal().copy(), both)

    def _load_counts(self, flow: Flow) -> tuple[LoadCounts, ...]:
        columns = flow.counts[:, [REQUESTS, HITS, SECTORS, SECTOR_HITS, FETCHED]] * [1, 1, 1, 1, self._sector_bytes]
        return tuple(LoadCounts(*counts) for counts in columns.tolist())

    def _policies(self, cached: Iterable[int], bypassed: str) -> NDArray[np.int8]:
        assert bypassed in BYPASSED, bypassed
        policies = np.full(len(self.sites), POLICIES.index(bypassed), np.int8)
        for site in cached:
            policies[site] = POLICIES.index(self.sites[site].policy)
        return policies


def traffic(trace: Trace, gpu: Gpu, cached: Iterable[int], bypassed: str = BYPASSED[0], *, tools: Tools = PLAIN) -> int:
    """B(S) of a trace, once; ``Traffic`` answers again and again.

    Raises:
        CompileError: steps of a thread go back.
        ValueError: a block has more threads than the multiprocessor holds.
    """
    return Traffic(trace, gpu, tools).bytes(cached, bypassed)
