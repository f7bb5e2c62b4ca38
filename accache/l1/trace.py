"""A memory trace: what each thread of a launch reads and writes, in that thread's order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from accache.base.choices import LoadPolicy

MAX_ACCESSES = 1 << 26
MAX_THREADS = 1 << 22
MAX_ADDRESS = (1 << 57) - 1
MAX_BYTES = 16
THREADS = 8192
"""How many threads of a launch are modelled at most, as the paper does of one multiprocessor."""
MOST = 8
"""How many multiprocessors stand for all at most."""
MAX_BLOCK = 1024
MAX_SITES = 1 << 16
MAX_STEP = (1 << 32) - 1
FIELDS = ("thread", "direction", "address", "bytes")
SITE_FIELDS = ("name", "array", "file", "line", "policy")
LARGEST = (MAX_THREADS - 1, 1, MAX_ADDRESS, MAX_BYTES)
SMALLEST = (0, 0, 0, 1)


@dataclass(frozen=True)
class Site:
    """An instruction of the program that loads or stores, as far as the trace tells of it.

    ``name`` is what the tracer calls it (an address of code, an index), ``array`` the array that it touches, ``file``
    and ``line`` its place in the source; what is not known is empty or 0. ``policy`` is one of ``policies.POLICIES``.
    """

    name: str = ""
    array: str = ""
    file: str = ""
    line: int = 0
    policy: LoadPolicy = "ca"


@dataclass(frozen=True, eq=False)
class Trace:
    """Accesses of a launch: parallel arrays with one element an access, and the extents of a block.

    ``thread`` counts all threads of the launch, block after block, x fastest. Accesses of one thread stand in that
    thread's order; between threads the order means nothing. ``direction`` is 0 for a load and 1 for a store,
    ``bytes`` is 1 to 16.

    Two arrays may be missing. ``step`` numbers the memory instructions of a warp: lanes with the same one are served
    together; without it their i-th accesses are. ``site`` is the access's place in ``sites``. ``is_whole`` says that
    all blocks of the launch are there; else they are those of one multiprocessor, or of several, one after the other,
    with so many blocks each as ``blocks_of`` tells. ``shorter`` is the part of the multiprocessors that have one block
    less than this one, 0 if that is not known.
    """

    block: tuple[int, int, int]
    thread: NDArray[np.uint32]
    direction: NDArray[np.uint8]
    address: NDArray[np.uint64]
    bytes: NDArray[np.uint8]
    step: NDArray[np.uint32] | None = None
    site: NDArray[np.uint32] | None = None
    sites: tuple[Site, ...] = ()
    is_whole: bool = False
    shorter: float = 0.0
    blocks_of: tuple[int, ...] = ()

    @property
    def block_threads(self) -> int:
        """How many threads a block has."""
        x, y, z = self.block
        return x * y * z

    @property
    def columns(self) -> tuple[NDArray[np.generic], ...]:
        """The arrays, in the order of FIELDS."""
        return (self.thread, self.direction, self.address, self.bytes)


def dealt(trace: Trace, multiprocessors: int, threads: int = THREADS, *, number: int = 0) -> Trace:
    """Of a whole launch, the blocks that one of so many multiprocessors gets, up to a number of threads.

    Blocks are dealt out one after the other, as they are numbered; those that it gets are numbered anew. ``shorter``
    is told of the first.
    """
    block = trace.thread // np.uint32(trace.block_threads)
    wanted = max(1, threads // trace.block_threads)
    kept = block % np.uint32(multiprocessors) == number
    kept &= block < np.uint32(wanted * multiprocessors)
    blocks = int(block.max(initial=0)) + 1
    part = replace(trace, is_whole=False, shorter=shorter(blocks, multiprocessors, wanted))
    if multiprocessors == 1 and kept.all():  # nothing is copied: a trace may have many million accesses
        return part
    part = _chosen(part, kept)
    thread = part.thread % np.uint32(trace.block_threads)
    thread += block[kept] // np.uint32(multiprocessors) * np.uint32(trace.block_threads)
    return replace(part, thread=thread)


def looked_at(blocks: int, multiprocessors: int, block_threads: int, most: int = MOST) -> tuple[int, ...]:
    """Of the multiprocessors that blocks are dealt out to, the numbers of those that stand for all.

    They are as many as have 8,192 threads together, at most so many, and lie evenly among those with blocks, so that
    those with blocks at an edge count as much as they are. One alone has no block less than any other.

    >>> looked_at(16, 80, 256), looked_at(1024, 80, 256), looked_at(65536, 80, 256), looked_at(65536, 1, 256)
    ((1, 3, 5, 7, 9, 11, 13, 15), (20, 60), (8,), (0,))
    """
    with_blocks = min(blocks, multiprocessors)
    count = min(with_blocks, most, THREADS // (-(-blocks // multiprocessors) * block_threads))
    if count <= 1:
        return ((blocks % multiprocessors or multiprocessors) // 2,)
    return tuple(with_blocks * (2 * number + 1) // (2 * count) for number in range(count))


def dealt_to_some(trace: Trace, multiprocessors: int) -> Trace:
    """Of a whole launch, the blocks of the multiprocessors that stand for all."""
    blocks = int(trace.thread.max(initial=0)) // trace.block_threads + 1
    numbers = looked_at(blocks, multiprocessors, trace.block_threads)
    return joined([dealt(trace, multiprocessors, number=number) for number in numbers])


def joined(parts: Sequence[Trace]) -> Trace:
    """The traces of several multiprocessors as one; sites, and what is ``shorter``, are those of the first."""
    if len(parts) == 1:
        return parts[0]
    blocks_of = tuple(int(part.thread.max(initial=0)) // part.block_threads + 1 for part in parts)
    before = [sum(blocks_of[:number]) * parts[0].block_threads for number in range(len(parts))]
    thread = [part.thread + np.uint32(first) for part, first in zip(parts, before, strict=True)]
    steps = [part.step for part in parts if part.step is not None]
    sites = [part.site for part in parts if part.site is not None]
    return replace(
        parts[0],
        thread=np.concatenate(thread),
        direction=np.concatenate([part.direction for part in parts]),
        address=np.concatenate([part.address for part in parts]),
        bytes=np.concatenate([part.bytes for part in parts]),
        step=np.concatenate(steps) if steps else None,
        site=np.concatenate(sites) if sites else None,
        blocks_of=blocks_of,
    )


def parts_of(trace: Trace) -> Iterator[Trace]:
    """The traces that ``joined`` made one of; some may have no accesses."""
    if not trace.blocks_of:
        yield trace
        return
    ends = [sum(trace.blocks_of[: number + 1]) * trace.block_threads for number in range(len(trace.blocks_of))]
    for first, end in zip((0, *ends[:-1]), ends, strict=True):
        part = _chosen(trace, (trace.thread >= first) & (trace.thread < end))
        yield replace(part, thread=part.thread - np.uint32(first), blocks_of=())


def loading_parts(trace: Trace) -> Iterator[Trace]:
    """Those of them that load."""
    return (part for part in parts_of(trace) if (part.direction == 0).any())


def shorter(blocks: int, multiprocessors: int, traced: int) -> float:
    """The part of the multiprocessors with one block less than the first, which are dealt so many and trace so many.

    0 where all have as many, where the others have none, and where not all blocks of the first are traced.

    >>> shorter(127, 80, 2), shorter(160, 80, 2), shorter(40, 80, 1), shorter(16129, 80, 32)
    (0.4125, 0.0, 0.0, 0.0)
    """
    most = -(-blocks // multiprocessors)
    fewer = most * multiprocessors - blocks
    return fewer / multiprocessors if 1 < most <= traced else 0.0


def without_last_block(trace: Trace) -> Trace:
    """The trace of a multiprocessor that has one block less."""
    block = trace.thread // np.uint32(trace.block_threads)
    return _chosen(trace, block < block.max(initial=0))


def _chosen(trace: Trace, kept: NDArray[np.bool_]) -> Trace:
    """Some of the accesses."""
    return replace(
        trace,
        thread=trace.thread[kept],
        direction=trace.direction[kept],
        address=trace.address[kept],
        bytes=trace.bytes[kept],
        step=None if trace.step is None else trace.step[kept],
        site=None if trace.site is None else trace.site[kept],
    )


def trace_of(block: tuple[int, int, int], columns: tuple[NDArray[np.generic], ...]) -> Trace:
    """A trace from arrays in the order of FIELDS, whose values are in range already."""
    thread, direction, address, size = columns
    return Trace(
        block,
        thread.astype(np.uint32, copy=False),
        direction.astype(np.uint8, copy=False),
        address.astype(np.uint64, copy=False),
        size.astype(np.uint8, copy=False),
    )


def out_of_range(field: int, value: int) -> str:
    """Why a value cannot stand in a column; empty if it can.

    >>> out_of_range(3, -4)
    'bytes is -4, not 1 to 16'
    >>> out_of_range(3, 4)
    ''
    """
    if SMALLEST[field] <= value <= LARGEST[field]:
        return ""
    return f"{FIELDS[field]} is {value}, not {SMALLEST[field]} to {LARGEST[field]}"


def wrong_block(block: tuple[int, int, int]) -> str:
    """Why a block cannot have these extents; empty if it can."""
    x, y, z = block
    if min(block) >= 1 and x * y * z <= MAX_BLOCK:
        return ""
    return f"a block of {x} x {y} x {z} threads is not one of 1 to {MAX_BLOCK}"
