"""What a subarray's bounds mean: first index and length of each dimension, or why there are none."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from plans import Plan, dimension_text, each_decision, plans

from accache.caching.cached import CachedKernel


def bounds(kernel: CachedKernel, number: int) -> Iterable[str]:
    decision = kernel.decisions[number]
    return (
        [f"no tile: {decision.reason}"]
        if decision.tile is None
        else map(dimension_text, decision.tile.range.dimensions)
    )


@pytest.mark.parametrize("case", plans(__file__, "bounds"), ids=str)
def test_subarray_bounds(case: Plan, update_golden: bool) -> None:
    case.holds(each_decision(case, bounds), update_golden)
