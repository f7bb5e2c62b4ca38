"""Range-based intelligent (section 3.3): every reference is known to lie in the range, so none is checked."""

from __future__ import annotations

from accache.caching.methods import ranges
from accache.caching.requests import Request, is_proved


def check(request: Request) -> str:
    """RBI needs a proof for every reference, or the user's word for it."""
    if request.references.unproved is not None:
        where = request.references.unproved.expr.location
        if not request.options.trust_range:
            return f"the reference at line {where.line} is not proved to lie in the range"
        if request.references.named_again:
            return f"the reference at line {where.line} may lie in another subarray of the same array"
        if request.references.misread:
            return f"the reference at line {where.line} may lie in the subarray as it is written, past its supposed end"
        if request.pitches and not _is_view_known(request):
            return f"the reference at line {where.line} may lie in the range, but in what row and column is not proved"
        if any(dimension.limit is not None for dimension in request.dimensions):
            return f"the reference at line {where.line} may lie in the range and pass the tile, which has a fixed size"
    return ranges.obstacle(request)


def _is_view_known(request: Request) -> bool:
    """Whether the rows found for a flat array are those of the subarray, and each element has one place in them.

    That they are shows in a reference that is proved to lie in the range.
    """
    asked = request.references
    return asked.columns_stay and any(is_proved(use, index, request.dimensions) for use, index in asked.pairs)
