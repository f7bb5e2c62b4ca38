"""Nests of a loop that gangs share around loops that reduce: each iteration of the outer loop gets a warp.

Before: a block of 128 threads has a row of a matrix, and its warps hand each other their sums by shared memory, with
two barriers. After: each of the four warps of a block has a row of its own, and lanes exchange their sums.

Few rows, or long ones, fill a GPU better with a block each: the launch decides. With ``vector_length(32)`` a row has a
warp in either case, and only few rows are better off with a block each.
"""

from __future__ import annotations

from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop, constant_trips
from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.simt import CanonicalLoop, ParallelFor
from accache.ir.openacc.regions import Region
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Expr, For, Stmt
from accache.ir.walk import rewrite, walk
from accache.mapping.loops.reducing_nests import reducing_nest
from accache.mapping.mapped import FEW_THREADS, MappedKernel

LANES = 32
LONGEST = 4096
"""A row of more elements keeps a block's threads busy."""


def with_a_warp_an_iteration(piece: Stmt, region: Region) -> Stmt:
    """The body of a parallel construct whose nest is to be spread so; the body itself where it is not."""
    outer, loops = reducing_nest(piece, region, LANES, in_conditions=True)
    if outer is None or 0 < _length(outer) < FEW_THREADS // LANES:
        return piece
    is_asked_for = bool(region.sizes) or any(loop.loop and loop.loop.sizes for loop in loops)
    if not is_asked_for and any(_length(loop) > LONGEST for loop in loops):
        return piece

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or node.loop is None:
            return node
        levels = frozenset(("gang", "worker") if node.location == outer.location else ("vector",))
        return replace(node, loop=replace(node.loop, levels=levels))

    return rewrite(piece, change)


def has_warp_an_iteration(kernel: MappedKernel) -> bool:
    """Whether the nest of a kernel was spread so for launches of many rows that are not long."""
    return (
        kernel.variants.lengthwise is not None
        and kernel.shape.block[0] == LANES
        and kernel.variants.lengthwise.shape.block[1] == 1
        and not any(loop.grid and loop.block == "x" for loop in walk(kernel.body) if isinstance(loop, ParallelFor))
    )


def lengths_for_lanes(kernel: MappedKernel) -> tuple[Polynomial, ...]:
    """The numbers of iterations that a warp has in a kernel for long rows' sake, as far as its launch knows them."""
    if (
        not has_warp_an_iteration(kernel)
        or kernel.variants.lengthwise is None
        or kernel.variants.lengthwise.shape.threads == LANES
    ):
        return ()
    loops = (node for node in walk(kernel.body) if isinstance(node, ParallelFor) and node.block == "x")
    ends = ((index_polynomial(node.loop.first), index_polynomial(node.loop.limit)) for node in loops if not node.grid)
    found = (limit - first for first, limit in ends if first is not None and limit is not None)
    known = kernel.launched_numbers
    return tuple(dict.fromkeys(item for item in found if item.names and item.names <= known))


def _length(loop: For) -> int:
    """How many iterations a loop has, 0 if that is no constant."""
    canonical = canonical_loop(loop)
    assert isinstance(canonical, CanonicalLoop)
    return constant_trips(canonical)
