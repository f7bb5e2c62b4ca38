"""The points of a grid that are looked at on the way to the cheapest one."""

from __future__ import annotations

from math import inf

from accache.caching.estimates.grid_search import Point, climb


def asked(costs: list[list[float]], near: float = 0.95) -> list[Point]:
    """The points that are asked for, in this order."""
    found: list[Point] = []

    def cost(point: Point) -> float:
        found.append(point)
        return costs[point[0]][point[1]]

    climb((len(costs), len(costs[0])), cost, worth=0.98, near=near)
    return found


def test_cheapest_corner_is_reached_without_all_points() -> None:
    found = asked([[64, 48, 40], [48, 32, 24], [40, 24, 16], [36, 20, 8]])
    assert (3, 2) in found
    assert len(found) == len(set(found)) < 9


def test_steps_that_gain_little_are_not_taken() -> None:
    assert set(asked([[100, 99], [99, 10]])) == {(0, 0), (1, 0), (0, 1)}


def test_step_along_one_axis_for_one_along_the_other() -> None:
    assert (2, 2) in asked([[58, 54, 46], [26, 15, 10], [17, 11, 8], [13, 9, 19]])


def test_points_with_fewer_steps_that_cost_nearly_as_little() -> None:
    costs = [[100.0, 90.0, 51.5], [95.0, 90.0, 51.0], [70.0, 60.0, 50.0]]
    assert (0, 2) in asked(costs)
    assert (0, 2) not in asked(costs, near=1)


def test_points_with_as_few_steps_along_the_other_axis() -> None:
    costs = [[100.0, 80.0, 50.4], [80.0, 50.2, 60.0], [50.5, 50.0, 50.0], [50.0, 50.0, 50.0]]
    assert {(1, 1), (0, 2)} <= set(asked(costs))


def test_points_that_cannot_be() -> None:
    assert set(asked([[10, inf], [inf, inf]])) == {(0, 0), (1, 0), (0, 1)}
