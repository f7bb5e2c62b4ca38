"""The shared memory of tiles: elements with their padding, marks of what is written, tags of emulated caches."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from plans import Plan, each_decision, plans

from accache.caching.cached import CachedKernel
from accache.caching.shared_parts import tile_parts
from accache.ir.kernels.tiles import EmulatedCache
from accache.ir.sizes import tile_shape


def sizes(kernel: CachedKernel, number: int) -> Iterable[str]:
    tile = kernel.decisions[number].tile
    if tile is None:
        return [f"no tile: {kernel.decisions[number].reason}"]
    copies = f", one for each of {tile.threads} threads" if tile.scope == "thread" else ""
    held = tile.storage
    shape = (
        f"{held.entries} entries" if isinstance(held, EmulatedCache) else "".join(f"[{n}]" for n in tile_shape(tile))
    )
    parts = [f"{part.name}: {part.bytes} bytes, aligned to {part.alignment}" for part in tile_parts(tile)]
    return [f"{shape}, {tile.range.pad} of a row padding{copies}", *parts]


@pytest.mark.parametrize("case", plans(__file__, "sizes"), ids=str)
def test_sizes(case: Plan, update_golden: bool) -> None:
    case.holds(each_decision(case, sizes), update_golden)
