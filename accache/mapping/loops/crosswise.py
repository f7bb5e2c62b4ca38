"""Nests whose inner loops stride through memory: lanes get the outer loop's iterations, and warps those of the inner.

Before: ``#pragma acc parallel loop`` over the columns of a matrix, and in it ``#pragma acc loop reduction(+:sum)`` over
the rows: a block has a column, and each of its lanes another row, a sector of memory for each element. After: the lanes
of a warp have columns side by side, the warps of a block rows, and what the warps have found for a column is combined.

Only where the user has left it open which levels and how many threads loops get, where a warp then touches less than
half of the sectors, and where an iteration of the outer loop holds nothing that its threads would have to share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop, constant_trips
from accache.analysis.loop_context import Definitions, subscripts_of
from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.openacc.regions import Region
from accache.ir.tree import Expr, For, Stmt, Subscript
from accache.ir.types import Arithmetic, Array, Pointer, resolve
from accache.ir.walk import nodes_of, rewrite, single_definitions
from accache.mapping.loops.reducing_nests import reducing_nest

LANES = 32
SECTOR = 32
"""Bytes of a sector."""
FEWEST_OUTER = 512
"""Outer loops of fewer iterations, where their number is a constant, fill a GPU better with a block for each."""
FEWEST = 64
"""Inner loops of fewer iterations, where their number is a constant, would leave warps without work."""


def with_crosswise_loops(piece: Stmt, region: Region) -> Stmt:
    """The body of a parallel construct whose nest is to be spread so; the body itself where it is not."""
    outer, loops = reducing_nest(piece, region)
    if outer is None or not _saves(outer, loops):
        return piece

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or node.loop is None:
            return node
        levels = frozenset(("gang", "vector") if node.location == outer.location else ("worker",))
        return replace(node, loop=replace(node.loop, levels=levels, is_crosswise=node.location == outer.location))

    return rewrite(piece, change)


def _saves(outer: For, loops: Sequence[For]) -> bool:
    """Whether warps touch less than half of the sectors where their lanes have the outer loop's iterations."""
    across = canonical_loop(outer)
    assert isinstance(across, CanonicalLoop)
    if 0 < constant_trips(across) < FEWEST_OUTER:
        return False
    definitions = single_definitions(outer.body)
    usual = crosswise = 0
    for loop in loops:
        along = canonical_loop(loop)
        assert isinstance(along, CanonicalLoop)
        if 0 < constant_trips(along) < FEWEST:
            return False
        inner = {**definitions, **single_definitions(loop.body)}
        references = list(_references(loop.body))
        usual += sum(_sectors(node, along, inner) for node in references)
        crosswise += sum(_sectors(node, across, inner) for node in references)
    return 2 * crosswise < usual


def _references(stmt: Stmt) -> Iterator[Subscript]:
    """The references to elements of arrays, not those to their rows."""
    nodes = nodes_of(stmt, Subscript)
    return (node for node in nodes if not isinstance(resolve(node.type), (Array, Pointer)))


def _sectors(node: Subscript, loop: CanonicalLoop, definitions: Definitions) -> int:
    """The sectors that a reference touches in iterations of a loop that the lanes of a warp have."""
    _, subscripts = subscripts_of(node)
    found = [index_polynomial(item, definitions) for item in subscripts]
    slopes = [index.coefficient(loop.variable) if index is not None else None for index in found]
    rates = [slope.constant_value if slope is not None else None for slope in slopes]
    plain = resolve(node.type)
    size = plain.size if isinstance(plain, Arithmetic) else SECTOR
    if any(rates[:-1]) or None in rates:
        return LANES
    rate = rates[-1]
    assert rate is not None
    return min(LANES, max(1, abs(rate * loop.step) * size * LANES // SECTOR))
