"""What a write to a tile does, how the write-back knows what to write, and whether anything is fetched before."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from plans import Plan, each_decision, plans

from accache.caching.cached import CachedKernel


def writes(kernel: CachedKernel, number: int) -> Iterable[str]:
    tile = kernel.decisions[number].tile
    if tile is None:
        return [f"no tile: {kernel.decisions[number].reason}"]
    known = f", known by {tile.tracking}" if tile.tracking else ""
    fetched = "fetched before" if tile.is_fetched else "not fetched"
    return [f"write-{tile.policy}{known}, {fetched}: {tile.reason}" if tile.policy else f"read only, {fetched}"]


@pytest.mark.parametrize("case", plans(__file__, "writes"), ids=str)
def test_writes(case: Plan, update_golden: bool) -> None:
    case.holds(each_decision(case, writes), update_golden)
