"""The engine of ``engine`` once more, compiled: the same counts, for traces of many million requests.

Function by function it does what the methods of that engine do, which say more about why. ``fast_memory`` describes
the records.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from accache.l1.compiled.jit import compiled, inlined
from accache.l1.compiled.latencies import WIDEST_NORMAL, next_latency, start_of
from accache.l1.compiled.lru import insert
from accache.l1.compiled.memory import (
    BACK,
    COUNTS,
    FREE,
    FRONT,
    IN_FLIGHT,
    LINE,
    NEAR,
    NEVER,
    NONE,
    QUEUED,
    SECTOR,
    SET,
    SLOT,
    TICK,
    TICKS,
    USED_BEFORE,
    WAITING,
    WARP,
    WORDS,
    Drawn,
    Integers,
    Narrow,
    Records,
    records,
)
from accache.l1.compiled.requests import number_lines
from accache.l1.requests import Requests
from accache.l1.sets import set_of
from accache.l1.setups import Distances, Setup

_UNLIMITED = 1 << 40


class Asked(NamedTuple):
    """Columns of ``Requests``, with the numbers of lines instead of their addresses."""

    instruction_first: Integers
    line: Narrow
    mask: NDArray[np.uint32]
    lane: NDArray[np.uint8]
    group: NDArray[np.uint8]


class How(NamedTuple):
    """The conventions, and the numbers of a setup."""

    hits_first: bool
    arrivals_first: bool
    clips: bool
    merges: bool
    every_lane: bool
    counts_now: bool
    waits: bool
    farewell: bool
    ways: int
    latency: int
    deviation: float
    hit_latency: int
    mshrs: int
    warp_mshrs: int


@inlined
def schedule_hit(slots: Records, ticks: Records, slot: int, column: int) -> None:
    """Put a slot last of those that come first in a tick."""
    last = ticks[column]["last_hit"]
    if last == NONE:
        ticks[column]["hits"] = slot
    else:
        slots[last]["next"] = slot
    ticks[column]["last_hit"] = slot


@inlined
def schedule_miss(slots: Records, ticks: Records, slot: int, column: int) -> None:
    """Put a slot last of all in a tick."""
    last = ticks[column]["last_miss"]
    if last == NONE:
        ticks[column]["misses"] = slot
    else:
        slots[last]["next"] = slot
    ticks[column]["last_miss"] = slot


@compiled
def insert_all(
    lines: Records, sets: Records, slots: Records, warps: Records, now: Integers, ways: int, slot: int
) -> None:
    """Insert the lines of a list of slots; a line leaves its register with its first arrival."""
    while slot != NONE:
        line, following = slots[slot]["line"], slots[slot]["next"]
        insert(lines, sets, ways, line)
        lines[line]["valid"] |= slots[slot]["mask"]
        if lines[line]["arrival"] != NONE:
            lines[line]["arrival"] = NONE
            warps[lines[line]["warp"]]["own"] -= 1
            now[IN_FLIGHT] -= 1
        slots[slot]["next"] = now[FREE]
        now[FREE] = slot
        slot = following


@inlined
def settle(
    lines: Records, sets: Records, slots: Records, ticks: Records, warps: Records, now: Integers, ways: int
) -> None:
    """Insert what is due at this tick: hits, then misses."""
    column = now[TICK] % len(ticks)
    hits, misses = ticks[column]["hits"], ticks[column]["misses"]
    if hits != NONE:
        ticks[column]["hits"] = ticks[column]["last_hit"] = NONE
        insert_all(lines, sets, slots, warps, now, ways, hits)
    if misses != NONE:
        ticks[column]["misses"] = ticks[column]["last_miss"] = NONE
        insert_all(lines, sets, slots, warps, now, ways, misses)


@inlined
def refused(now: Integers, own: int, how: How) -> bool:
    """Whether a warp with a number of lines in flight gets no register."""
    used = now[IN_FLIGHT] if how.counts_now else now[USED_BEFORE]
    return used >= how.mshrs or (how.every_lane and own >= how.warp_mshrs)


@inlined
def miss(now: Integers, drawn: Drawn, how: How, arrival: int, own: int, leads: bool) -> int:
    """When the line of a miss arrives, NONE if the warp is not given a register for it."""
    needs_register = not (how.merges and arrival != NONE)
    if how.every_lane and needs_register and refused(now, own, how):
        return NONE
    latency = next_latency(now, drawn, how.latency, how.deviation)
    if not how.every_lane and needs_register and leads and refused(now, own, how):
        return NONE
    on_its_way = how.clips and arrival != NONE
    return arrival if on_its_way else int(now[TICK] + latency)


@inlined
def issue(
    lines: Records,
    slots: Records,
    ticks: Records,
    warps: Records,
    now: Integers,
    drawn: Drawn,
    how: How,
    warp: int,
    line: int,
    mask: int,
    leads: bool,
) -> int:
    """Look up one request; returns the tick at which it takes effect, NONE if there is no register for it."""
    place, arrival = lines[line]["place"], lines[line]["arrival"]
    hit = place == NEAR and lines[line]["valid"] & mask == mask
    effect = now[TICK] + how.hit_latency if hit else miss(now, drawn, how, arrival, warps[warp]["own"], leads)
    if effect == NONE:
        return NONE
    now[COUNTS + (SECTOR if place == NEAR and not hit else place)] += 1
    slot, column = now[FREE], effect % len(ticks)
    now[FREE] = slots[slot]["next"]
    slots[slot]["line"], slots[slot]["mask"], slots[slot]["next"] = line, mask, NONE
    if hit and how.hits_first:
        schedule_hit(slots, ticks, slot, column)
    else:
        schedule_miss(slots, ticks, slot, column)
    if not hit and effect > now[TICK] and arrival == NONE:
        lines[line]["arrival"], lines[line]["warp"] = effect, warp
        warps[warp]["own"] += 1
        now[IN_FLIGHT] += 1
    return effect


@inlined
def turn(
    lines: Records,
    sets: Records,
    slots: Records,
    ticks: Records,
    warps: Records,
    now: Integers,
    drawn: Drawn,
    asked: Asked,
    how: How,
    warp: int,
) -> int:
    """Issue what is left of a warp's instruction; returns the tick at which all that was issued takes effect."""
    instruction = warps[warp]["instruction"]
    first, end = asked.instruction_first[instruction], asked.instruction_first[instruction + 1]
    start: int = warps[warp]["request"]
    ready: int = warps[warp]["arrival"]
    for request in range(start, end):
        if request > start and asked.group[request] != asked.group[request - 1]:
            settle(lines, sets, slots, ticks, warps, now, how.ways)
        leads = request == first and asked.lane[request] == 0
        line, mask = asked.line[request], np.int64(asked.mask[request])
        effect = issue(lines, slots, ticks, warps, now, drawn, how, warp, line, mask, leads)
        if effect == NONE:
            warps[warp]["request"], warps[warp]["arrival"] = request, ready
            return ready
        ready = max(ready, effect)
    warps[warp]["request"], warps[warp]["arrival"] = end, 0
    warps[warp]["instruction"] += 1
    return ready


