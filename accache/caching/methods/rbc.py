"""Range-based conservative (section 3.2): each reference is compared with the range when it happens."""

from __future__ import annotations

from accache.caching.methods import ranges
from accache.caching.requests import Request


def check(request: Request) -> str:
    """RBC serves any reference; those outside the range go to global memory."""
    return ranges.obstacle(request)
