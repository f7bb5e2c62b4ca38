"""What the compiled engine remembers: arrays of records, passed one by one, since tuples of arrays cost time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Records = NDArray[np.void]
Integers = NDArray[np.int64]
Narrow = NDArray[np.int32]
Drawn = NDArray[np.int16]

NONE = -1
NEVER, FAR, EDGE, NEAR, SECTOR = range(5)
"""The place of a line: its distance d in a set of w ways is infinite, d > w, d = w, d < w. What is
counted as SECTOR has d < w, but sectors are missing."""

FREE, IN_FLIGHT, USED_BEFORE, TICK, FRONT, BACK, QUEUED, WAITING, DRAWN, POSITION, SECOND, COUNTS = range(12)
WORDS = COUNTS + SECTOR + 1
TWISTER_WORDS = 624
"""Places in ``now``: the first free slot; registers in use; those when the tick began; the tick; the queue's ends
and length; how many warps wait; how many of the latencies drawn already were taken; the position in the random words;
the second latency of a pair, or NONE; from there on requests by the place of their lines, and random words."""


def _record(*names: str) -> np.dtype[np.void]:
    return np.dtype([(name, np.int64) for name in names])


_NARROW = ("set", "place", "valid", "newer", "older", "warp")
LINE = np.dtype([("arrival", np.int64), *((name, np.int32) for name in _NARROW)])
"""Tick of its arrival, NONE if it is not in flight; its set, the place in it, sectors there, neighbours by age, and for
which warp it is in flight. 32 bytes: most of the time goes into waiting for these records."""
SET = _record("newest", "oldest", "edge", "count")
"""The ends of the list of near lines, the one line behind it, how many there are in the list."""
SLOT = _record("line", "mask", "next")
"""An insertion to come, in a list; slots not in use are a list as well."""
TICKS = _record("hits", "last_hit", "misses", "last_miss", "waiting")
"""Lists of slots due at a tick, and of warps that wait for it. Ticks that differ by the array's length share one."""
WARP = _record("instruction", "end", "request", "arrival", "own", "next")
"""Next instruction and their end, next request, latest arrival of this instruction, lines in flight, next in a list."""


def records(dtype: np.dtype[np.void], length: int) -> Records:
    """An array of records, all fields NONE."""
    made = np.empty(length, dtype)
    made.view(np.int64)[:] = NONE
    return made
