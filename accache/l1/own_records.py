"""How threads go through the records of an array, each through its own, by the accesses of a launch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from accache.base.architectures import L1_LINE, WARP
from accache.l1.trace import Trace

_APART = 0.5
"""The least number of lines of L1, for each lane of an instruction, that make records the threads' own."""


class Scanned(Struct, frozen=True):
    """What threads do with an array: ``accesses``, of which ``misses`` are to another line than the thread's last one.

    ``warp_lines`` is how many lines of L1 an instruction of a warp asks for on average, of ``warp_lanes`` lanes.
    """

    array: str
    accesses: int
    misses: int
    warp_lines: float
    warp_lanes: float

    @property
    def is_own(self) -> bool:
        """Whether neighbouring threads are in other lines of L1."""
        return self.warp_lines >= _APART * self.warp_lanes


def scanned(trace: Trace, arrays: Iterable[str], size: int) -> Iterator[Scanned]:
    """The arrays of a trace by lines of ``size`` bytes that each thread has of its own; those it does not touch not."""
    assert trace.site is not None
    steps = _turns(trace.thread) if trace.step is None else trace.step
    for name in arrays:
        own = np.array([site.array == name for site in trace.sites])[trace.site]
        thread, step, address = trace.thread[own], steps[own], trace.address[own]
        if len(thread):
            asked = _distinct(thread // WARP, step, address // np.uint64(L1_LINE))
            turns = _distinct(thread // WARP, step, np.zeros_like(address))
            misses = _changes(thread, step, address // np.uint64(size))
            yield Scanned(name, len(thread), misses, asked / turns, len(thread) / turns)


def filled(found: Iterable[Scanned], resident: int) -> int:
    """The bytes of the lines of L1 that so many resident threads are in at a time."""
    return round(sum(each.warp_lines for each in found) * resident / WARP * L1_LINE)


def _turns(thread: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The place of each access among those of its thread: what takes the place of steps that a trace does not have."""
    order = np.argsort(thread, kind="stable")
    starts = np.flatnonzero(np.diff(thread[order].astype(np.int64), prepend=-1))
    turns = np.empty(len(thread), np.uint32)
    turns[order] = np.arange(len(thread)) - np.repeat(starts, np.diff(starts, append=len(thread)))
    return turns


def _distinct(warp: NDArray[np.uint32], step: NDArray[np.uint32], line: NDArray[np.uint64]) -> int:
    """How many different triples there are."""
    order = np.lexsort((line, step, warp))
    changed = [column[order][1:] != column[order][:-1] for column in (warp, step, line)]
    return 1 + int(np.logical_or.reduce(changed).sum())


def _changes(thread: NDArray[np.uint32], step: NDArray[np.uint32], line: NDArray[np.uint64]) -> int:
    """How often a thread comes to another line than that of its access before; its first access does."""
    order = np.lexsort((step, thread))
    moved = [column[order][1:] != column[order][:-1] for column in (thread, line)]
    return 1 + int(np.logical_or.reduce(moved).sum())
