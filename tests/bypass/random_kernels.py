"""Random kernels as traces: loads that stream, that share, that return to a table, and that jump about."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from accache.l1.trace import Trace, trace_of

Integers = NDArray[np.int64]
_ARRAY = 1 << 24
_BASE = 1 << 30
_BLOCK = 256


def random_kernel(seed: int, loads: int = 8, threads: int = 1024, turns: int = 24) -> Trace:
    """A loop with so many loads, each of them by one of the patterns below; some read the array of an earlier one."""
    draw = random.Random(seed)
    thread, turn = np.meshgrid(np.arange(threads), np.arange(turns), indexing="ij")
    columns, bases = [], []
    for load in range(loads):
        base = draw.choice(bases) if bases and draw.random() < 0.3 else _BASE + load * _ARRAY
        bases.append(base)
        columns.append(base + _pattern(draw, thread, turn) % (_ARRAY // 4) * 4)
    address = np.stack(columns, 2).ravel()
    count = len(address)
    everything = (np.repeat(np.arange(threads), turns * loads), np.zeros(count), address, np.full(count, 4))
    plain = trace_of((_BLOCK, 1, 1), tuple(column.astype(np.int64) for column in everything))
    return Trace(plain.block, *plain.columns, site=np.tile(np.arange(loads), threads * turns).astype(np.uint32))


def _pattern(draw: random.Random, thread: Integers, turn: Integers) -> Integers:
    """Which element each thread reads in each turn."""
    kind = draw.choice(("stream", "stride", "row", "table", "gather", "stencil", "broadcast"))
    threads, turns = thread.shape
    if kind == "stream":
        return turn * threads + thread
    if kind == "stride":
        return (turn * threads + thread) * draw.choice((2, 4, 8, 32))
    if kind == "row":
        return thread * draw.choice((turns, 64, 512)) + turn
    if kind == "table":
        return (thread * draw.choice((1, 1, 7)) + turn * draw.choice((0, 1, 32))) % draw.choice((256, 1024, 4096))
    if kind == "gather":
        window = draw.choice((512, 2048, 8192, 1 << 16))
        return np.random.RandomState(draw.getrandbits(31)).randint(0, window, thread.shape)
    if kind == "stencil":
        return turn * threads + thread + draw.choice((-1, 1, threads, -threads)) + threads
    return turn * draw.choice((1, 8, 32)) + thread // draw.choice((32, _BLOCK))
