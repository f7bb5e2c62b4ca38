"""Execute a launch on the PTX machine, and make of what it does to global memory a trace for the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from accache.base.diagnostics import Reporter
from accache.base.progress import working
from accache.l1.trace import MAX_ACCESSES, MOST, THREADS, Site, Trace, looked_at, shorter
from accache.ptx.execute import run
from accache.ptx.loads.loads import policy
from accache.ptx.machine.launch import Array, Launch
from accache.ptx.machine.link import link
from accache.ptx.machine.program import Load, Program, Step, Store
from accache.ptx.machine.trace import Records
from accache.ptx.machine.trace import Trace as Recorder
from accache.ptx.replay.names import plain_name
from accache.ptx.text.names import variable_name
from accache.ptx.text.syntax import Module

ACCESSES = MAX_ACCESSES // 2
"""How many accesses are traced at most, if blocks are alike."""
TOGETHER = 10_000_000
"""How many of several multiprocessors: their model takes less than half a gigabyte, and no longer than large ones."""


def trace_launch(
    module: Module,
    launch: Launch,
    threads: int = THREADS,
    limit: int = ACCESSES,
    *,
    arrays: Sequence[Array] = (),
    multiprocessors: int = 1,
    some: bool = False,
    home: str = "",
) -> Trace:
    """Execute a launch and trace blocks of one multiprocessor: as many as have up to so many threads and accesses.

    Blocks are dealt out to ``multiprocessors`` one after the other; those of the first one are traced, or with ``some``
    those of the ones that stand for all; these make no more than ``TOGETHER`` accesses, unless one alone does. Where
    there are several blocks it is executed once more, to tell how much one of them does. With ``arrays``, each site
    belongs to one of them, to a variable of the module, or to none. With the name of a file as ``home``, sites have
    lines of that: those of other files that of the call there, if any.

    Raises:
        CompileError: the machine cannot execute it, or the first block makes more accesses than ``limit``.
    """
    block_threads = launch.block[0] * launch.block[1] * launch.block[2]
    all_blocks = launch.grid[0] * launch.grid[1] * launch.grid[2]
    numbers = looked_at(all_blocks, multiprocessors, block_threads, 1) if some else (0,)
    alone = range(numbers[0], numbers[0] + 1)
    records = _execute(module, launch, alone)
    count = int(records.taking_part().sum())
    if count > limit:
        raise Reporter().fail("ACC975", kernel=plain_name(launch.kernel), count=count, limit=limit)
    most = min(threads // block_threads, limit // max(1, count))
    each = min(most, -(-all_blocks // multiprocessors)) * count
    if some and 2 * each <= TOGETHER:
        numbers = looked_at(all_blocks, multiprocessors, block_threads, min(MOST, TOGETHER // max(1, each)))
    dealt = [range(number, all_blocks, multiprocessors)[: max(1, most)] for number in numbers]
    if dealt != [alone]:
        records = _one_after_the_other([_execute(module, launch, blocks) for blocks in dealt], dealt)
    program = link(module, launch.kernel)
    known = (*arrays, *_variables(program)) if arrays else ()
    trace = trace_of_records(records, program, module, launch.block, arrays=known, home=home)
    blocks_of = tuple(map(len, dealt)) if len(dealt) > 1 else ()
    return replace(trace, blocks_of=blocks_of, shorter=shorter(all_blocks, multiprocessors, most))


def _one_after_the_other(parts: Sequence[Records], dealt: Sequence[range]) -> Records:
    """The records of several multiprocessors, with the blocks of the second numbered behind those of the first."""
    before = [sum(map(len, dealt[:number])) for number in range(len(dealt))]
    moved = [replace(part, block=part.block + np.uint64(first)) for part, first in zip(parts, before, strict=True)]
    names = ("pc", "mask", "block", "warp", "addresses")
    return Records(*(np.concatenate([getattr(part, name) for part in moved]) for name in names))


def _variables(program: Program) -> Iterator[Array]:
    """The variables of a module, at the addresses that kernels know; pointers have those of the launch's memory."""
    for variable in program.variables:
        if variable.data:
            yield Array(variable.address, len(variable.data), variable_name(variable.name), 1)


