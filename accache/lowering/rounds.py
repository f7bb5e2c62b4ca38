"""Rounds of the loops in which threads refer to arrays by lines of their own.

Before: ``for (...) b[i] = a[i];``. After: ``for (...) { Round; b[i] = a[i]; }``, in the innermost such loops alone.
"""

from __future__ import annotations

from msgspec.structs import replace

from accache.ir.simt import Round, Tile, TileAccess
from accache.ir.tree import Block, Expr, For, Stmt, While
from accache.ir.walk import rewrite, walk
from accache.lowering.structure import items_of


def with_rounds(body: Stmt, tile: Tile) -> Stmt:
    """The body of a region that ``tile`` and others serve by lines, each round told to them as it begins."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, (For, While)) or any(isinstance(part, Round) for part in walk(node)):
            return node
        if not any(isinstance(part, TileAccess) and part.tile.lines is not None for part in walk(node)):
            return node
        return replace(node, body=Block(node.body.location, (Round(node.location, tile), *items_of(node.body))))

    return rewrite(body, change)
