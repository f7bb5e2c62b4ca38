"""Workers of several warps made workers of one, whose lanes wait for each other alone.

Before: ``vector_length(64)`` beside ``num_workers(4)``. After: ``vector_length(32)``. A worker that takes a way of its
own at a condition can then have barriers there; results do not depend on how many lanes share a loop.
"""

from __future__ import annotations

from msgspec.structs import replace

from accache.ir.build import number
from accache.ir.constants import constant
from accache.ir.openacc.regions import LoopSpec, Region
from accache.ir.tree import Expr, For, Stmt
from accache.ir.walk import nodes_of, rewrite
from accache.mapping.blocks import WARP

Sizes = tuple[tuple[str, Expr], ...]


def with_a_warp_a_worker(region: Region) -> Region | None:
    """A region whose workers are warps; None if it has no workers, or says itself that they are.

    A vector length that is no constant, or that nobody gave, may be that of several warps.
    """
    specs = [node.loop for node in nodes_of(region.body, For) if node.loop is not None]
    holders: list[Region | LoopSpec] = [region, *specs]
    lengths = [size for holder in holders if (size := holder.size("vector")) is not None]
    if not any("worker" in spec.levels for spec in specs) or (lengths and all(_warp(size) is size for size in lengths)):
        return None

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or node.loop is None:
            return node
        return replace(node, loop=replace(node.loop, sizes=_narrowed(node.loop.sizes)))

    body = rewrite(region.body, change)
    assert isinstance(body, Stmt)
    sizes = region.sizes if lengths else (*region.sizes, ("vector", number(WARP, region.location)))
    return replace(region, body=body, sizes=_narrowed(sizes))


def _narrowed(sizes: Sizes) -> Sizes:
    """Sizes with a vector length of a warp at most."""
    return tuple((level, _warp(size) if level == "vector" else size) for level, size in sizes)


def _warp(size: Expr) -> Expr:
    value = constant(size)
    return size if value is not None and value <= WARP else number(WARP, size.location)
