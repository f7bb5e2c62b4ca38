"""What is left of directives for a kernel that a single thread runs in the program's order."""

from __future__ import annotations

from msgspec.structs import replace

from accache.ir.regions import Region
from accache.ir.tree import Expr, For, Stmt
from accache.ir.walk import rewrite
from accache.mapping.loops.collapse import only_statement
from accache.mapping.nests import is_parallel


def is_run_by_any_number_of_gangs(region: Region, piece: Stmt) -> bool:
    """Whether the number of gangs makes no difference to a kernel: all that it does are iterations that gangs share."""
    return region.kind == "kernels" or (not region.gangs and is_parallel(only_statement(piece), region))


def without_sizes(region: Region) -> Region:
    """A region for whose gangs, workers and vectors nobody gave a number."""
    return replace(region, sizes=(), body=unsized(region.body))


def unsized(body: Stmt) -> Stmt:
    """A statement whose loops name no levels and sizes, and are not cut into tiles."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or node.loop is None:
            return node
        return replace(node, loop=replace(node.loop, levels=frozenset(), sizes=(), tile=()))

    result = rewrite(body, change)
    assert isinstance(result, Stmt)
    return result
