"""L1 with L2 behind it, in a fixed order of requests: sectors, stores, and what each load asks of L1.

This engine says it plainly; ``fast_hierarchy`` does the same compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from accache.l1.gpus import Gpu
from accache.l1.policies import POLICIES
from accache.l1.requests import Integers
from accache.l1.sets import SetIndex, set_of
from accache.l1.streams import Stream

SECTOR_BYTES = 32
"""What moves between L2 and L1, and between memory and L2, on all GPUs."""
COLUMNS = ("requests", "hits", "sectors", "sector_hits", "first", "fetched", "l2_hits", "stores", "stored")
REQUESTS, HITS, SECTORS, SECTOR_HITS, FIRST, FETCHED, L2_HITS, STORES, STORED = range(len(COLUMNS))
"""What is counted for each site. Of loads: requests; those of which L1 had all sectors; sectors asked for; those that
L1 had; those never asked for before; sectors that L1 got from L2; those of them that L2 had. Of stores: requests; and
sectors."""
CA, CG, NO_ALLOCATE, EVICT_FIRST, EVICT_LAST = range(len(POLICIES))
ONLY_FIRST, NORMAL, LAST = range(3)


@dataclass(frozen=True)
class Level:
    """One cache: its sets are chosen by one of ``sets.INDEXES``."""

    sets: int
    ways: int
    index: SetIndex = "modulo"

    def set_of(self, line: Integers) -> Integers:
        """The set of each line."""
        return set_of(line, self.sets, self.index)


@dataclass(frozen=True)
class Hierarchy:
    """Both caches; L1 gets whole lines of ``line_mask`` sectors if ``fills_lines``; ``writes`` is one of WRITES."""

    l1: Level
    l2: Level | None
    line_mask: int
    fills_lines: bool
    writes: str


@dataclass(frozen=True, eq=False)
class Flow:
    """Counts by site and COLUMNS, and the sectors that L2 wrote to memory."""

    counts: NDArray[np.int64]
    written: int


@dataclass
class _Line:
    priority: int
    valid: int = 0
    dirty: int = 0


class _Cache:
    """Sets of lines, those used last at the end."""

    def __init__(self, level: Level) -> None:
        self.ways = level.ways
        self.sets: list[dict[int, _Line]] = [{} for _ in range(level.sets)]

    def find(self, index: int, line: int) -> _Line | None:
        return self.sets[index].get(line)

    def place(self, index: int, line: int, priority: int) -> tuple[_Line, int]:
        """The line, now used last, and the dirty sectors of the one that went for it."""
        lines, dirty = self.sets[index], 0
        there = lines.pop(line, None)
        if there is None and len(lines) == self.ways:
            victim = min(lines, key=lambda line: lines[line].priority)  # the oldest of them
            dirty = lines.pop(victim).dirty
        lines[line] = there or _Line(priority)
        lines[line].priority = priority
        return lines[line], dirty


def hierarchy_of(gpu: Gpu, *, with_l2: bool = True) -> Hierarchy:
    """The caches of a preset, with lines of L1's size in both."""
    per_line = max(1, gpu.line_bytes // SECTOR_BYTES)
    l2 = Level(max(1, gpu.l2.size // (gpu.l2.ways * gpu.line_bytes)), gpu.l2.ways)
    l1 = Level(gpu.sets, gpu.ways, gpu.index)
    return Hierarchy(l1, l2 if with_l2 else None, (1 << per_line) - 1, gpu.sector_bytes is None, gpu.writes)


class Caches:
    """L1 and L2 at work: what they hold, and what was counted for each site so far."""

    def __init__(self, hierarchy: Hierarchy, sites: int) -> None:
        """Empty caches."""
        self.how = hierarchy
        self.l1 = _Cache(hierarchy.l1)
        self.l2 = _Cache(hierarchy.l2) if hierarchy.l2 else None
        self.seen: dict[int, int] = {}
        self.counts = np.zeros((sites, len(COLUMNS)), np.int64)
        self.written = 0

    def load(self, index: int, line: int, mask: int, policy: int, *, count: Integers) -> int:
        """Load sectors of a line in a set of L1, by a place in POLICIES; returns the sectors to get from L2."""
        count[FIRST] += (mask & ~self.seen.get(line, 0)).bit_count()
        self.seen[line] = self.seen.get(line, 0) | mask
        there = self.l1.find(index, line) if policy != CG else None
        valid = there.valid if there else 0
        count[SECTOR_HITS] += (mask & valid).bit_count()
        count[HITS] += mask & ~valid == 0
        if policy in (CG, NO_ALLOCATE):
            return mask & ~valid
        missing = mask & ~valid
        if missing and self.how.fills_lines:
            missing = self.how.line_mask & ~valid
        priority = {EVICT_FIRST: ONLY_FIRST, EVICT_LAST: LAST}.get(policy, NORMAL)
        placed, _ = self.l1.place(index, line, priority)
        placed.valid |= missing
        return missing

    def store(self, index: int, line: int, mask: int) -> None:
        """Store to sectors of a line in a set of L1."""
        there = self.l1.find(index, line)
        if self.how.writes == "evict" and there:
            there.valid &= ~mask
        elif self.how.writes == "allocate" or (self.how.writes == "through" and there):
            placed, _ = self.l1.place(index, line, there.priority if there else NORMAL)
            placed.valid |= mask if self.how.writes == "allocate" else 0

    def behind(self, index: int, line: int, mask: int, store: bool) -> int:
        """Load from L2, or store there; returns how many sectors it had."""
        if self.l2 is None or mask == 0:
            return 0
        placed, dirty = self.l2.place(index, line, NORMAL)
        self.written += dirty.bit_count()
        hits = (placed.valid & mask).bit_count()
        placed.valid |= mask
        placed.dirty |= mask if store else 0
        return hits


def run_hierarchy(stream: Stream, hierarchy: Hierarchy, policies: NDArray[np.int8]) -> Flow:
    """Send requests through both caches, each load by the policy of its site (its place in POLICIES).

    What is dirty in L2 at the end counts as written.
    """
    run = Caches(replace(hierarchy, l1=replace(hierarchy.l1, sets=hierarchy.l1.sets * stream.places)), len(policies))
    near = hierarchy.l1.set_of(stream.line)
    l1_set = (near if stream.place is None else near + stream.place * hierarchy.l1.sets).tolist()
    l2_set = hierarchy.l2.set_of(stream.line).tolist() if hierarchy.l2 else l1_set
    columns = (stream.line, stream.mask, stream.site, stream.store)
    for near, far, line, mask, site, store in zip(
        l1_set, l2_set, *(column.tolist() for column in columns), strict=True
    ):
        count = run.counts[site]
        count[STORES if store else REQUESTS] += 1
        count[STORED if store else SECTORS] += mask.bit_count()
        if store:
            run.store(near, line, mask)
            run.behind(far, line, mask, True)
            continue
        fetched = run.load(near, line, mask, int(policies[site]), count=count)
        count[FETCHED] += fetched.bit_count()
        count[L2_HITS] += run.behind(far, line, fetched, False)
    left = run.l2.sets if run.l2 else []
    run.written += sum(line.dirty.bit_count() for lines in left for line in lines.values())
    return Flow(run.counts, run.written)


def prepare(stream: Stream) -> Callable[[Hierarchy, NDArray[np.int8]], Flow]:
    """What sends these requests through caches."""
    return lambda hierarchy, policies: run_hierarchy(stream, hierarchy, policies)
