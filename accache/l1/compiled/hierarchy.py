"""The engine of ``hierarchy`` once more, compiled: the same counts, for many million requests.

A cache has a record for each line of the trace, and for each set a list of lines by age for each priority. A look-up,
an insertion and an eviction then take the same few steps for any number of ways.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from accache.l1.compiled.jit import compiled, inlined
from accache.l1.compiled.memory import NONE, Integers, Records, records
from accache.l1.compiled.requests import number_lines
from accache.l1.hierarchy import (
    CG,
    COLUMNS,
    EVICT_FIRST,
    EVICT_LAST,
    FETCHED,
    FIRST,
    HITS,
    L2_HITS,
    LAST,
    NO_ALLOCATE,
    NORMAL,
    ONLY_FIRST,
    REQUESTS,
    SECTOR_HITS,
    SECTORS,
    STORED,
    STORES,
    Flow,
    Hierarchy,
    Level,
)
from accache.l1.policies import WRITES
from accache.l1.streams import Stream

_EVICT, _THROUGH, _ALLOCATE = (WRITES.index(name) for name in ("evict", "through", "allocate"))
_ALIKE = np.int64(NORMAL)  # the priority in L2; for the literal, what is called with it would be compiled once more
_NEWEST, _OLDEST, _COUNT = 0, 3, 6
"""Places in a row of ``ends``: the ends of a set's list for each priority, and how many lines the set has."""
_LINE = np.dtype([(name, np.int64) for name in ("set", "priority", "newer", "older", "valid", "dirty", "seen")])
"""``priority`` is NONE for a line that is not in the cache; ``seen``, in L2, are its sectors that were ever loaded."""
_OWN_BITS = 57  # of a line's address, above which stands the multiprocessor that has it in its L1


class Flags(NamedTuple):
    """The numbers of a hierarchy."""

    l1_ways: int
    l2_ways: int
    line_mask: int
    fills_lines: bool
    writes: int


@inlined
def ones(mask: int) -> int:
    """How many of 32 bits are set."""
    mask = mask - ((mask >> 1) & 0x55555555)
    mask = (mask & 0x33333333) + ((mask >> 2) & 0x33333333)
    return (((mask + (mask >> 4)) & 0x0F0F0F0F) * 0x01010101 & 0xFFFFFFFF) >> 24


@inlined
def unlink(lines: Records, ends: Integers, line: int) -> None:
    """Take a line out of its list."""
    index, priority = lines[line]["set"], lines[line]["priority"]
    newer, older = lines[line]["newer"], lines[line]["older"]
    if newer == NONE:
        ends[index, _NEWEST + priority] = older
    else:
        lines[newer]["older"] = older
    if older == NONE:
        ends[index, _OLDEST + priority] = newer
    else:
        lines[older]["newer"] = newer
    lines[line]["priority"] = NONE
    ends[index, _COUNT] -= 1


@inlined
def link(lines: Records, ends: Integers, line: int, priority: int) -> None:
    """Put a line at the new end of a list of its set."""
    index = lines[line]["set"]
    newest = ends[index, _NEWEST + priority]
    lines[line]["priority"], lines[line]["newer"], lines[line]["older"] = priority, NONE, newest
    if newest == NONE:
        ends[index, _OLDEST + priority] = line
    else:
        lines[newest]["newer"] = line
    ends[index, _NEWEST + priority] = line
    ends[index, _COUNT] += 1


@compiled
def place(lines: Records, ends: Integers, ways: int, line: int, priority: int) -> int:
    """Make a line the one used last; returns the dirty sectors of the one that went for it."""
    index, dirty = lines[line]["set"], 0
    if lines[line]["priority"] == priority and lines[line]["newer"] == NONE:
        return dirty
    if lines[line]["priority"] != NONE:
        unlink(lines, ends, line)
    elif ends[index, _COUNT] == ways:
        victim = ends[index, _OLDEST + ONLY_FIRST]
        if victim == NONE:
            victim = ends[index, _OLDEST + NORMAL]
        if victim == NONE:
            victim = ends[index, _OLDEST + LAST]
        unlink(lines, ends, victim)
        dirty = lines[victim]["dirty"]
        lines[victim]["valid"] = lines[victim]["dirty"] = 0
    link(lines, ends, line, priority)
    return dirty


