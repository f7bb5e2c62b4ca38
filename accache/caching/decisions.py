"""What became of each subarray of each cache directive: the record reports are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from accache.base.choices import Fate, Fated
from accache.base.text import Location
from accache.ir.kernels.tiles import Tile


class Decision(Fated, Struct, frozen=True):
    """One subarray: the method chosen (or none, register, local, scratch, off), why, and its tile if it has one.

    ``share_obstacle`` says why the block does not share the tile. A subarray that nobody wrote was proposed for its
    thread ``density``. ``instead`` is what would hold all references, by dimension, where the subarray
    written does not; '' for a dimension that does. ``outside`` is the line of the first reference that it is not proved
    to hold, 0 if there is none.
    """

    text: str
    location: Location
    method: Fate
    reason: str
    tile: Tile | None
    share_obstacle: str
    density: float = 0.0
    instead: tuple[str, ...] = ()
    outside: int = 0


def tiles_of(decisions: Iterable[Decision]) -> tuple[Tile, ...]:
    """The tiles that were decided on."""
    return tuple(item.tile for item in decisions if item.tile is not None)


def with_tile(decision: Decision, tiles: Mapping[str, Tile]) -> Decision:
    """A decision with the tile of its name, if there is such a one among ``tiles``."""
    if decision.tile is None or decision.tile.name not in tiles:
        return decision
    return replace(decision, tile=tiles[decision.tile.name])
