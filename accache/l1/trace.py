"""A memory trace: what each thread of a launch reads and writes, in that thread's order."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from accache.base.choices import LoadPolicy

MAX_ACCESSES = 1 << 26
MAX_THREADS = 1 << 22
MAX_ADDRESS = (1 << 57) - 1
MAX_BYTES = 16
THREADS = 8192
"""How many threads of a launch are modelled at most, as the paper does: one multiprocessor is."""
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
    all blocks of the launch are there; else they are those of one multiprocessor. ``shorter`` is the part of the
    multiprocessors that have one block less than this one, 0 if that is not known.
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
    kept = (block % np.uint32(multiprocessors) == number) & (block // np.uint32(multiprocessors) < np.uint32(wanted))
    thread = trace.thread % np.uint32(trace.block_threads)
    thread += block // np.uint32(multiprocessors) * np.uint32(trace.block_threads)
    blocks = int(block.max(initial=0)) + 1
    return replace(
        _chosen(replace(trace, thread=thread), kept), is_whole=False, shorter=shorter(blocks, multiprocessors, wanted)
    )


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
