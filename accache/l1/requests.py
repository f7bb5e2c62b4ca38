"""From a trace to requests: threads form warps, and the lanes of a warp share requests for one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from accache.base.diagnostics import Reporter
from accache.l1.gpus import Gpu
from accache.l1.trace import Trace

Integers = NDArray[np.int64]
MAX_SECTORS = 32
"""How many sectors a line may have: as many as a mask has bits."""


@dataclass(frozen=True, eq=False)
class Requests:
    """The requests of a launch in nested ranges, all of them in order.

    The warps of block b are ``block_first[b]`` up to ``block_first[b + 1]``, and in the same way the instructions
    of a warp and the requests of an instruction. A request asks for the sectors in ``mask`` of ``line`` (an address
    divided by the size of a line), is led by ``lane``, and belongs to the ``group`` of lanes that the instruction
    serves together. ``site`` is that of the trace, 0 if it has none; ``store`` tells stores from loads.
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


class Accesses(NamedTuple):
    """The accesses of a trace, thread after thread: those of thread t are ``first[t]`` up to ``first[t + 1]``.

    ``step``, ``site`` and ``store`` are empty where all accesses are i-th ones, of one site, and loads.
    """

    first: Integers
    address: Integers
    bytes: NDArray[np.uint8]
    step: NDArray[np.uint32]
    site: NDArray[np.uint32]
    store: NDArray[np.uint8]


class Shape(NamedTuple):
    """Threads of a block and of a warp, and how many bits of an address tell a byte of a line and of a sector.

    ``splits_wide`` is that of ``Gpu``.
    """

    block_threads: int
    warp_threads: int
    line_bits: int
    sector_bits: int
    splits_wide: bool = True


Coalescer = Callable[[Accesses, Shape], Requests]
# (thread of each access, first place of each thread) -> the accesses in the order of their threads
Order = Callable[[NDArray[np.uint32], Integers], Integers]


def stable_order(thread: NDArray[np.uint32], first: Integers) -> Integers:
    """The order that puts accesses of a thread together; those of thread t start at ``first[t]``."""
    return np.argsort(thread, kind="stable")


def accesses_of(trace: Trace, order: Order, stores: bool) -> Accesses:
    """The loads of a trace, and its stores if asked for.

    Raises:
        CompileError: steps of a thread go back.
    """
    step = np.empty(0, np.uint32) if trace.step is None else trace.step
    site = np.empty(0, np.uint32) if trace.site is None else trace.site
    store = trace.direction if stores else np.empty(0, np.uint8)
    columns: tuple[NDArray[Any], ...] = (trace.thread, trace.address, trace.bytes, step, site, store)
    if not stores and trace.direction.any():
        kept = trace.direction == 0
        columns = tuple(column[kept] if len(column) else column for column in columns)
    thread = columns[0]
    if (thread[1:] < thread[:-1]).any():
        first = np.zeros(int(thread.max()) + 2, np.int64)
        np.cumsum(np.bincount(thread), out=first[1:])
        sorting = order(thread, first)
        columns = tuple(column[sorting] if len(column) else column for column in columns)
    else:
        first = np.searchsorted(thread, np.arange(int(thread[-1]) + 2, dtype=np.uint32))
    thread, address, size, step, site, store = columns
    if len(step) and (back := (step[1:] < step[:-1]) & (thread[1:] == thread[:-1])).any():
        raise Reporter().fail("ACC809", thread=int(thread[1:][back][0]))
    return Accesses(first, address.view(np.int64), size, step, site, store)


