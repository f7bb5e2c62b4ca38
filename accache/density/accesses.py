"""The loads of one array in a launch, each with its place among those that its thread makes of the array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accache.base.properties import cached_property

_DISTANCES = 4  # within rows of a block, from one row to the next, from one plane to the next; and at an edge
_SHARE = 0.95

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Loads:
    """Loads of one array, thread after thread, each thread's in its order.

    ``element`` is the address of each load divided by ``element_bytes``, ``occurrence`` its place among those of its
    thread, from 0. ``threads`` are those that load at all, counted in the launch, block after block, and ``counts``
    says how many loads each of them makes.
    """

    block_threads: int
    element_bytes: int
    element: Integers
    occurrence: NDArray[np.uint32]
    threads: Integers
    counts: Integers

    @property
    def thread(self) -> Integers:
        """The thread of each load."""
        return np.repeat(self.threads, self.counts)

    @cached_property
    def is_monotonic(self) -> bool:
        """Whether the elements that each thread loads only rise, or only fall, so that it loads none of them twice."""
        last = np.zeros(len(self.element), np.bool_)
        last[np.cumsum(self.counts) - 1] = True
        step = np.diff(self.element)
        inside = ~last[:-1]
        return bool(((step > 0) | ~inside).all() or ((step < 0) | ~inside).all())

    @property
    def longest(self) -> int:
        """The most loads that one thread makes."""
        return int(self.counts.max(initial=0))


def loads_of(
    block_threads: int, thread: NDArray[np.uint32], address: NDArray[np.uint64], size: NDArray[np.uint8]
) -> Loads:
    """Loads from columns of a trace: thread, first address and bytes; those of one thread stand in its order.

    An element has as many bytes as all sizes, if they differ their greatest common divisor; wider loads then load
    several elements.
    """
    sizes = np.unique(size)
    unit = int(np.gcd.reduce(sizes)) if len(sizes) else 1
    element = address.view(np.int64)
    element = element >> (unit.bit_length() - 1) if unit & (unit - 1) == 0 else element // unit
    if len(sizes) > 1:
        wide = size.astype(np.int64) // unit
        first = np.repeat(np.cumsum(wide) - wide, wide)
        element = np.repeat(element, wide) + np.arange(len(first)) - first
        thread = np.repeat(thread, wide)
    if (thread[1:] < thread[:-1]).any():
        order = np.argsort(thread, kind="stable")
        thread, element = thread[order], element[order]
    starts = np.flatnonzero(thread[1:] != thread[:-1]) + 1
    starts = np.concatenate((np.zeros(min(1, len(thread)), np.int64), starts))
    counts = np.diff(starts, append=len(thread))
    occurrence = np.arange(len(thread), dtype=np.uint32) - np.repeat(starts.astype(np.uint32), counts)
    return Loads(block_threads, unit, element, occurrence, thread[starts].astype(np.int64), counts)


def is_regular(thread: NDArray[np.uint32], step: NDArray[np.uint32], address: NDArray[np.uint64]) -> bool:
    """Whether nearly all distances between addresses of neighbouring lanes are a few ones.

    Loads stand thread after thread, each thread's in the order of ``step``, which numbers the instructions of a warp.
    Of indices that come from memory this is rarely true; where it is true, it is no proof.
    """
    keys = thread.astype(np.int64) << 32 | step
    wanted = keys + (1 << 32)
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    beside = (keys[places] == wanted) & (thread % 32 != 31)
    distances = (address[places[beside]] - address[beside]).view(np.int64)
    if len(distances) == 0:
        return True
    counts = np.sort(np.unique(distances, return_counts=True)[1])
    return bool(counts[-_DISTANCES:].sum() >= _SHARE * len(distances))
