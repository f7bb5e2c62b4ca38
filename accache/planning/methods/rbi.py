"""Range-based intelligent (section 3.3): every reference is known to lie in the range, so none is checked."""

from __future__ import annotations

from accache.ir.simt import Tile
from accache.planning.methods import ranges
from accache.planning.requests import Request


def check(request: Request) -> str:
    """RBI needs a proof for every reference, or the user's word for it."""
    if request.unproved is not None:
        where = request.unproved.expr.location
        if not request.options.trust_range:
            return f"the reference at line {where.line} is not proved to lie in the range"
        if request.named_again:
            return f"the reference at line {where.line} may lie in another subarray of the same array"
        if request.misread:
            return f"the reference at line {where.line} may lie in the subarray as it is written, past its supposed end"
        if any(dimension.limit is not None for dimension in request.dimensions):
            return f"the reference at line {where.line} may lie in the range and pass the tile, which has a fixed size"
    return ranges.obstacle(request)


def plan(request: Request) -> Tile:
    """The tile of the subarray."""
    return ranges.tile(request, "rbi")
