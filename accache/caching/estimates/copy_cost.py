"""What it costs a warp to fill tiles, and to write them back."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from msgspec import Struct
from msgspec.structs import replace

from accache.caching.estimates.access_cost import AccessCost
from accache.caching.estimates.banks import WARP
from accache.caching.estimates.cost import FREE, Cost
from accache.caching.estimates.lanes import SECTOR_BYTES
from accache.caching.estimates.places import flat, in_view
from accache.caching.estimates.unrolled_places import Loops, SequentialLoop
from accache.ir.kernels.tiles import Tile
from accache.ir.polynomial import ZERO, Polynomial
from accache.ir.sizes import sizeof, tile_elements

ROUND = {1: 5, 2: 18, 3: 26}
"""Slots of one round of a fetch, by the dimensions of the tile; where others have computed the cell, the first."""
CLIPPED, START, WIDTH, BARRIER = 4, 1, 3, 3
ASKED_ONCE = 4
"""Rounds of a fetch from which on one question whether a tile lies in its array takes the place of one for each."""


class CopyCost(Struct):
    """Copies between memory and tiles, with the sequential loops around."""

    memory: AccessCost
    loops: Loops

    def region(self, tiles: Sequence[Tile]) -> Cost:
        """The fetches and write-backs of a region's tiles, and the barriers around them."""
        found, shapes = FREE, set()
        for tile in tiles:
            alike = (tile.range.extents, tile.range.starts)
            found += self._copies(tile, alike in shapes)
            shapes.add(alike)
        if any(tile.scope == "block" for tile in tiles):
            moving = len(self.loops) > 0
            found += Cost(slots=BARRIER * (1 + moving))
        return found

    def _copies(self, tile: Tile, is_alike: bool) -> Cost:
        """What a thread does to fill a tile, and to write it back."""
        if not tile.has_range:
            return FREE
        if tile.traits.in_registers:
            return self._copies_to_registers(tile)
        threads = self.memory.survey.kernel.shape.threads
        is_own = tile.scope == "thread"
        rank = max(1, len(tile.range.dimensions))
        elements = tile_elements(tile)
        width = (
            self.memory.wide.copied_at_once(tile) if self.memory.joins and tile.is_fetched and not tile.policy else 1
        )
        rounds = ceil(elements / (width * threads))
        size = sizeof(tile.element)
        inner = tile.range.dimensions[-1].extent if tile.range.dimensions else 1
        rows = elements / inner
        sectors = rounds * WARP if is_own else rows * (inner * size / SECTOR_BYTES + 0.5) / max(1, threads / WARP)
        cell = ROUND[1] if is_alike else ROUND.get(rank, ROUND[3])
        is_asked_once = not is_own and (width > 1 or rounds >= ASKED_ONCE) and not tile.policy
        asked = CLIPPED * tile.is_bounded * (1 if is_asked_once else rounds)
        once = Cost(rounds * cell + asked, sectors, rounds * width * max(1, size / 4))
        back = replace(once, written=sectors * SECTOR_BYTES) if tile.is_collected else FREE
        if tile.owned is not None:
            back = Cost(1, size, 0, WARP * size)
        ways = int(tile.is_prepared and tile.is_fetched)
        moving = {name for dimension in tile.range.dimensions for name in dimension.lower.names}
        setup = sum(START + WIDTH * bool(dimension.variable) for dimension in tile.range.dimensions)
        fixed = not moving & {loop.variable for loop in self.loops}
        return once.times(ways) + back + Cost(slots=0 if is_alike else setup if fixed else START * rank)

    def _copies_to_registers(self, tile: Tile) -> Cost:
        """What a thread does to load a subarray, and to store it."""
        names = [f"@cell.{depth}" for depth, _ in enumerate(tile.range.dimensions)]
        cells = tuple(
            SequentialLoop(name, dimension.length, True, ZERO, range(dimension.length))
            for name, dimension in zip(names, tile.range.dimensions, strict=True)
        )
        indices = [
            dimension.lower + Polynomial.symbol(name)
            for name, dimension in zip(names, tile.range.dimensions, strict=True)
        ]
        place = in_view(indices, tile.range.pitches) if tile.range.pitches else flat(indices, tile.array_type)
        size, found = sizeof(tile.element), FREE
        for is_wanted, written in ((tile.is_fetched, False), (bool(tile.policy), True)):
            if is_wanted:
                once = self.memory.in_memory(
                    tile.array, place, size, written, loops=(*self.loops, *cells), is_copied=True
                ).times(tile_elements(tile) / tile.threads)
                found += replace(once, written=once.sectors * SECTOR_BYTES) if written else once
        return found
