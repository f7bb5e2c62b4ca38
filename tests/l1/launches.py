"""Traces for tests: two kernels of the published measurements, and any list of loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from accache.l1.policies import POLICIES
from accache.l1.trace import Site, Trace, trace_of

BASE = 1 << 20
THREADS = 8192
LINE = 128


def gemm(depth: int, threads: int = THREADS) -> Trace:
    """Thread t has i = t / 512, j = t % 512 and reads a[i][k] and b[k][j] for each k below depth."""
    thread, k = _grid(depth, threads)
    i, j = thread // 512, thread % 512
    return _pairs(thread, 4 * (i * depth + k), (1 << 26) + 4 * (512 * k + j))


def row(depth: int, threads: int = THREADS) -> Trace:
    """Thread t reads a[t][k] of a matrix with rows of 4096, and x[k], for each k below depth."""
    thread, k = _grid(depth, threads)
    return _pairs(thread, 4 * (4096 * thread + k), (1 << 28) + 4 * k)


def loads(
    of_thread: Mapping[int, Sequence[int | tuple[int, int]]], *, block: int = 32, size: int = 4, stores: bool = False
) -> Trace:
    """A trace of the addresses, or the (address, bytes), that each thread reads in this order."""
    rows = [
        (thread, int(stores), *(access if isinstance(access, tuple) else (access, size)))
        for thread, accesses in of_thread.items()
        for access in accesses
    ]
    columns = np.array(rows, np.int64).reshape(-1, 4).T
    return trace_of((block, 1, 1), tuple(columns))


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Traces of up to 100 threads, which load different numbers of times, some of them over the end of a line."""
    block = draw(st.sampled_from([1, 8, 32, 48, 64]))
    size = st.sampled_from([1, 2, 4, 4, 4, 8, 16])
    near, far = st.integers(0, 40 * LINE), st.integers(0, 1 << 24)
    access = st.tuples(st.one_of(near, near, far), size)
    chosen = draw(st.dictionaries(st.integers(0, 99), st.lists(access, max_size=12), max_size=40))
    of_thread = {0: [(BASE, 4)], **chosen}
    return loads(of_thread if any(of_thread.values()) else {0: [(BASE, 4)]}, block=block)


@st.composite
def masked_traces(draw: st.DrawFn) -> Trace:
    """Traces with stores, sites of every policy, and steps that some lanes take part in."""
    trace = draw(traces())
    count = len(trace.thread)
    flags = st.lists(st.integers(0, 3), min_size=count, max_size=count)
    direction = np.array(draw(flags)) == 0
    direction[0] = False
    site = np.array(draw(flags), np.uint32)
    step = None
    if draw(st.booleans()):
        gaps = np.array(draw(flags))
        order = np.argsort(trace.thread, kind="stable")
        climb = np.cumsum(gaps[order])
        first = np.searchsorted(trace.thread[order], trace.thread)
        step = np.empty(count, np.uint32)
        step[order] = climb
        step -= climb[first].astype(np.uint32)
    sites = tuple(Site(policy=draw(st.sampled_from(POLICIES))) for _ in range(4))
    return replace(trace, direction=direction.astype(np.uint8), site=site, step=step, sites=sites)


def equal(one: Trace, other: Trace) -> bool:
    """Whether two traces are the same."""
    same = all(np.array_equal(left, right) for left, right in zip(one.columns, other.columns, strict=True))
    return one.block == other.block and same


def _grid(depth: int, threads: int) -> tuple[np.ndarray, np.ndarray]:
    return np.repeat(np.arange(threads), depth), np.tile(np.arange(depth), threads)


def _pairs(thread: np.ndarray, first: np.ndarray, second: np.ndarray) -> Trace:
    address = BASE + np.stack([first, second], axis=1).ravel()
    thread = np.repeat(thread, 2)
    return trace_of((256, 1, 1), (thread, np.zeros_like(thread), address, np.full_like(thread, 4)))
