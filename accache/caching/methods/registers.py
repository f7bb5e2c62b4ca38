"""Registers: each thread keeps a subarray of constant length in an array of its own.

The loops that count its positions are unrolled, so that each position is a constant: then a compiler keeps every
element in a register.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from msgspec.structs import replace

from accache.analysis.canonical import loop_variable
from accache.analysis.unrollable import unrollable
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
    for use, index in request.references.pairs:
        for position, dimension in zip(index, request.dimensions, strict=True):
            apart = position - dimension.lower if position is not None else None
            if apart is None or not apart.names <= request.unrolled:
                return f"the position of the reference at line {use.expr.location.line} is no constant"
    if request.is_written and not _is_own(request):
        return "a thread would fetch elements that another one may write"
    return rbi.check(request)


def _is_own(request: Request) -> bool:
    """Whether no other thread has a subarray's elements, or the program's own threads would race for them."""
    if request.are_apart or not (request.is_read and request.effect.reads_old):
        return True
    return request.effect.uses_all([(dimension.lower, dimension.length) for dimension in request.dimensions])


def register_bytes(tile: Tile) -> int:
    """What a thread keeps of a tile in registers."""
    return prod(tile.range.extents) * sizeof(tile.element) if tile.traits.in_registers else 0


def with_unrolled_loops(body: Stmt, definitions: Mapping[str, Expr]) -> Stmt:
    """A region's body whose loops that count positions in registers are to be unrolled."""
    counting = unrollable(body, definitions)

    def change(node: Expr | Stmt) -> Expr | Stmt:
        is_counting = isinstance(node, For) and loop_variable(node) in counting and _refers_to_registers(node)
        return replace(node, unrolled=True) if is_counting else node

    result = rewrite(body, change)
    assert isinstance(result, Stmt)
    return result


def _refers_to_registers(loop: For) -> bool:
    return any(isinstance(node, TileAccess) and node.tile.traits.in_registers for node in walk(loop.body))
