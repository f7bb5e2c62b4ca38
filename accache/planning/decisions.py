"""What became of each subarray of each cache directive: the record reports are made of."""

from __future__ import annotations

from dataclasses import dataclass

from accache.ir.simt import Tile
from accache.text import Location


@dataclass(frozen=True)
class Decision:
    """One subarray: the method chosen (or none, register, local, scratch, off), why, and its tile if it has one.

    ``share_obstacle`` says why the block does not share the tile.
    """

    text: str
    location: Location
    method: str
    reason: str
    tile: Tile | None
    share_obstacle: str
