"""The warps of a recorded block as instructions: which lane touches what, in which sectors or banks."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import prod
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from accache.cpu.recording import Block, Event

WARP = 32
SECTOR = 32
"""Bytes of a sector, what L1 and L2 are asked for."""
BANK = 4
"""Bytes of a word of a bank of shared memory; there are 32 banks."""
MOST_STEPS = 240
"""Instructions of a warp that a page shows."""
MOST_OF_OTHERS = 6000
"""Instructions that a page shows of all warps behind the first ones together."""
MOST_CELLS = 1024
"""Elements of a tile that a page shows."""


class Step(Struct, frozen=True):
    """A memory instruction of a warp: ``elements`` by lane, None for a lane that does nothing.

    ``part`` is fetch, compute or write-back; ``phase`` counts the barriers before it. ``sectors`` are those of a global
    access, each with the bytes of it that are used; ``turns`` of a shared one are how often the banks are asked,
    and ``banks`` the bank of each lane; ``other_turns`` and ``other_banks`` are those if rows had another length
    (``BlockView.rows``).
    """

    phase: int
    part: str
    access: str
    memory: str
    array: str
    line: int
    elements: tuple[int | None, ...]
    bytes: int
    sectors: tuple[tuple[int, int], ...]
    turns: int
    banks: tuple[int | None, ...]
    other_turns: int
    other_banks: tuple[int | None, ...]


class LineTraffic(Struct, frozen=True):
    """What all instructions of a warp at one line do to one array: sums over ``requests``."""

    line: int
    array: str
    memory: str
    access: str
    requests: int
    sectors: int
    used_bytes: int
    turns: int


Way: TypeAlias = Literal["load", "store", "fetch", "write-back", "tile read", "tile write"]


class Flow(Struct, frozen=True):
    """What the first warp moves along one way (``WAYS``): sums over ``requests`` of global or of shared memory."""

    way: Way
    requests: int
    sectors: int
    turns: int


WAYS: tuple[Way, ...] = get_args(Way)
"""Between global memory and registers, between global memory and tiles, and between tiles and registers."""


class Contents(Struct, frozen=True):
    """What a tile holds once its fetch in a phase is complete: the element of ``array`` at each of its places."""

    tile: str
    array: str
    phase: int
    elements: tuple[int | None, ...]


class Row(Struct, frozen=True):
    """The rows of a shared array: their length in elements, and the ``other`` one that banks are tried with."""

    array: str
    length: int
    other: int


class Warp(Struct, frozen=True):
    """A warp behind the first one of a block, by its number; it does more than these steps if not ``is_whole``."""

    number: int
    steps: tuple[Step, ...]
    is_whole: bool


class BlockView(Struct, frozen=True):
    """A recorded block: the instructions of its first warp, what they add up to, and what tiles hold.

    ``count`` are recorded, of which ``flows`` are the sums, too; the warp does more if they are not ``is_whole``. What
    tiles hold behind ``cut_phase`` is not known, if that is not None. ``others`` are the warps behind the first.
    """

    kernel: str
    shape: tuple[int, int, int]
    grid: tuple[int, int, int]
    steps: tuple[Step, ...]
    count: int
    traffic: tuple[LineTraffic, ...]
    contents: tuple[Contents, ...]
    rows: tuple[Row, ...]
    flows: tuple[Flow, ...] = ()
    is_whole: bool = True
    cut_phase: int | None = None
    others: tuple[Warp, ...] = ()

    @property
    def warps(self) -> tuple[tuple[int, int], ...]:
        """The first and the last thread of each of the block's warps."""
        threads = prod(self.shape)
        return tuple((first, min(first + WARP, threads) - 1) for first in range(0, threads, WARP))


def view_of(
    block: Block, declared: Sequence[Row], copies: frozenset[int] = frozenset(), most_of_others: int = 0
) -> BlockView:
    """A recorded block as it is shown; ``declared`` are the rows of its shared arrays.

    What threads do at lines with ``copies``, those of directives, fetches and writes back, too. Warps behind the first
    have up to ``most_of_others`` steps; with 0 there are none of them.
    """
    rows = {row.array: row for row in declared}
    block = replace(block, events=tuple(_in_elements(block.events)))
    of_warps = _of_warps(block, copies)
    steps = tuple(_steps(of_warps[0], rows, block.cut))
    shown = steps[:MOST_STEPS]
    others = tuple(
        _warp(block, number, of_warps[number], rows, most=most_of_others) for number in range(1, len(of_warps))
    )
    others = others if most_of_others else ()
    last = max((step.phase for each in (shown, *(warp.steps for warp in others)) for step in each[-1:]), default=0)
    return BlockView(
        block.kernel,
        block.shape,
        block.grid,
        shown,
        count=len(steps),
        traffic=tuple(_traffic(steps)),
        contents=tuple(_contents([event for event in block.events if event.phase <= last])),
        rows=tuple(
            rows[name] for name in sorted({step.array for step in steps if step.memory == "shared"} & rows.keys())
        ),
        flows=flows_of(steps),
        is_whole=not any(thread < WARP for thread in block.cut),
        cut_phase=block.cut_phase,
        others=others,
    )


