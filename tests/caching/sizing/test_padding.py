"""A row of shared memory gets one element more exactly where neighbouring threads then take fewer turns at a bank."""

from __future__ import annotations

import pytest

from accache.caching.sizing.padding import neighbour_steps, row_padding
from accache.ir.polynomial import Polynomial

BANKS, WORD = 32, 4


def turns(step: tuple[int, ...], extents: tuple[int, ...], element: int) -> int:
    """How many threads of a warp meet in the bank that most of them meet in, counted one by one."""
    met: dict[int, set[int]] = {}
    for thread in range(BANKS):
        cell = 0
        for extent, each in zip(extents, step, strict=True):
            cell = cell * extent + each * thread
        word = cell * element // WORD
        met.setdefault(word % BANKS, set()).add(word)
    return max(map(len, met.values()))


@pytest.mark.parametrize(
    ("steps", "extents", "element", "expected"),
    [
        ([(1, 0)], (32, 32), 4, 1),
        ([(0, 1)], (32, 32), 4, 0),
        ([(1, 0)], (32, 33), 4, 0),
        ([(1, 0)], (32, 32), 1, 1),
        ([(2, 0), (0, 1)], (64, 16), 4, 1),
        ([(0, 2)], (16, 64), 4, 0),
        ([(1, 0, 0)], (32, 4, 32), 4, 1),
        ([], (32, 32), 4, 0),
        ([(1,)], (32,), 4, 0),
    ],
)
def test_padding(steps: list[tuple[int, ...]], extents: tuple[int, ...], element: int, expected: int) -> None:
    assert row_padding(steps, extents, element) == expected
    if len(extents) > 1 and steps and element == WORD:
        padded = (*extents[:-1], extents[-1] + 1)
        plain, then = (max(turns(step, sizes, element) for step in steps) for sizes in (extents, padded))
        assert (then < plain) == bool(expected)


def test_how_far_the_next_threads_element_is() -> None:
    i, j = Polynomial.symbol("i"), Polynomial.symbol("j")
    assert neighbour_steps([3 * i + j, None, j * j], {"i": 2, "j": 1}) == (7, 0, 0)
