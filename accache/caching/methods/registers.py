"""Registers: each thread keeps a subarray of constant length in an array of its own.

All loops around its references are unrolled, so that each position is a constant: then a compiler keeps every element
in a register.
"""

from __future__ import annotations

from math import prod

from msgspec.structs import replace

from accache.analysis.canonical import loop_variable
from accache.caching.methods import rbi
from accache.caching.requests import Request
from accache.ir.kernels.tiles import Tile, TileAccess
from accache.ir.sizes import sizeof
from accache.ir.tree import Expr, For, Stmt
from accache.ir.walk import rewrite, walk

MOST_BYTES, MOST_TOGETHER = 256, 512
"""Bytes that a thread keeps of a subarray, and of all: 64, and 128, of its 255 registers."""


def check(request: Request) -> str:
    """Every reference is proved to lie in the subarray, at a position that is a constant in unrolled loops."""
    if any(dimension.limit is not None for dimension in request.dimensions):
        return "only the run knows its length"
    held = prod(dimension.length for dimension in request.dimensions) * request.element_bytes
    if held > MOST_BYTES:
        return f"it has {held} bytes, and a thread keeps {MOST_BYTES} in registers at most"
    if held + request.kept_bytes > MOST_TOGETHER:
        return f"with it a thread keeps {held + request.kept_bytes} bytes in registers, more than {MOST_TOGETHER}"
    for use, index in zip(request.uses, request.indices, strict=True):
        for position, dimension in zip(index, request.dimensions, strict=True):
            apart = position - dimension.lower if position is not None else None
            if apart is None or not apart.names <= request.unrolled:
                return f"the position of the reference at line {use.expr.location.line} is no constant"
    return rbi.check(request)


def register_bytes(tile: Tile) -> int:
    """What a thread keeps of a tile in registers."""
    return prod(tile.range.extents) * sizeof(tile.element) if tile.traits.in_registers else 0


def with_unrolled_loops(body: Stmt) -> Stmt:
    """A region's body whose loops around references to tiles in registers are to be unrolled."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        return replace(node, unrolled=True) if isinstance(node, For) and _counts_positions(node) else node

    result = rewrite(body, change)
    assert isinstance(result, Stmt)
    return result


def _counts_positions(loop: For) -> bool:
    """Whether a loop counts positions in a tile in registers."""
    accesses = (node for node in walk(loop.body) if isinstance(node, TileAccess) and node.tile.traits.in_registers)
    return loop_variable(loop) is not None and any(accesses)
