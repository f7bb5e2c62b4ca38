"""Runs of numbers: what a page's script makes of them is what was recorded."""

from __future__ import annotations

import pytest

from accache.report.packed import Runs, runs


def unpacked(packed: Runs) -> list[int | None]:
    """What the page's ``numbersOf`` does."""
    found: list[int | None] = []
    for start, step, count in zip(packed[::3], packed[1::3], packed[2::3], strict=True):
        assert step is not None
        assert count is not None
        found += [start + step * k if start is not None else None for k in range(count)]
    return found


@pytest.mark.parametrize(
    "numbers",
    [
        (),
        (7,),
        (None,),
        tuple(range(32)),
        (5,) * 32,
        (None, 3, None, 4, 5),
        (0, 33, 66, 1, 34, 67),
        (9, 7, 5, None, None, 5, 5),
    ],
)
def test_runs_stand_for_their_numbers(numbers: tuple[int | None, ...]) -> None:
    assert unpacked(runs(numbers)) == list(numbers)


def test_lanes_in_a_row_are_one_run() -> None:
    assert runs(tuple(range(64, 96))) == (64, 1, 32)
    assert runs((None,) * 30 + (2, 4)) == (None, 0, 30, 2, 2, 2)
