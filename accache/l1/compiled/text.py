"""What ``text_traces`` does line by line, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from accache.l1.compiled.jit import allocating
from accache.l1.text_traces import Columns

_TAB, _LINE_FEED, _RETURN, _BLANK, _ZERO = 9, 10, 13, 32, 48
_DIGITS = 18  # of a number that fits into 64 bits whatever it is


@allocating
def parse_lines(data: NDArray[np.uint8], start: int, largest: NDArray[np.uint64], columns: Columns) -> tuple[int, int]:
    """Read lines of four numbers up to the first that is otherwise; returns their number, and where that one starts."""
    thread, direction, address, size = columns
    values = np.zeros(4, np.uint64)
    done, line, at, end = 0, start, start, len(data)
    while at < end:
        for field in range(4):
            while at < end and (data[at] == _BLANK or data[at] == _TAB):
                at += 1
            first, value = at, np.uint64(0)
            while at < end and _ZERO <= data[at] < _ZERO + 10:
                value = value * np.uint64(10) + np.uint64(data[at] - _ZERO)
                at += 1
            if not 0 < at - first <= _DIGITS or value > largest[field]:
                return done, line
            values[field] = value
        while at < end and (data[at] == _BLANK or data[at] == _TAB):
            at += 1
        if at < end and data[at] == _RETURN:
            at += 1
        if at == end or data[at] != _LINE_FEED or values[3] == 0:
            return done, line
        thread[done], direction[done], address[done], size[done] = values[0], values[1], values[2], values[3]
        done, at = done + 1, at + 1
        line = at
    return done, line
