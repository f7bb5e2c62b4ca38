"""The arrays whose ends a kernel takes, and what the launch finds out about them."""

from __future__ import annotations

from accache.caching.sizing.footprints import hull, unproved_footprints
from accache.ir.launch_plan import ArrayExtent, Parameter, Reach
from accache.ir.tiles import Tile
from accache.lowering.lowered import LoweredKernel
from accache.mapping.mapped import MappedKernel


def extents_of(kernel: LoweredKernel, parameters: tuple[Parameter, ...]) -> tuple[ArrayExtent, ...]:
    """The arrays of clipped tiles, in their order; ``parameters`` are those of the stub."""
    clipped: dict[str, Tile] = {}
    for tile in kernel.cached.tiles:
        if tile.is_bounded:
            clipped.setdefault(tile.array, tile)
    by_name = {item.name: item for item in parameters}
    return tuple(_extent(kernel.cached.kernel, tile, by_name) for tile in clipped.values())


def _extent(kernel: MappedKernel, tile: Tile, parameters: dict[str, Parameter]) -> ArrayExtent:
    """One array; around what a device pointer leads to, nobody knows what belongs to it."""
    clause = parameters[tile.array].clause
    if clause is not None and clause.action == "deviceptr":
        found = hull(kernel, tile.array)
        assert found is not None
        return ArrayExtent(tile.array, tile.element, hull=(found.first, found.last + 1))
    parts = unproved_footprints(kernel, tile.array)
    reached = tuple(Reach(part.first, part.last, part.counts) for part in parts if part.names <= parameters.keys())
    return ArrayExtent(tile.array, tile.element, reached)
