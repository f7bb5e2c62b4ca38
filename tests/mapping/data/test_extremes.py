"""Extremes of indices in nests whose inner loops begin or end at counters, compared with those of all iterations."""

from __future__ import annotations

from itertools import product

import pytest

from accache.analysis.ranges import Interval
from accache.ir.polynomial import Polynomial
from accache.mapping.data.extremes import extremes

n, i, j, k = (Polynomial.symbol(name) for name in "nijk")
OUTER = {"up": ("i", Interval.between(0, n - 1)), "from one": ("i", Interval.between(1, n))}
INNER = {
    "whole": Interval.between(0, n - 1),
    "below": Interval.between(0, i - 1),
    "to the diagonal": Interval.between(0, i),
    "from the diagonal": Interval.between(i, n - 1),
    "above": Interval.between(i + 1, n - 1),
    "far below": Interval.between(0, i - 3),
    "far above": Interval.between(i + 3, n - 1),
    "band": Interval.between(i, i + 2),
}
INDICES = {"rows": n * i + j, "columns": n * j + i, "back": n * n - n * i - j, "difference": j - i, "sum": i + j}


def values(index: Polynomial, ranges: list[tuple[str, Interval]], point: dict[str, int]) -> list[int]:
    """What an index is in each iteration of a nest."""
    if not ranges:
        return [index.evaluate(point)]
    (name, interval), *inner = ranges
    assert interval.low is not None
    assert interval.high is not None
    counter = range(interval.low.evaluate(point), interval.high.evaluate(point) + 1)
    return [value for each in counter for value in values(index, inner, point | {name: each})]


def hold(index: Polynomial, ranges: list[tuple[str, Interval]]) -> bool:
    """Whether the extremes are those of all iterations; False if none are known."""
    found = extremes(index, ranges)
    if found is None:
        return False
    for size in range(8):
        point = {"n": size}
        every = values(index, ranges, point)
        assert all(count.evaluate(point) > 0 for count in found.counts) == bool(every)
        if every:
            assert (found.low.evaluate(point), found.high.evaluate(point)) == (min(every), max(every))
    return True


@pytest.mark.parametrize("inner", INNER)
def test_extremes_are_those_of_all_iterations(inner: str) -> None:
    for outer, index in product(OUTER.values(), INDICES.values()):
        assert hold(index, [outer, ("j", INNER[inner])]), (outer, str(index))


@pytest.mark.parametrize(
    "ranges",
    [
        [("k", Interval.between(0, n - 1)), ("i", Interval.between(k + 1, n - 1)), ("j", Interval.between(k, i - 1))],
        [
            ("i", Interval.between(0, n - 1)),
            ("k", Interval.between(i + 1, n - 1)),
            ("j", Interval.between(k + 1, n - 1)),
        ],
        [("i", Interval.between(0, n - 1)), ("j", Interval.between(0, i)), ("k", Interval.between(j + 1, i - 1))],
        [("k", Interval.between(2, n - 1)), ("i", Interval.between(0, k)), ("j", Interval.between(i + 1, k - 1))],
    ],
)
def test_extremes_of_three_loops(ranges: list[tuple[str, Interval]]) -> None:
    known = [hold(index, ranges) for index in (n * i + j, n * j + k, n * k + i)]
    assert any(known)


def test_what_is_no_interval_is_not_known() -> None:
    outer = ("i", Interval.between(0, n - 1))
    assert extremes(n * i + j, [outer, ("j", Interval.between(0, 2 * i - 5))]) is None
    assert extremes(i * j, [outer, ("j", Interval.between(0, i))]) is None
    assert extremes((n - 5) * i + j, [outer, ("j", Interval.between(0, i))]) is None
