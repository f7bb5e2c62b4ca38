"""The reference engine: the model said as plainly as possible, for traces of up to about a million requests."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from accache.l1.latencies import latencies
from accache.l1.requests import Requests
from accache.l1.sets import set_of
from accache.l1.setups import Distances, Setup

NEVER = -1
"""The infinite distance: the line has not been in the cache."""
SECTOR = -2
"""Instead of a distance: the line is near, but not all of the sectors asked for are there."""


@dataclass(frozen=True)
class Event:
    """What became of one request at one tick.

    ``distance`` is NEVER where it is infinite; what is larger than the number of ways counts as one more than them.
    ``used`` lines were in flight when the tick began. ``effect`` is the tick of the insertion, None if the request got
    no register.
    """

    tick: int
    warp: int
    line: int
    distance: int
    hit: bool
    used: int
    effect: int | None


class _Cache:
    """The sets, each a stack of lines, and what will be inserted into them at which tick.

    ``flight`` holds each line in flight with its arrival and the warp that asked for it; the first arrival of a
    line ends that.
    """

    def __init__(self, requests: Requests, setup: Setup) -> None:
        self.ways = setup.ways
        sets = set_of(requests.line, setup.sets, setup.index).tolist()
        self.set_of = dict(zip(requests.line.tolist(), sets, strict=True))
        self.stacks: list[list[int]] = [[] for _ in range(setup.sets)]
        self.valid: defaultdict[int, int] = defaultdict(int)  # the sectors that a line has while it is near
        self.known: set[int] = set()
        self.flight: dict[int, tuple[int, int]] = {}
        self.hits: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self.misses: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)

    def distance(self, line: int) -> int:
        """How many other lines were inserted into the set since this one was."""
        stack = self.stacks[self.set_of[line]]
        if line in stack:
            return stack.index(line)
        return self.ways + 1 if line in self.known else NEVER

    def settle(self, tick: int) -> None:
        """Insert what is due at a tick: hits, then misses, each in the order in which they were put there."""
        for line, mask in (*self.hits.pop(tick, ()), *self.misses.pop(tick, ())):
            stack = self.stacks[self.set_of[line]]
            if line in stack:
                stack.remove(line)
            stack.insert(0, line)
            self.valid[line] |= mask
            for behind in stack[self.ways :]:
                self.valid[behind] = 0
            del stack[self.ways + 1 :]  # a larger distance is not told from ways + 1
            self.known.add(line)
            self.flight.pop(line, None)


class _Run:
    """The warps of a launch on one multiprocessor with one cache."""

    def __init__(self, requests: Requests, setup: Setup, seed: int, log: list[Event] | None) -> None:
        self.setup, self.how, self.log = setup, setup.conventions, log
        self.instructions: list[int] = requests.instruction_first.tolist()
        self.line: list[int] = requests.line.tolist()
        self.mask: list[int] = requests.mask.tolist()
        self.lane: list[int] = requests.lane.tolist()
        self.group: list[int] = requests.group.tolist()
        warp_first: list[int] = requests.warp_first.tolist()
        self.end = warp_first[1:]
        self.instruction = warp_first[:-1]  # the one that each warp is at,
        self.request = [self.instructions[first] for first in self.instruction]  # its next request,
        self.arrival = [0 for _ in self.instruction]  # and when the last of its earlier ones takes effect
        self.cache = _Cache(requests, setup)
        self.latencies = latencies(seed, setup.latency, setup.deviation)
        self.tick = 0
        self.used_before = 0  # registers that were in use when this tick began
        self.counts: Counter[int] = Counter()

    def batch(self, warps: range) -> None:
        """Run warps that are active together: one at a time takes its turn, first in first out, one a tick."""
        queue = deque(warp for warp in warps if self.how.farewell or not self.finished(warp))
        waiting: defaultdict[int, list[int]] = defaultdict(list)
        while queue or waiting:
            if self.how.arrivals_first:
                self.cache.settle(self.tick)
            self.used_before = len(self.cache.flight)
            if queue and not self.finished(warp := queue.popleft()):
                ready = self.turn(warp)
                if ready > self.tick and self.how.waits:
                    waiting[ready].append(warp)
                elif self.how.farewell or not self.finished(warp):
                    queue.append(warp)
            self.cache.settle(self.tick)
            for warp in sorted(waiting.pop(self.tick, ())):
                if self.how.farewell or not self.finished(warp):
                    queue.append(warp)
            self.tick += 1

    def finished(self, warp: int) -> bool:
        return self.instruction[warp] == self.end[warp]

    def turn(self, warp: int) -> int:
        """Issue what is left of a warp's instruction; returns the tick at which all that was issued takes effect.

        A request that gets no register ends the turn: it and those after it are issued in another one.
        """
        start, end = self.request[warp], self.instructions[self.instruction[warp] + 1]
        for request in range(start, end):
            if request > start and self.group[request] != self.group[request - 1]:
                self.cache.settle(self.tick)
            effect = self.issue(warp, request)
            if effect is None:
                self.request[warp] = request
                return self.arrival[warp]
            self.arrival[warp] = max(self.arrival[warp], effect)
        self.request[warp] = end
        self.instruction[warp] += 1
        ready, self.arrival[warp] = self.arrival[warp], 0
        return ready

    def issue(self, warp: int, request: int) -> int | None:
        """Look up one request; returns the tick at which it takes effect, None if there is no register for it."""
        cache, line, mask = self.cache, self.line[request], self.mask[request]
        distance = cache.distance(line)
        near = 0 <= distance < self.setup.ways
        hit = near and cache.valid[line] & mask == mask
        effect = self.tick + self.setup.hit_latency if hit else self.miss(warp, request)
        if self.log is not None:
            self.log.append(Event(self.tick, warp, line, distance, hit=hit, used=self.used_before, effect=effect))
        if effect is None:
            return None
        self.counts[SECTOR if near and not hit else distance] += 1
        (cache.hits if hit and self.how.hits_first else cache.misses)[effect].append((line, mask))
        if not hit and effect > self.tick and line not in cache.flight:
            cache.flight[line] = (effect, warp)
        return effect

    def miss(self, warp: int, request: int) -> int | None:
        """When the line of a miss arrives, None if the warp is not given a register for it."""
        flight, line = self.cache.flight, self.line[request]
        in_flight = line in flight
        needs_register = not (in_flight and self.how.merges)
        if self.how.every_lane and needs_register and self.refused(warp):
            return None
        latency = next(self.latencies)
        if not self.how.every_lane and needs_register and self.leads(warp, request) and self.refused(warp):
            return None
        return flight[line][0] if in_flight and self.how.clips else self.tick + latency

    def leads(self, warp: int, request: int) -> bool:
        """Whether a request is the first of its instruction, made by the first lane of its warp."""
        return self.lane[request] == 0 and request == self.instructions[self.instruction[warp]]

    def refused(self, warp: int) -> bool:
        """Whether a warp gets no register: all are in use, or it has all that it may have."""
        mshrs, warp_mshrs = self.setup.mshrs, self.setup.warp_mshrs
        if mshrs is not None and (len(self.cache.flight) if self.how.counts_now else self.used_before) >= mshrs:
            return True
        own = sum(owner == warp for _, owner in self.cache.flight.values())
        return self.how.every_lane and warp_mshrs is not None and own >= warp_mshrs


def simulate(requests: Requests, setup: Setup, seed: int, log: list[Event] | None = None) -> Distances:
    """Run a launch block after block, as many at a time as are active together; ``log`` gets each event.

    The contents of the cache stay from one set of active blocks to the next.
    """
    run = _Run(requests, setup, seed, log)
    first = requests.block_first.tolist()
    blocks = len(first) - 1
    for block in range(0, blocks, setup.active_blocks):
        run.batch(range(first[block], first[min(block + setup.active_blocks, blocks)]))
    counts, ways = run.counts, setup.ways
    near = sum(count for distance, count in counts.items() if 0 <= distance < ways)
    return Distances(near, counts[ways], counts[ways + 1], counts[NEVER], counts[SECTOR])


def prepare(requests: Requests) -> Callable[[Setup, int], Distances]:
    """What runs these requests through the cache of a setup, with random numbers from a seed."""
    return partial(simulate, requests)
