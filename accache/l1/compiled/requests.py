"""What ``requests`` does, compiled: sort accesses by thread, coalesce them, number lines."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from accache.l1.compiled.jit import allocating, compiled, inlined
from accache.l1.requests import Accesses, Integers, Requests, Shape

NO_STEP = 1 << 40  # larger than any
ZERO = np.int64(0)  # for the literal 0, what is called with it would be compiled once more


@allocating
def stable_order(thread: NDArray[np.uint32], first: Integers) -> Integers:
    """The order that puts accesses of a thread together; those of thread t start at ``first[t]``."""
    order = np.empty(len(thread), np.int64)
    place = first.copy()
    for i in range(len(thread)):
        order[place[thread[i]]] = i
        place[thread[i]] += 1
    return order


class Rows(NamedTuple):
    """What is made of accesses: the columns of ``Requests``, and room for a warp's lanes at work.

    ``at`` is each lane's next access, ``now`` whether it takes part in the current step and has not been served.
    ``span`` is the lowest and the highest line among the requests that are being made.
    """

    block_first: Integers
    warp_first: Integers
    instruction_first: Integers
    line: Integers
    mask: NDArray[np.uint32]
    lane: NDArray[np.uint8]
    group: NDArray[np.uint8]
    site: NDArray[np.int32]
    store: NDArray[np.bool_]
    at: Integers
    now: NDArray[np.bool_]
    span: Integers


@inlined
def find(rows: Rows, made: int, own: int, line: int) -> int:
    """The last request from ``own`` on for a line, one before them if there is none; lines often rise or fall."""
    if own < made and (line < rows.span[0] or line > rows.span[1]):
        return own - 1
    found = made - 1
    while found >= own and rows.line[found] != line:
        found -= 1
    return found


@inlined
def add_access(rows: Rows, shape: Shape, made: int, own: int, lane: int, group: int, address: int, last: int) -> int:
    """Add an access to the requests from ``own`` on, which may serve it; returns how many requests there are now."""
    more = shape.line_bits - shape.sector_bits
    for line in range(address >> shape.line_bits, (last >> shape.line_bits) + 1):
        low = max((address >> shape.sector_bits) - (line << more), 0)
        high = min((last >> shape.sector_bits) - (line << more), (1 << more) - 1)
        mask = np.uint32(((2 << (high - low)) - 1) << low)
        found = find(rows, made, own, line)
        if found >= own:
            rows.mask[found] |= mask
            continue
        rows.line[made], rows.mask[made], rows.lane[made], rows.group[made] = line, mask, lane, group
        rows.span[0] = line if made == own else min(line, rows.span[0])
        rows.span[1] = line if made == own else max(line, rows.span[1])
        made += 1
    return made


@compiled
def start_step(accesses: Accesses, rows: Rows, first: int, end: int, turn: int) -> bool:
    """Mark the lanes of a warp that take part in its next step; whether there are any."""
    if len(accesses.step) == 0:
        some = False
        for thread in range(first, end):
            there = accesses.first[thread] + turn < accesses.first[thread + 1]
            rows.now[thread - first] = there
            some |= there
        return some
    lowest = NO_STEP
    for thread in range(first, end):
        at = rows.at[thread - first]
        if at < accesses.first[thread + 1]:
            lowest = min(lowest, np.int64(accesses.step[at]))
    for thread in range(first, end):
        at = rows.at[thread - first]
        rows.now[thread - first] = at < accesses.first[thread + 1] and accesses.step[at] == lowest
    return lowest < NO_STEP


@inlined
def same_instruction(accesses: Accesses, at: int, other: int) -> bool:
    """Whether two accesses of lanes at one step are one instruction: the same site, both loads or both stores."""
    same_site = len(accesses.site) == 0 or accesses.site[at] == accesses.site[other]
    return same_site and (len(accesses.store) == 0 or accesses.store[at] == accesses.store[other])


@compiled
def add_instruction(accesses: Accesses, rows: Rows, shape: Shape, first: int, end: int, leader: int, made: int) -> int:
    """Add the requests of the lanes that are served with the leading one; returns how many there are now."""
    widest = 1
    leading = rows.at[leader]
    for lane in range(leader, end - first):
        if shape.splits_wide and rows.now[lane] and same_instruction(accesses, rows.at[lane], leading):
            widest = max(widest, accesses.bytes[rows.at[lane]])
    lanes = max(1, shape.warp_threads // (1 if widest <= 4 else 2 if widest <= 8 else 4))
    before = own = made
    group = 0
    for lane in range(leader, end - first):
        at = rows.at[lane]
        if not rows.now[lane] or not same_instruction(accesses, at, leading):
            continue
        if lane >= (group + 1) * lanes:
            group, own = lane // lanes, made
        address = accesses.address[at]
        last = address + accesses.bytes[at] - 1
        made = add_access(rows, shape, made, own, lane, group, address, last)
        rows.now[lane] = False
        rows.at[lane] += 1
    for request in range(before, made):
        if len(accesses.site):
            rows.site[request] = accesses.site[leading]
        if len(accesses.store):
            rows.store[request] = accesses.store[leading] != 0
    return made


@compiled
def sizes(accesses: Accesses, shape: Shape) -> tuple[int, int, int]:
    """How many warps there are, and how many instructions and requests at most."""
    warps, instructions, requests = 0, 0, 0
    threads = len(accesses.first) - 1
    for block in range(0, threads, shape.block_threads):
        block_end = min(block + shape.block_threads, threads)
        for first in range(block, block_end, shape.warp_threads):
            longest = 0
            for thread in range(first, min(first + shape.warp_threads, block_end)):
                longest = max(longest, accesses.first[thread + 1] - accesses.first[thread])
            warps, instructions = warps + 1, instructions + longest
    for at in range(len(accesses.address)):
        address = accesses.address[at]
        requests += ((address + accesses.bytes[at] - 1) >> shape.line_bits) - (address >> shape.line_bits) + 1
    alike = len(accesses.step) + len(accesses.site) + len(accesses.store) == 0
    return warps, instructions if alike else len(accesses.address), requests


@compiled
def fill(accesses: Accesses, shape: Shape, rows: Rows) -> tuple[int, int]:
    """Fill in the rows; returns how many instructions and requests there are."""
    threads = len(accesses.first) - 1
    warps, instructions, made = 0, 0, ZERO
    for block in range(0, threads, shape.block_threads):
        block_end = min(block + shape.block_threads, threads)
        for first in range(block, block_end, shape.warp_threads):
            end = min(first + shape.warp_threads, block_end)
            for thread in range(first, end):
                rows.at[thread - first] = accesses.first[thread]
            turn = ZERO
            while start_step(accesses, rows, first, end, turn):
                for leader in range(end - first):
                    if rows.now[leader]:
                        made = add_instruction(accesses, rows, shape, first, end, leader, made)
                        instructions += 1
                        rows.instruction_first[instructions] = made
                turn += 1
            warps += 1
            rows.warp_first[warps] = instructions
        rows.block_first[block // shape.block_threads + 1] = warps
    return instructions, made


def coalesce_fast(accesses: Accesses, shape: Shape) -> Requests:
    """The same requests as ``coalesce``."""
    warps, instructions, most = sizes(accesses, shape)
    blocks = -(-(len(accesses.first) - 1) // shape.block_threads)
    rows = Rows(
        np.zeros(blocks + 1, np.int64),
        np.zeros(warps + 1, np.int64),
        np.zeros(instructions + 1, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.uint32),
        np.empty(most, np.uint8),
        np.empty(most, np.uint8),
        np.zeros(most, np.int32),
        np.zeros(most, np.bool_),
        np.empty(shape.warp_threads, np.int64),
        np.empty(shape.warp_threads, np.bool_),
        np.empty(2, np.int64),
    )
    instructions, made = fill(accesses, shape, rows)
    return Requests(
        rows.block_first,
        rows.warp_first,
        rows.instruction_first[: instructions + 1],
        rows.line[:made],
        rows.mask[:made],
        rows.lane[:made],
        rows.group[:made],
        rows.site[:made],
        rows.store[:made],
    )


@compiled
def slot_of(table: NDArray[np.int32], known: Integers, line: int) -> int:
    """Where a line's number stands, or would stand, in a hash table with room left."""
    mask = len(table) - 1
    place = ((line * 0x9E3779B97F4A7C1) >> 20) & mask
    while table[place] >= 0 and known[table[place]] != line:
        place = (place + 1) & mask
    return place


@allocating
def fill_numbers(line: Integers, numbers: NDArray[np.int32]) -> Integers:
    """Fill in the number of each request's line; returns the lines by number."""
    size = 1 << 10
    table, known, lines = np.full(size, -1, np.int32), np.empty(size, np.int64), 0
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
    found: Integers = known[:lines].copy()
    return found


def number_lines(line: Integers) -> tuple[NDArray[np.int32], Integers]:
    """A number from 0 on for each distinct line, in the order of their first requests; and the lines by number."""
    numbers = np.empty(len(line), np.int32)
    return numbers, fill_numbers(line, numbers)
