"""What the range-based methods share: the tile of a subarray, one for the block or one for each thread."""

from __future__ import annotations

from msgspec.structs import replace

from accache.caching.requests import Request
from accache.caching.sizing.padding import row_padding
from accache.caching.writes import useless, write_policy
from accache.ir.kernels.tiles import Tile, TileRange


def obstacle(request: Request) -> str:
    """Why no range-based method can serve a request; '' if one can."""
    if request.sharing.obstacle and request.sharing.written_by_others:
        return f"{request.sharing.obstacle}, and the region writes it in inner parallel loops"
    return useless(request, shared=not request.sharing.obstacle)


def tile(request: Request) -> Tile:
    """The tile that holds the subarray: shared by the block where nothing stands in the way."""
    shared = not request.sharing.obstacle
    writes = write_policy(request, shared)
    fetched = request.is_read and request.effect.reads_old
    unread = "; nothing is fetched, as no old value is read" if request.is_read and not fetched else ""
    dimensions = request.dimensions
    if not shared:
        dimensions = tuple(
            replace(dimension, axis="", variable="", rate=0, extent=dimension.length, start=dimension.lower)
            for dimension in dimensions
        )
    held = TileRange(dimensions, request.pitches, clipped=request.clipped, assumed=request.assumed)
    if shared:
        held = replace(held, pad=row_padding(request.references.steps, held.extents, request.element_bytes))
    return Tile(
        name="",
        array=request.array,
        array_type=request.array_type,
        element=request.element,
        method="rbi",  # the row of another method puts its own name here
        scope="block" if shared else "thread",
        storage=held,
        location=request.subarray.location,
        text=request.subarray.text,
        is_read=request.is_read,
        is_fetched=fetched,
        policy=writes.policy,
        tracking=writes.tracking,
        threads=request.sharing.threads,
        reason=writes.reason + unread,
    )
