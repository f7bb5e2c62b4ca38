"""Emulated hardware cache (section 3.1): a few tagged entries for each thread, filled when they miss.

Private to a thread, as section 6.1 concludes: sharing it would need atomic operations.
"""

from __future__ import annotations

from accache.caching.requests import Request
from accache.caching.writes import useless, write_policy
from accache.ir.kernels.tiles import EmulatedCache, Tile


def check(request: Request) -> str:
    """A thread's own cache must not hide what other threads write while the region runs."""
    if request.sharing.written_by_others:
        return "the region writes it in inner parallel loops, which a thread's own cache would not see"
    return useless(request, shared=False)


def plan(request: Request) -> Tile:
    """A cache of ``--ehc-entries`` elements in sets of ``--ehc-ways``; dirty entries are written when they leave."""
    writes = write_policy(request, shared=False, ranged=False)
    return Tile(
        name="",
        array=request.array,
        array_type=request.array_type,
        element=request.element,
        method="ehc",
        scope="thread",
        storage=EmulatedCache(request.options.ehc_entries, min(request.options.ehc_ways, request.options.ehc_entries)),
        location=request.subarray.location,
        text=request.subarray.text,
        policy=writes.policy,
        tracking=writes.tracking,
        threads=request.sharing.threads,
        reason=writes.reason,
    )
