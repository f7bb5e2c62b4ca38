"""The cheapest point of a small grid, such as numbers of iterations along two axes, without a look at each."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import inf

Point = tuple[int, int]
LESS = ((-1, 0), (0, -1), (-1, 1), (1, -1))
"""From a point to those with one step less, and with a step along one axis in the place of one along the other."""
AROUND = (*LESS, (1, 0), (0, 1))


def climb(size: Point, cost: Callable[[Point], float], *, worth: float, near: float) -> None:
    """Ask for the costs of points from (0, 0) to the cheapest one, along one axis and then along the other.

    A step is taken if it leaves less than the part ``worth`` of the cost. From the end of that walk neighbours are
    followed that leave as little. At last those points with no more steps are asked for that cost nearly as little, up
    to 1 / ``near`` times the least. The grid has ``size`` points along each axis; no point is asked for twice.
    """

    @cache
    def of(point: Point) -> float:
        is_inside = all(0 <= number < end for number, end in zip(point, size, strict=True))
        return cost(point) if is_inside else inf

    here = (0, 0)
    for step in ((1, 0), (0, 1)):
        while of(_moved(here, step)) < worth * of(here):
            here = _moved(here, step)
    while of(best := min((_moved(here, step) for step in AROUND), key=of)) < worth * of(here):
        here = best
    known, pending = {here}, [here]
    while pending:
        point = pending.pop()
        others = [_moved(point, step) for step in LESS if near * of(_moved(point, step)) <= of(here)]
        pending += [other for other in others if other not in known]
        known.update(others)


def _moved(point: Point, step: Point) -> Point:
    """A point, some steps on."""
    return point[0] + step[0], point[1] + step[1]