@inlined
def load(lines: Records, ends: Integers, flags: Flags, line: int, mask: int, policy: int, count: Integers) -> int:
    """Load from L1; returns the sectors to get from L2."""
    valid = 0 if policy == CG else lines[line]["valid"]
    missing = mask & ~valid
    count[SECTOR_HITS] += ones(mask & valid)
    count[HITS] += missing == 0
    if policy in (CG, NO_ALLOCATE):
        return missing
    if missing != 0 and flags.fills_lines:
        missing = flags.line_mask & ~valid
    priority = ONLY_FIRST if policy == EVICT_FIRST else LAST if policy == EVICT_LAST else NORMAL
    place(lines, ends, flags.l1_ways, line, priority)
    lines[line]["valid"] |= missing
    return missing


@inlined
def store(lines: Records, ends: Integers, flags: Flags, line: int, mask: int) -> None:
    """What a store does to L1."""
    priority = lines[line]["priority"]
    if flags.writes == _EVICT:
        lines[line]["valid"] &= ~mask
    elif flags.writes == _ALLOCATE or (flags.writes == _THROUGH and priority != NONE):
        place(lines, ends, flags.l1_ways, line, NORMAL if priority == NONE else priority)
        if flags.writes == _ALLOCATE:
            lines[line]["valid"] |= mask


@compiled
def run_all(
    columns: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint32], NDArray[np.int32], NDArray[np.bool_]],
    l1: Records,
    l1_ends: Integers,
    l2: Records,
    l2_ends: Integers,
    flags: Flags,
    policies: NDArray[np.int8],
    counts: Integers,
) -> int:
    """Send all requests through the caches; returns how many sectors L2 wrote to memory.

    Lines have a number in L1, which is another one in that of another multiprocessor, and one in L2.
    """
    near, far, masks, sites, stores = columns
    written = 0
    for at in range(len(near)):
        line, mask, count = near[at], np.int64(masks[at]), counts[sites[at]]
        if stores[at]:
            count[STORES] += 1
            count[STORED] += ones(mask)
            store(l1, l1_ends, flags, line, mask)
        else:
            count[REQUESTS] += 1
            count[SECTORS] += ones(mask)
            count[FIRST] += ones(mask & ~l2[far[at]]["seen"])
            l2[far[at]]["seen"] |= mask
            mask = load(l1, l1_ends, flags, line, mask, policies[sites[at]], count)
            count[FETCHED] += ones(mask)
        line = far[at]
        if flags.l2_ways and mask:
            written += ones(place(l2, l2_ends, flags.l2_ways, line, _ALIKE))
            if stores[at]:
                l2[line]["dirty"] |= mask
            else:
                count[L2_HITS] += ones(l2[line]["valid"] & mask)
            l2[line]["valid"] |= mask
    for line in range(len(l2)):
        written += ones(l2[line]["dirty"])
    return written


def prepare_fast(stream: Stream) -> Callable[[Hierarchy, NDArray[np.int8]], Flow]:
    """What ``hierarchy.prepare`` makes, many times faster."""
    far, addresses = number_lines(stream.line)
    near, own = far, addresses
    if stream.place is not None:
        near, own = number_lines(stream.line | stream.place << _OWN_BITS)
    columns = (near, far, stream.mask, stream.site, stream.store)

    def run(hierarchy: Hierarchy, policies: NDArray[np.int8]) -> Flow:
        counts = np.zeros((len(policies), len(COLUMNS)), np.int64)
        l2_ways = hierarchy.l2.ways if hierarchy.l2 else 0
        writes = WRITES.index(hierarchy.writes)
        flags = Flags(hierarchy.l1.ways, l2_ways, hierarchy.line_mask, hierarchy.fills_lines, writes)
        l1 = _memory(hierarchy.l1, own, stream.places)
        l2 = _memory(hierarchy.l2 or Level(1, 1), addresses)
        return Flow(counts, run_all(columns, *l1, *l2, flags, policies, counts))

    return run


def _memory(level: Level, addresses: Integers, places: int = 1) -> tuple[Records, Integers]:
    """The lines and the sets of a cache, or of one that each of several multiprocessors has."""
    lines = records(_LINE, len(addresses))
    lines["set"] = level.set_of(addresses & (1 << _OWN_BITS) - 1) + (addresses >> _OWN_BITS) * level.sets
    lines["valid"] = lines["dirty"] = lines["seen"] = 0
    ends = np.full((level.sets * places, _COUNT + 1), NONE, np.int64)
    ends[:, _COUNT] = 0
    return lines, ends
