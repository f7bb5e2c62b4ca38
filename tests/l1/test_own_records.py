"""Records of each thread's own, as a trace shows them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from launches import BASE, loads

from accache.l1.own_records import filled, scanned
from accache.l1.trace import Site, Trace


def words(threads: int, count: int, apart: int) -> Trace:
    """Each thread loads so many words of array a, one after the other, ``apart`` bytes from those of the next one."""
    addresses = {thread: [BASE + apart * thread + 4 * i for i in range(count)] for thread in range(threads)}
    trace = loads(addresses)
    return replace(trace, site=np.zeros(len(trace.thread), np.uint32), sites=(Site(array="a"), Site(array="b")))


@pytest.mark.parametrize(
    ("apart", "size", "lines", "misses", "is_own"),
    [
        (128, 32, 32, 2, True),
        (128, 16, 32, 4, True),
        (64, 32, 16, 2, True),
        (32, 16, 8, 4, False),
        (4, 16, 1, 5, False),
    ],
)
def test_how_threads_go_through_an_array(apart: int, size: int, lines: int, misses: int, is_own: bool) -> None:
    """16 words are 64 bytes; a thread that begins inside of a line touches one more."""
    (found,) = scanned(words(64, 16, apart), ("a", "b"), size)
    assert (found.array, found.accesses, found.is_own) == ("a", 64 * 16, is_own)
    assert found.misses == pytest.approx(64 * misses, abs=16 if apart == 4 else 0)
    assert found.warp_lines == pytest.approx(lines, abs=1)
    assert filled([found], 64) == pytest.approx(128 * 2 * lines, abs=256)


def test_a_thread_that_comes_back_fetches_again() -> None:
    trace = loads({0: [BASE, BASE + 64, BASE, BASE + 4], 1: [BASE + 4]})
    trace = replace(trace, site=np.zeros(5, np.uint32), sites=(Site(array="a"),))
    (found,) = scanned(trace, ["a"], 32)
    assert (found.accesses, found.misses) == (5, 4)