@inlined
def enqueue(queue: Integers, warps: Records, now: Integers, farewell: bool, warp: int) -> None:
    """Put a warp at the end of the queue, unless it leaves."""
    if farewell or warps[warp]["instruction"] != warps[warp]["end"]:
        queue[now[BACK]] = warp
        now[BACK] = (now[BACK] + 1) % len(queue)
        now[QUEUED] += 1


@inlined
def dequeue(queue: Integers, now: Integers) -> int:
    """Take the warp at the front of the queue."""
    warp: int = queue[now[FRONT]]
    now[FRONT] = (now[FRONT] + 1) % len(queue)
    now[QUEUED] -= 1
    return warp


@inlined
def wait(ticks: Records, warps: Records, now: Integers, warp: int, tick: int) -> None:
    """Let a warp wait for a tick; those that wait for one are listed from the lowest to the highest."""
    column, before = tick % len(ticks), NONE
    after = ticks[column]["waiting"]
    while after != NONE and after < warp:
        before, after = after, warps[after]["next"]
    warps[warp]["next"] = after
    if before == NONE:
        ticks[column]["waiting"] = warp
    else:
        warps[before]["next"] = warp
    now[WAITING] += 1


@inlined
def wake(queue: Integers, ticks: Records, warps: Records, now: Integers, farewell: bool) -> None:
    """Put the warps that waited for this tick into the queue."""
    column = now[TICK] % len(ticks)
    warp = ticks[column]["waiting"]
    ticks[column]["waiting"] = NONE
    while warp != NONE:
        following = warps[warp]["next"]
        enqueue(queue, warps, now, farewell, warp)
        now[WAITING] -= 1
        warp = following


