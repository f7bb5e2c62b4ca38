"""From a trace to requests: threads form warps, and the lanes of a warp share requests for one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from accache.l1.gpus import Gpu
from accache.l1.trace import Trace

Integers = NDArray[np.int64]
Triple = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Requests:
    """The requests of a launch in nested ranges, all of them in order.

    The warps of block b are ``block_first[b]`` up to ``block_first[b + 1]``, and in the same way the instructions
    of a warp and the requests of an instruction. A request asks for ``line`` (an address divided by the size of a
    line), is led by ``lane``, and belongs to the ``group`` of lanes that the instruction serves together.
    """

    block_first: Integers
    warp_first: Integers
    instruction_first: Integers
    line: Integers
    lane: NDArray[np.uint8]
    group: NDArray[np.uint8]


class Loads(NamedTuple):
    """The loads of a trace, thread after thread: those of thread t are ``first[t]`` up to ``first[t + 1]``."""

    first: Integers
    address: Integers
    bytes: NDArray[np.uint8]


# (loads, threads of a block, threads of a warp, bytes of a line) -> requests
Coalescer = Callable[[Loads, int, int, int], Requests]
# (thread of each access, first place of each thread) -> the accesses in the order of their threads
Order = Callable[[NDArray[np.uint32], Integers], Integers]


def stable_order(thread: NDArray[np.uint32], first: Integers) -> Integers:
    """The order that puts accesses of a thread together; those of thread t start at ``first[t]``."""
    return np.argsort(thread, kind="stable")


def loads_of(trace: Trace, order: Order) -> Loads:
    """The loads of a trace; stores do not pass through the L1 caches that are modelled."""
    kept = trace.direction == 0
    columns = (trace.thread, trace.address, trace.bytes)
    thread, address, size = columns if kept.all() else (column[kept] for column in columns)
    first = np.zeros(int(thread.max()) + 2, np.int64)
    np.cumsum(np.bincount(thread), out=first[1:])
    if (thread[1:] < thread[:-1]).any():
        sorting = order(thread, first)
        address, size = address[sorting], size[sorting]
    return Loads(first, address.view(np.int64), size)


def coalesce(loads: Loads, block_threads: int, warp_threads: int, line_bytes: int) -> Requests:
    """One request for each distinct line of a group of lanes, led by its first lane (CUDA C guide 5.5, G.4.2).

    The i-th loads of a warp's lanes are one instruction; a lane with fewer loads takes no part in the last ones.
    A load over the end of a line asks for both lines.
    """
    block_first, warp_first, instruction_first = [0], [0], [0]
    made: list[Triple] = []
    threads = len(loads.first) - 1
    for block in range(0, threads, block_threads):
        for warp in range(block, min(block + block_threads, threads), warp_threads):
            end = min(warp + warp_threads, block + block_threads, threads)
            for instruction in _instructions(loads, range(warp, end)):
                made += _requests(instruction, warp_threads, line_bytes)
                instruction_first.append(len(made))
            warp_first.append(len(instruction_first) - 1)
        block_first.append(len(warp_first) - 1)
    line, lane, group = zip(*made, strict=True)
    return Requests(
        np.array(block_first),
        np.array(warp_first),
        np.array(instruction_first),
        np.array(line, np.int64),
        np.array(lane, np.uint8),
        np.array(group, np.uint8),
    )


def _instructions(loads: Loads, threads: range) -> Iterator[list[Triple]]:
    """Lane, address and bytes of what the threads of a warp load together, one list an instruction."""
    ranges = [range(loads.first[thread], loads.first[thread + 1]) for thread in threads]
    for i in range(max(map(len, ranges))):
        taking_part = [(lane, own[i]) for lane, own in enumerate(ranges) if i < len(own)]
        yield [(lane, int(loads.address[at]), int(loads.bytes[at])) for lane, at in taking_part]


def _requests(instruction: list[Triple], warp_threads: int, line_bytes: int) -> list[Triple]:
    """Line, lane and group of an instruction's requests: warps serve 4 bytes a lane, half warps 8, quarters 16."""
    widest = max(size for _, _, size in instruction)
    lanes = max(1, warp_threads // (1 if widest <= 4 else 2 if widest <= 8 else 4))
    leaders: dict[tuple[int, int], int] = {}
    for lane, address, size in instruction:
        for line in range(address // line_bytes, (address + size - 1) // line_bytes + 1):
            leaders.setdefault((lane // lanes, line), lane)
    return [(line, lane, group) for (group, line), lane in leaders.items()]


def make_requests(trace: Trace, gpu: Gpu, coalescer: Coalescer = coalesce, order: Order = stable_order) -> Requests:
    """The requests that a trace with loads makes of a multiprocessor."""
    return coalescer(loads_of(trace, order), trace.block_threads, gpu.warp_threads, gpu.line_bytes)
