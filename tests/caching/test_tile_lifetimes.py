"""Which tiles are never alive together, so that they may lie in one place of shared memory."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from plans import Plan, each_decision, plans

from accache.caching.cached import CachedKernel


def lifetimes(kernel: CachedKernel, number: int) -> Iterable[str]:
    tile = kernel.decisions[number].tile
    if tile is None:
        return [f"no tile: {kernel.decisions[number].reason}"]
    return [f"{tile.name} may lie where {', '.join(sorted(tile.apart)) or 'no other tile'} lies"]


@pytest.mark.parametrize("case", plans(__file__, "lifetimes"), ids=str)
def test_lifetimes(case: Plan, update_golden: bool) -> None:
    case.holds(each_decision(case, lifetimes), update_golden)