@compiled
def batch(
    lines: Records,
    sets: Records,
    slots: Records,
    ticks: Records,
    warps: Records,
    now: Integers,
    drawn: Drawn,
    asked: Asked,
    how: How,
    queue: Integers,
    active: tuple[int, int],
) -> None:
    """Run the warps from one on up to another, which are active together."""
    for warp in range(active[0], active[1]):
        enqueue(queue, warps, now, how.farewell, warp)
    while now[QUEUED] or now[WAITING]:
        if how.arrivals_first:
            settle(lines, sets, slots, ticks, warps, now, how.ways)
        now[USED_BEFORE] = now[IN_FLIGHT]
        if now[QUEUED]:
            warp = dequeue(queue, now)
            if warps[warp]["instruction"] != warps[warp]["end"]:
                ready = turn(lines, sets, slots, ticks, warps, now, drawn, asked, how, warp)
                if how.waits and ready > now[TICK]:
                    wait(ticks, warps, now, warp, ready)
                else:
                    enqueue(queue, warps, now, how.farewell, warp)
        settle(lines, sets, slots, ticks, warps, now, how.ways)
        wake(queue, ticks, warps, now, how.farewell)
        now[TICK] += 1


def prepare_fast(requests: Requests) -> Callable[[Setup, int], Distances]:
    """What ``engine.prepare`` makes, many times faster."""
    numbers, addresses = number_lines(requests.line)
    asked = Asked(requests.instruction_first, numbers, requests.mask, requests.lane, requests.group)
    started = lru_cache(maxsize=2)(partial(start_of, count=2 * len(numbers)))  # the runs of a launch have two in all
    blocks = len(requests.block_first) - 1
    longest = int(np.diff(requests.instruction_first).max())

    def run(setup: Setup, seed: int) -> Distances:
        how, (now, drawn) = _how(setup), started(seed, setup.deviation)
        now = now.copy()
        ticks = records(TICKS, max(setup.latency, setup.hit_latency) + math.ceil(WIDEST_NORMAL * setup.deviation) + 2)
        memory = (
            _lines(set_of(addresses, setup.sets, setup.index)),
            _sets(setup.sets),
            _slots(len(ticks) * longest),
            ticks,
            _warps(requests),
        )
        queue = np.empty(len(requests.warp_first), np.int64)
        for block in range(0, blocks, setup.active_blocks):
            active = requests.block_first[[block, min(block + setup.active_blocks, blocks)]]
            batch(*memory, now, drawn, asked, how, queue, (active[0], active[1]))
        never, far, edge, near, sector = (int(count) for count in now[COUNTS:WORDS])
        return Distances(near, edge, far, never, sector)

    return run


def _how(setup: Setup) -> How:
    how = setup.conventions
    order = (how.hits_first, how.arrivals_first, how.clips, how.merges)
    turns = (how.every_lane, how.counts_now, how.waits, how.farewell)
    registers = (_UNLIMITED if limit is None else limit for limit in (setup.mshrs, setup.warp_mshrs))
    return How(*order, *turns, setup.ways, setup.latency, setup.deviation, setup.hit_latency, *registers)


def _lines(sets: Integers) -> Records:
    lines = records(LINE, len(sets))
    lines["set"], lines["place"], lines["valid"] = sets, NEVER, 0
    return lines


def _sets(count: int) -> Records:
    sets = records(SET, count)
    sets["count"] = 0
    return sets


def _slots(count: int) -> Records:
    slots = records(SLOT, count)
    slots["next"][:-1] = np.arange(1, count)
    return slots


def _warps(requests: Requests) -> Records:
    first, end = requests.warp_first[:-1], requests.warp_first[1:]
    warps = records(WARP, len(first))
    warps["instruction"], warps["end"], warps["request"] = first, end, requests.instruction_first[first]
    warps["arrival"] = warps["own"] = 0
    return warps
