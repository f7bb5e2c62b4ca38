"""Range-based conservative (section 3.2): each reference is compared with the range when it happens."""

from __future__ import annotations

from accache.caching.methods import ranges
from accache.caching.requests import Request
from accache.ir.simt import Tile


def check(request: Request) -> str:
    """RBC serves any reference; those outside the range go to global memory."""
    return ranges.obstacle(request)


def plan(request: Request) -> Tile:
    """The tile of the subarray."""
    return ranges.tile(request, "rbc")