def _in_elements(events: Sequence[Event]) -> Iterator[Event]:
    """Events whose shared arrays have elements of a size: nothing smaller is accessed in them."""
    units: dict[str, int] = {}
    for event in events:
        if event.memory == "shared" and not event.element_bytes:
            units[event.array] = min(event.bytes, units.get(event.array, event.bytes))
    for event in events:
        is_known = event.memory != "shared" or event.element_bytes
        yield event if is_known else event._replace(element_bytes=units[event.array])


def most_of_others(blocks: Sequence[Block]) -> int:
    """How many steps each warp behind the first of a page's blocks may have, so that the page stays small."""
    count = sum(_count_of_warps(block) - 1 for block in blocks)
    return max(1, min(MOST_STEPS, MOST_OF_OTHERS // max(count, 1)))


def _count_of_warps(block: Block) -> int:
    return -(-prod(block.shape) // WARP)


def _of_warps(block: Block, copies: frozenset[int]) -> list[list[Event]]:
    """The events of each warp; those at lines with copies are some."""
    found: list[list[Event]] = [[] for _ in range(_count_of_warps(block))]
    for event in block.events:
        found[event.thread // WARP].append(event._replace(copying=True) if event.line in copies else event)
    return found


def _warp(block: Block, number: int, events: Sequence[Event], rows: Mapping[str, Row], *, most: int) -> Warp:
    """A warp behind the first: its first steps, as far as all of its copies are recorded."""
    cut = block.cut_phase
    known = [event for event in events if cut is None or event.phase < cut]
    threads = [thread for thread in block.cut if thread // WARP == number]
    steps = tuple(islice(_steps(known, rows, threads), most + 1))
    return Warp(number, steps[:most], is_whole=not threads and cut is None and len(steps) <= most)


def _steps(events: Sequence[Event], rows: Mapping[str, Row], cut: Sequence[int]) -> Iterator[Step]:
    """Lanes in step: what several of them do next at one place is one instruction, and first of what the longest does.

    Nothing is known from where on one of those that were ``cut`` has nothing left; until then it is the longest.
    """
    left = Counter(event.thread for event in events)
    ours = [thread for thread in cut if thread in left]
    phases: dict[int, list[deque[Event]]] = {}
    for event in events:
        lanes = phases.setdefault(event.phase, [deque() for _ in range(WARP)])
        lanes[event.thread % WARP].append(event)
    for _, lanes in sorted(phases.items()):
        endless = {thread % WARP for thread in ours if left[thread] == len(lanes[thread % WARP])}
        while any(lanes):
            if not all(left[thread] for thread in ours):
                return
            longest = max(range(WARP), key=lambda lane: (lane in endless, len(lanes[lane])))
            key = _key(lanes[longest][0])
            together = [lane.popleft() if lane and _key(lane[0]) == key else None for lane in lanes]
            left.subtract(event.thread for event in together if event is not None)
            yield _step(together, rows)


def _key(event: Event) -> tuple[object, ...]:
    return event.line, event.array, event.access, event.memory, event.copying, event.bytes


def _step(together: Sequence[Event | None], rows: Mapping[str, Row]) -> Step:
    first = next(event for event in together if event is not None)
    unit = first.element_bytes or first.bytes
    is_shared = first.memory == "shared"
    part = "compute"
    if first.copying:
        is_fetch = (first.access == "r") != is_shared
        part = "fetch" if is_fetch else "write-back"
    offsets = [event.offset if event is not None and is_shared else None for event in together]
    row = rows.get(first.array)
    others = offsets if row is None else [_moved(offset, unit, row) for offset in offsets]
    return Step(
        first.phase,
        part,
        {"r": "read", "w": "write"}.get(first.access, "atomic"),
        first.memory,
        array=first.array,
        line=first.line,
        elements=tuple(event.offset // unit if event is not None else None for event in together),
        bytes=first.bytes,
        sectors=() if is_shared else _sectors(together),
        turns=turns(offsets, first.bytes),
        banks=_banks(offsets),
        other_turns=turns(others, first.bytes),
        other_banks=_banks(others),
    )


def _moved(offset: int | None, unit: int, row: Row) -> int | None:
    """Where an element would be if rows had the other length."""
    if offset is None:
        return None
    number, column = divmod(offset // unit, row.length)
    return (number * row.other + column) * unit + offset % unit


def _banks(offsets: Sequence[int | None]) -> tuple[int | None, ...]:
    return tuple(offset // BANK % WARP if offset is not None else None for offset in offsets)


def _sectors(together: Sequence[Event | None]) -> tuple[tuple[int, int], ...]:
    """The sectors that some accesses touch, and how many bytes of each."""
    used: dict[int, set[int]] = {}
    for event in together:
        if event is not None:
            for byte in range(event.offset, event.offset + event.bytes):
                used.setdefault(byte // SECTOR, set()).add(byte)
    return tuple((sector, len(used[sector])) for sector in sorted(used))


def turns(offsets: Sequence[int | None], size: int) -> int:
    """How often the banks must be asked: words of 8 bytes are read by half a warp at a time, of 16 by a quarter.

    >>> turns([4 * lane for lane in range(32)], 4), turns([8 * lane for lane in range(32)], 4), turns([0] * 32, 4)
    (1, 2, 1)
    >>> turns([8 * lane for lane in range(32)], 8)
    2
    """
    parts = max(1, min(4, size // BANK))
    count = WARP // parts
    total = 0
    for start in range(0, WARP, count):
        words: dict[int, set[int]] = {}
        for offset in offsets[start : start + count]:
            if offset is not None:
                for word in range(offset // BANK, (offset + max(size, 1) - 1) // BANK + 1):
                    words.setdefault(word % WARP, set()).add(word)
        total += max(map(len, words.values()), default=0)
    return total


def _traffic(steps: Sequence[Step]) -> Iterator[LineTraffic]:
    sums: dict[tuple[int, str, str, str], list[int]] = {}
    for step in steps:
        row = sums.setdefault((step.line, step.array, step.memory, step.access), [0, 0, 0, 0])
        row[0] += 1
        row[1] += len(step.sectors)
        row[2] += sum(used for _, used in step.sectors)
        row[3] += step.turns
    for key in sorted(sums):
        yield LineTraffic(*key, *sums[key])


def flows_of(steps: Sequence[Step]) -> tuple[Flow, ...]:
    """What instructions move along each way that they take; copies count where they meet global memory."""
    sums: dict[str, list[int]] = {}
    for step in steps:
        is_read, is_shared = step.access == "read", step.memory == "shared"
        if step.part != "compute":
            way = "" if is_shared else step.part
        elif is_shared:
            way = "tile read" if is_read else "tile write"
        else:
            way = "load" if is_read else "store"
        row = sums.setdefault(way, [0, 0, 0])
        row[0] += 1
        row[1] += len(step.sectors)
        row[2] += step.turns
    return tuple(Flow(way, *sums[way]) for way in WAYS if way in sums)


def _contents(events: Sequence[Event]) -> Iterator[Contents]:
    """What copies put where: a load of a thread is followed by the store of the same value.

    Of arrays whose places get other elements between two barriers, as lines of threads do, nothing is told.
    """
    refilled: set[str] = set()
    owners: dict[tuple[str, int, int], tuple[str, int]] = {}
    held: dict[tuple[str, str, int], dict[int, int]] = {}
    loaded: dict[int, Event] = {}
    for event in events:
        if event.copying and event.access == "r" and event.memory != "shared":
            loaded[event.thread] = event
        elif event.copying and event.access == "w" and event.memory == "shared" and event.thread in loaded:
            source = loaded.pop(event.thread)
            unit = source.element_bytes or source.bytes
            places = held.setdefault((event.array, source.array, event.phase), {})
            places[event.offset // unit] = source.offset // unit
            place = (event.array, event.phase, event.offset)
            if owners.setdefault(place, (source.array, source.offset)) != (source.array, source.offset):
                refilled.add(event.array)
    for (tile, array, phase), places in held.items():
        if tile in refilled:
            continue
        count = min(max(places) + 1, MOST_CELLS)
        yield Contents(tile, array, phase, tuple(places.get(place) for place in range(count)))
