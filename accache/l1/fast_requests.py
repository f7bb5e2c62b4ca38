"""What ``requests`` and ``text_traces`` do, compiled: sort loads by thread, coalesce them, read lines of text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from accache.l1.compiled import allocating, compiled
from accache.l1.requests import Integers, Loads, Requests
from accache.l1.text_traces import Columns

_TAB, _LINE_FEED, _RETURN, _BLANK, _ZERO = 9, 10, 13, 32, 48
_DIGITS = 18  # of a number that fits into 64 bits whatever it is


@allocating
def stable_order(thread: NDArray[np.uint32], first: Integers) -> Integers:
    """The order that puts accesses of a thread together; those of thread t start at ``first[t]``."""
    order = np.empty(len(thread), np.int64)
    place = first.copy()
    for i in range(len(thread)):
        order[place[thread[i]]] = i
        place[thread[i]] += 1
    return order


@compiled
def lanes_together(loads: Loads, first: int, end: int, turn: int, warp_threads: int) -> int:
    """How many lanes of a warp are served together in its turn-th instruction."""
    widest = 0
    for thread in range(first, end):
        at = loads.first[thread] + turn
        if at < loads.first[thread + 1]:
            widest = max(widest, loads.bytes[at])
    return max(1, warp_threads // (1 if widest <= 4 else 2 if widest <= 8 else 4))


@compiled
def add_instruction(
    loads: Loads,
    threads: tuple[int, int],
    shape: tuple[int, int, int],
    made: int,
    rows: tuple[Integers, NDArray[np.uint8], NDArray[np.uint8]],
) -> int:
    """Add the requests of one instruction behind the ``made`` ones; returns how many there are now.

    ``threads`` are the first of the warp and the end of it, ``shape`` has the number of the instruction in the warp,
    the lanes served together, and the bytes of a line.
    """
    first, end = threads
    turn, lanes, line_bytes = shape
    line, lane, group = rows
    own = made
    for thread in range(first, end):
        at = loads.first[thread] + turn
        if at >= loads.first[thread + 1]:
            continue
        if (thread - first) // lanes != (group[made - 1] if made > own else 0):
            own = made
        address = loads.address[at]
        for wanted in range(address // line_bytes, (address + loads.bytes[at] - 1) // line_bytes + 1):
            found = made - 1
            while found >= own and line[found] != wanted:
                found -= 1
            if found < own:
                line[made], lane[made], group[made] = wanted, thread - first, (thread - first) // lanes
                made += 1
    return made


@compiled
def sizes(loads: Loads, block_threads: int, warp_threads: int, line_bytes: int) -> tuple[int, int, int]:
    """How many warps and instructions there are, and how many requests at most."""
    warps, instructions, requests = 0, 0, 0
    threads = len(loads.first) - 1
    for block in range(0, threads, block_threads):
        for first in range(block, min(block + block_threads, threads), warp_threads):
            longest = 0
            for thread in range(first, min(first + warp_threads, block + block_threads, threads)):
                longest = max(longest, loads.first[thread + 1] - loads.first[thread])
            warps, instructions = warps + 1, instructions + longest
    for at in range(len(loads.address)):
        address = loads.address[at]
        requests += (address + loads.bytes[at] - 1) // line_bytes - address // line_bytes + 1
    return warps, instructions, requests


@compiled
def fill(
    loads: Loads,
    shape: tuple[int, int, int],
    ranges: tuple[Integers, Integers, Integers],
    rows: tuple[Integers, NDArray[np.uint8], NDArray[np.uint8]],
) -> int:
    """Fill in the ranges and the requests; ``shape`` has threads of a block and of a warp, and bytes of a line."""
    block_threads, warp_threads, line_bytes = shape
    block_first, warp_first, instruction_first = ranges
    threads = len(loads.first) - 1
    warps, instructions, made = 0, 0, 0
    for block in range(0, threads, block_threads):
        for first in range(block, min(block + block_threads, threads), warp_threads):
            end = min(first + warp_threads, block + block_threads, threads)
            longest = 0
            for thread in range(first, end):
                longest = max(longest, loads.first[thread + 1] - loads.first[thread])
            for turn in range(longest):
                lanes = lanes_together(loads, first, end, turn, warp_threads)
                made = add_instruction(loads, (first, end), (turn, lanes, line_bytes), made, rows)
                instructions += 1
                instruction_first[instructions] = made
            warps += 1
            warp_first[warps] = instructions
        block_first[block // block_threads + 1] = warps
    return made


def coalesce_fast(loads: Loads, block_threads: int, warp_threads: int, line_bytes: int) -> Requests:
    """The same requests as ``coalesce``."""
    warps, instructions, most = sizes(loads, block_threads, warp_threads, line_bytes)
    blocks = -(-(len(loads.first) - 1) // block_threads)
    block_first, warp_first, instruction_first = (np.zeros(n + 1, np.int64) for n in (blocks, warps, instructions))
    line, lane, group = np.empty(most, np.int64), np.empty(most, np.uint8), np.empty(most, np.uint8)
    shape = (block_threads, warp_threads, line_bytes)
    made = fill(loads, shape, (block_first, warp_first, instruction_first), (line, lane, group))
    return Requests(block_first, warp_first, instruction_first, line[:made], lane[:made], group[:made])


@allocating
def parse_lines(data: NDArray[np.uint8], start: int, largest: NDArray[np.uint64], columns: Columns) -> tuple[int, int]:
    """Read lines of four numbers up to the first that is otherwise; returns their number, and where that one starts."""
    thread, direction, address, size = columns
    values = np.zeros(4, np.uint64)
    done, line, at, end = 0, start, start, len(data)
    while at < end:
        for field in range(4):
            while at < end and (data[at] == _BLANK or data[at] == _TAB):
                at += 1
            first, value = at, np.uint64(0)
            while at < end and _ZERO <= data[at] < _ZERO + 10:
                value = value * np.uint64(10) + np.uint64(data[at] - _ZERO)
                at += 1
            if not 0 < at - first <= _DIGITS or value > largest[field]:
                return done, line
            values[field] = value
        while at < end and (data[at] == _BLANK or data[at] == _TAB):
            at += 1
        if at < end and data[at] == _RETURN:
            at += 1
        if at == end or data[at] != _LINE_FEED or values[3] == 0:
            return done, line
        thread[done], direction[done], address[done], size[done] = values[0], values[1], values[2], values[3]
        done, at = done + 1, at + 1
        line = at
    return done, line


@compiled
def slot_of(table: NDArray[np.int32], known: Integers, line: int) -> int:
    """Where a line's number stands, or would stand, in a hash table with room left."""
    mask = len(table) - 1
    place = ((line * 0x9E3779B97F4A7C1) >> 20) & mask
    while table[place] >= 0 and known[table[place]] != line:
        place = (place + 1) & mask
    return place


@allocating
def number_lines(line: Integers) -> tuple[NDArray[np.int32], Integers]:
    """A number from 0 on for each distinct line, in the order of their first requests; and the lines by number."""
    size = 1 << 10
    table, known, lines = np.full(size, -1, np.int32), np.empty(size, np.int64), 0
    numbers = np.empty(len(line), np.int32)
    for i in range(len(line)):
        place = slot_of(table, known, line[i])
        if table[place] < 0:
            table[place], known[lines] = lines, line[i]
            lines += 1
        numbers[i] = table[place]
        if 2 * lines > size:
            size *= 2
            table, former = np.full(size, -1, np.int32), known
            known = np.empty(size, np.int64)
            known[:lines] = former[:lines]
            for number in range(lines):
                table[slot_of(table, known, known[number])] = number
    return numbers, known[:lines].copy()
