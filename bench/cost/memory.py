"""What a launch asks of memory: sectors of L1 and hits there, turns of the banks of shared memory, bytes of L2."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from accache.l1.gpus import gpu_named, with_blocks_of
from accache.l1.tables import movement
from accache.l1.tools import PLAIN, compiled_tools
from accache.l1.trace import dealt
from accache.ptx.machine.launch import Launch
from accache.ptx.machine.program import SHARED, WINDOW, Atomic, Load, Program, Store
from accache.ptx.machine.trace import Records
from accache.ptx.text.syntax import Module
from accache.workflows.tracing import trace_of_records

BANKS = 32
_SECTOR = 5  # bits of an address within one
_LOOKED_AT = 8  # multiprocessors
_ROWS = 1 << 16  # accesses that are looked at together
Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Asked:
    """What all warps of a launch ask for.

    ``sectors`` of 32 bytes are those that loads and stores of global memory ask L1 for, ``atomic_sectors`` those of its
    updates, and ``local_sectors`` those of the threads' local memory; ``turns`` those in which banks of shared memory
    serve its accesses. ``l2_bytes`` go between L1 and L2, loaded, stored or updated. ``hit_sectors`` are those of loads
    that L1 has.
    """

    sectors: int
    atomic_sectors: int
    local_sectors: int
    turns: int
    l2_bytes: int
    hit_sectors: int


def asked(
    records: Records,
    arrivals: NDArray[np.uint64],
    program: Program,
    module: Module,
    *,
    launch: Launch,
    registers: int = 0,
) -> Asked:
    """Count what a launch asks for, from its traced accesses and the warps that came to each of its steps.

    L1 and L2 are modelled as those of h100, with the L1 that shared memory of the blocks leaves; ``registers`` tell how
    many blocks are active together. For bytes of L2 one multiprocessor executes all blocks. For hits they are dealt
    out, and the rate of some multiprocessors is that of all.
    """
    sizes = np.array([_bytes(step.action) for step in program.steps], np.int64)
    atomic = np.array([isinstance(step.action, Atomic) for step in program.steps], bool)
    in_shared = _first_address(records) >> np.uint64(WINDOW) == SHARED
    local = int(
        sum(int(count) * _local_sectors(step.action) for count, step in zip(arrivals, program.steps, strict=True))
    )
    loaded, updated = ~in_shared & ~atomic[records.pc], ~in_shared & atomic[records.pc]
    updates = sectors(_chosen(records, updated))
    shared = _chosen(records, in_shared)
    l2_bytes, hits = _cached(_chosen(records, loaded), program, module, launch=launch, registers=registers)
    return Asked(
        sectors(_chosen(records, loaded)),
        updates,
        local,
        turns(shared, sizes[shared.pc], atomic[shared.pc]),
        l2_bytes + (updates << _SECTOR),
        hits,
    )


def shared_accesses(records: Records) -> int:
    """How many accesses are those of shared memory."""
    return int((_first_address(records) >> np.uint64(WINDOW) == SHARED).sum())


def global_records(records: Records) -> Records:
    """Those that are not of shared memory."""
    return _chosen(records, _first_address(records) >> np.uint64(WINDOW) != SHARED)


def sectors(records: Records) -> int:
    """The different sectors of each access, added up: no lane's part of one reaches over a sector's end."""
    total = 0
    for part in _parts(records):
        lanes = part.taking_part()
        total += int(_firsts(part.addresses >> np.uint64(_SECTOR), lanes)[0].sum())
    return total


def turns(records: Records, sizes: NDArray[np.int64], atomic: NDArray[np.bool_]) -> int:
    """The turns in which the 32 banks of 4 bytes serve accesses of so many bytes a lane.

    Lanes that want one word share it, unless they update it. Half a warp is served together where lanes have 8 bytes,
    a quarter where they have 16.
    """
    total = 0
    for width in np.unique(sizes):
        for is_atomic in (False, True):
            wanted = _chosen(records, (sizes == width) & (atomic == is_atomic))
            total += sum(_turns(part, max(1, int(width) // 4), is_atomic) for part in _parts(wanted))
    return total


def _turns(records: Records, words: int, is_atomic: bool) -> int:
    """The turns for accesses of so many words a lane."""
    first = records.addresses >> np.uint64(2)
    wanted = (first[:, :, None] + np.arange(words, dtype=np.uint64)).reshape(-1, BANKS)
    lanes = np.repeat(records.taking_part(), words, axis=1).reshape(-1, BANKS)
    kept, ordered = (lanes, wanted) if is_atomic else _firsts(wanted, lanes)
    rows = np.broadcast_to(np.arange(len(wanted))[:, None], wanted.shape)
    places = rows[kept] * BANKS + (ordered[kept] % np.uint64(BANKS)).astype(np.int64)
    return int(np.bincount(places, minlength=len(wanted) * BANKS).reshape(-1, BANKS).max(axis=1, initial=0).sum())


def _firsts(values: Words, lanes: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Words]:
    """Each row in order, and where in it a value that lanes have stands for the first time."""
    nothing = np.uint64(2**64 - 1)
    ordered = np.sort(np.where(lanes, values, nothing), axis=1)
    new = np.ones(ordered.shape, bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    return new & (ordered != nothing), ordered


def _cached(records: Records, program: Program, module: Module, *, launch: Launch, registers: int) -> tuple[int, int]:
    """Bytes between L1 and L2, and the sectors of loads that L1 has."""
    kinds = np.array([isinstance(step.action, Load | Store) for step in program.steps], bool)
    if not kinds[records.pc].any():
        return 0, 0
    threads, shared = prod(launch.block), program.shared_bytes + launch.shared_bytes
    h100 = gpu_named("h100")
    trace, tools = trace_of_records(records, program, module, launch.block), compiled_tools() or PLAIN
    gpu = with_blocks_of(h100, shared, threads, registers)
    moved = movement(trace, gpu, tools).total
    numbers = looked_at(min(prod(launch.grid), gpu.multiprocessors))
    shares = (dealt(trace, gpu.multiprocessors, number=number) for number in numbers)
    parts = [movement(share, gpu, tools).total for share in shares if len(share.thread)]  # some have idle blocks alone
    asked = sum(part.asked for part in parts)
    rate = sum(part.in_l1 for part in parts) / asked if asked else 0.0
    return moved.from_l2 + moved.stored, round(rate * (moved.asked >> _SECTOR))


def looked_at(multiprocessors: int) -> list[int]:
    """Of so many multiprocessors that have blocks, those whose hits stand for all: the first one has the edges.

    >>> looked_at(1), looked_at(6), looked_at(132)
    ([0], [0, 1, 2, 3, 4, 5], [8, 24, 41, 57, 74, 90, 107, 123])
    """
    count = min(multiprocessors, _LOOKED_AT)
    return [multiprocessors * (2 * number + 1) // (2 * count) for number in range(count)]


def _first_address(records: Records) -> Words:
    """The address of the first lane that took part in each access."""
    lane = records.taking_part().argmax(axis=1)
    found: Words = records.addresses[np.arange(len(lane)), lane]
    return found


def _chosen(records: Records, wanted: NDArray[np.bool_]) -> Records:
    columns = ("pc", "mask", "block", "warp", "addresses")
    return replace(records, **{name: getattr(records, name)[wanted] for name in columns})


def _parts(records: Records) -> list[Records]:
    """So many accesses at a time."""
    numbers = np.arange(len(records.pc)) // _ROWS
    return [_chosen(records, numbers == part) for part in range(int(numbers.max(initial=-1)) + 1)]


def _bytes(action: object) -> int:
    """What a lane reads or writes at once; 0 for what is no access."""
    if isinstance(action, Load):
        return action.type.bytes * len(action.results)
    if isinstance(action, Store):
        return action.type.bytes * len(action.values)
    return action.type.bytes if isinstance(action, Atomic) else 0


def _local_sectors(action: object) -> int:
    """The sectors of a warp's access to local memory, whose words lie lane beside lane; 0 for all else."""
    is_local = isinstance(action, Load | Store) and action.place.space == "local"
    return max(1, _bytes(action) // 4) * 4 if is_local else 0
