"""Loops of threads with several iterations, when nvcc approximates: rounds together, so that addresses weigh little.

Before, a round of all-pairs forces for four bodies a thread::

    for (int j = t; j < end; ++j) {
        #pragma unroll
        for (int di = 0; di < 4; ++di)
            ... x[j] - xi[di] ... 1/sqrtf(...)

After it the outer loop has ``#pragma unroll 8``. Exact divisions and roots are 13 instructions each and more, and a few
moves of addresses a round do not matter beside them; approximated ones are one or two. By itself nvcc takes two rounds
of so large a body together.
"""

from __future__ import annotations

from msgspec.structs import replace

from accache.caching.estimates.operations import is_approximated
from accache.ir.tree import Block, Expr, For, Stmt, While
from accache.ir.walk import rewrite, walk

ROUNDS = 8


def with_rounds_together(body: Block) -> Block:
    """A lowered kernel whose threads have several iterations."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        return replace(node, unrolled=ROUNDS) if isinstance(node, For) and _gains(node) else node

    result = rewrite(body, change)
    assert isinstance(result, Block)
    return result


def _gains(loop: For) -> bool:
    """Whether a loop goes through a thread's iterations, computes what is approximated, and holds no other loop."""
    if loop.unrolled:
        return False
    inside = list(walk(loop.body))
    loops = [node for node in inside if isinstance(node, (For, While))]
    is_jammed = bool(loops) and all(isinstance(node, For) and node.unrolled is True for node in loops)
    return is_jammed and any(is_approximated(node) for node in inside if isinstance(node, Expr))