def _execute(module: Module, launch: Launch, blocks: range) -> Records:
    """What some blocks do to global memory, as blocks 0, 1, ...; what is printed is dropped."""
    recorder = Recorder(blocks[0], blocks[-1] + 1, blocks.step)
    with working(f"executing {launch.kernel} from its PTX"):
        run(module, launch, trace=recorder)
    records = recorder.records()
    return replace(records, block=(records.block - np.uint64(blocks[0])) // np.uint64(blocks.step))


def trace_of_records(
    records: Records,
    program: Program,
    module: Module,
    block: tuple[int, int, int],
    *,
    arrays: Sequence[Array] = (),
    home: str = "",
) -> Trace:
    """Loads and stores of the machine as a trace; a warp's memory instructions are numbered as it made them.

    A site is an instruction, named after its function and its number there, for each of the ``arrays`` that it touches
    another one. Atomics, which pass L1 by, are left out.
    """
    steps = program.steps
    kept = np.array([isinstance(step.action, Load | Store) for step in steps], bool)[records.pc]
    turn = _turns(records)[kept]
    thread = _threads(records.block[kept], records.warp[kept], block)
    order = np.argsort(thread, kind="stable")
    thread, turn, pc, mask = (column[order] for column in (thread, turn, records.pc[kept], records.mask[kept]))
    row, lane = _by_thread(thread, mask.astype(np.uint32))
    addresses = records.addresses[np.flatnonzero(kept)[order][row], lane]
    steps_used, step = np.unique(pc, return_inverse=True)
    names = (*(array.name for array in arrays), "")
    site, used = _numbered((step * len(names))[row] + _touched(addresses, arrays))
    stores = np.array([isinstance(step.action, Store) for step in steps], np.uint8)
    sizes = np.array([_bytes(step) for step in steps], np.uint8)
    return Trace(
        block,
        thread.astype(np.uint32)[row] + lane.astype(np.uint32),
        stores[pc][row],
        addresses,
        bytes=sizes[pc][row],
        step=turn.astype(np.uint32)[row],
        site=site,
        sites=tuple(
            replace(
                _site(int(steps_used[number // len(names)]), program, module, home), array=names[number % len(names)]
            )
            for number in used.tolist()
        ),
    )


def _by_thread(thread: NDArray[np.int64], mask: NDArray[np.uint32]) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Record and lane of each access, thread by thread; records stand warp by warp, ``thread`` is that of lane 0."""
    warps = np.split(np.arange(len(mask), dtype=np.int32), np.flatnonzero(np.diff(thread)) + 1)
    rows, lanes = [np.empty(0, np.int32)], [np.empty(0, np.uint8)]
    bits = np.arange(32, dtype=np.uint32)[:, None]
    for records in warps:
        lane, place = np.nonzero(mask[records] >> bits & 1)
        rows.append(records[place])
        lanes.append(lane.astype(np.uint8))
    return np.concatenate(rows), np.concatenate(lanes)


def _numbered(keys: NDArray[np.int64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The place of each key among those that occur, and these."""
    used = np.flatnonzero(np.bincount(keys))
    places = np.zeros(int(used.max(initial=0)) + 1, np.uint32)
    places[used] = np.arange(len(used))
    return places[keys], used


def _touched(addresses: NDArray[np.uint64], arrays: Sequence[Array]) -> NDArray[np.int64]:
    """The number of the array that each address lies in, of several the one that starts last; their count for none."""
    found = np.full(len(addresses), len(arrays), np.int64)
    for number, array in sorted(enumerate(arrays), key=lambda item: item[1].address):
        found[addresses - np.uint64(array.address) < np.uint64(array.size)] = number
    return found


def _threads(number: NDArray[np.uint64], warp: NDArray[np.uint32], block: tuple[int, int, int]) -> NDArray[np.int64]:
    """The thread of each record's first lane, in the launch."""
    return number.astype(np.int64) * (block[0] * block[1] * block[2]) + warp.astype(np.int64) * 32


def _turns(records: Records) -> NDArray[np.int64]:
    """The place of each record among those of its warp, which stand in their order."""
    warps = records.block.astype(np.int64) << 16 | records.warp
    order = np.argsort(warps, kind="stable")
    starts = np.flatnonzero(np.diff(warps[order], prepend=-1))
    lengths = np.diff(starts, append=len(order))
    turns = np.empty(len(order), np.int64)
    turns[order] = np.arange(len(order)) - np.repeat(starts, lengths)
    return turns


def is_same_file(file: str, other: str) -> bool:
    """Whether nvcc's name of a file may be that of another one: it makes paths absolute."""
    return PurePath(file).name == PurePath(other).name


def _bytes(step: Step) -> int:
    """What a lane loads or stores at once; 0 for all other steps."""
    if isinstance(step.action, Load):
        return step.action.type.bytes * len(step.action.results)
    return step.action.type.bytes * len(step.action.values) if isinstance(step.action, Store) else 0


def _site(pc: int, program: Program, module: Module, home: str) -> Site:
    """What is known of the instruction with a pc."""
    routine = max((found for found in program.routines if found.first_pc <= pc), key=lambda found: found.first_pc)
    instruction = program.steps[pc].instruction
    places = (module.source_location(instruction), module.call_location(instruction))
    place = next((each for each in places if each is not None and (not home or is_same_file(each.file, home))), None)
    name = f"{routine.name}+{pc - routine.first_pc}"
    file, line = (place.file, place.line) if place else ("", 0)
    return Site(name, "", file, line, policy(instruction))