def coalesce(accesses: Accesses, shape: Shape) -> Requests:
    """One request for each distinct line of a group of lanes, led by its first lane (CUDA C guide 5.5, G.4.2).

    Lanes of a warp that are at the same step, the same site, and all load or all store make one instruction; the
    lowest step comes first, and then the lowest lane. Without steps, a thread's i-th access has step i, so that a lane
    with fewer takes no part in the last instructions. An access over the end of a line asks for both lines.
    """
    block_first, warp_first, instruction_first = [0], [0], [0]
    made: list[tuple[int, ...]] = []
    threads = len(accesses.first) - 1
    for block in range(0, threads, shape.block_threads):
        block_end = min(block + shape.block_threads, threads)
        for warp in range(block, block_end, shape.warp_threads):
            for instruction in _instructions(accesses, warp, min(warp + shape.warp_threads, block_end)):
                made += _requests(accesses, instruction, shape)
                instruction_first.append(len(made))
            warp_first.append(len(instruction_first) - 1)
        block_first.append(len(warp_first) - 1)
    line, mask, lane, group, site, store = zip(*made, strict=True)
    return Requests(
        np.array(block_first),
        np.array(warp_first),
        np.array(instruction_first),
        np.array(line, np.int64),
        mask=np.array(mask, np.uint32),
        lane=np.array(lane, np.uint8),
        group=np.array(group, np.uint8),
        site=np.array(site, np.int32),
        store=np.array(store, np.bool_),
    )


def _instructions(accesses: Accesses, first: int, end: int) -> Iterator[dict[int, int]]:
    """The instructions of a warp: for each, the access of every lane that takes part."""
    starts = accesses.first.tolist()
    at = {thread: starts[thread] for thread in range(first, end)}

    def step(thread: int) -> int:
        return int(accesses.step[at[thread]]) if len(accesses.step) else at[thread] - starts[thread]

    while waiting := [thread for thread in at if at[thread] < starts[thread + 1]]:
        lowest = min(map(step, waiting))
        together = [thread for thread in waiting if step(thread) == lowest]
        while together:
            key = _key(accesses, at[together[0]])
            served = [thread for thread in together if _key(accesses, at[thread]) == key]
            yield {thread - first: at[thread] for thread in served}
            together = [thread for thread in together if thread not in served]
            for thread in served:
                at[thread] += 1


def _key(accesses: Accesses, at: int) -> tuple[int, bool]:
    """What accesses of one instruction have in common: their site, and whether they are stores."""
    site = int(accesses.site[at]) if len(accesses.site) else 0
    return site, bool(accesses.store[at]) if len(accesses.store) else False


def _requests(accesses: Accesses, instruction: dict[int, int], shape: Shape) -> list[tuple[int, ...]]:
    """An instruction's requests: warps serve 4 bytes a lane together, and half warps 8, quarters 16 if they split."""
    widest = max(int(accesses.bytes[at]) for at in instruction.values()) if shape.splits_wide else 1
    lanes = max(1, shape.warp_threads // (1 if widest <= 4 else 2 if widest <= 8 else 4))
    leaders: dict[tuple[int, int], int] = {}
    masks: dict[tuple[int, int], int] = {}
    for lane, at in instruction.items():
        first = int(accesses.address[at]) >> shape.sector_bits
        last = (int(accesses.address[at]) + int(accesses.bytes[at]) - 1) >> shape.sector_bits
        for sector in range(first, last + 1):
            line, part = divmod(sector, 1 << shape.line_bits - shape.sector_bits)
            wanted = (lane // lanes, line)
            leaders.setdefault(wanted, lane)
            masks[wanted] = masks.get(wanted, 0) | 1 << part
    site, store = _key(accesses, next(iter(instruction.values())))
    return [(line, masks[group, line], lane, group, site, int(store)) for (group, line), lane in leaders.items()]


def make_requests(
    trace: Trace,
    gpu: Gpu,
    coalescer: Coalescer = coalesce,
    order: Order = stable_order,
    *,
    stores: bool = False,
) -> Requests:
    """The requests that a trace with loads makes of a multiprocessor; with its stores, if asked for.

    Raises:
        CompileError: steps of a thread go back.
    """
    line_bits = gpu.line_bytes.bit_length() - 1
    sector_bits = gpu.sector_bytes.bit_length() - 1 if gpu.sector_bytes else line_bits
    shape = Shape(trace.block_threads, gpu.warp_threads, line_bits, sector_bits, gpu.splits_wide)
    return coalescer(accesses_of(trace, order, stores), shape)
