"""Which method serves a subarray, why that one, and what is said where it is not the user's."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from plans import Plan, each_decision, plans

from accache.caching.cached import CachedKernel


def choice(kernel: CachedKernel, number: int) -> Iterable[str]:
    decision = kernel.decisions[number]
    scope = f" for the {decision.tile.scope}" if decision.tile else ""
    return [f"{decision.method}{scope}: {decision.reason}"]


@pytest.mark.parametrize("case", plans(__file__, "choice"), ids=str)
def test_choice(case: Plan, update_golden: bool) -> None:
    case.holds(each_decision(case, choice), update_golden)
