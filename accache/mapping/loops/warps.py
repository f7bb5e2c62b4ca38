"""Nests of a loop that gangs share around loops that reduce: each iteration of the outer loop gets a warp.

Before: a block of 128 threads has a row of a matrix, and its warps hand each other their sums by shared memory, with
two barriers. After: each of the four warps of a block has a row of its own, and lanes exchange their sums.

Few rows, or long ones, fill a GPU better with a block each: the launch decides. Long rows that are walked again stay in
L1 only where a block has one, and not each of its warps. With ``vector_length(32)`` a row has a
warp in either case, and only few rows are better off with a block each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop, constant_trips, loop_variable
from accache.analysis.loop_context import subscripts_of
from accache.analysis.uniformity import written_arrays
from accache.ir.as_polynomial import index_polynomial
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop, ParallelFor
from accache.ir.openacc.regions import Region
from accache.ir.polynomial import Polynomial
from accache.ir.sizes import sizeof
from accache.ir.tree import Assign, Expr, For, Stmt, Subscript, Variable
from accache.ir.walk import nodes_of, rewrite, single_definitions, walk
from accache.mapping.loops.reducing_nests import reducing_nest
from accache.mapping.mapped import FEW_THREADS, MappedKernel

LANES = 32
LONGEST = 4096
"""A row of more elements keeps a block's threads busy."""
ROW_BYTES = 2048
"""Of a longer row that a warp walks again, L1 has lost what it loaded: 64 warps share it, and what they read beside."""
REGISTER_BYTES = 4
IN_REGISTERS = 1024
"""Rows of so many elements at most are kept in the registers of a warp's lanes, if these hold one each."""


def with_a_warp_an_iteration(piece: Stmt, region: Region) -> Stmt:
    """The body of a parallel construct whose nest is to be spread so; the body itself where it is not."""
    outer, loops = reducing_nest(piece, region, LANES, in_conditions=True)
    if outer is None or 0 < _length(outer) < FEW_THREADS // LANES:
        return piece
    is_asked_for = bool(region.sizes) or any(loop.loop and loop.loop.sizes for loop in loops)
    longest = max(IN_REGISTERS, longest_row(outer, loops))
    if not is_asked_for and any(_length(loop) > longest for loop in loops):
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
        and not any(loop.grid and loop.block == "x" for loop in nodes_of(kernel.body, ParallelFor))
    )


def lengths_for_lanes(kernel: MappedKernel) -> tuple[Polynomial, ...]:
    """The numbers of iterations that a warp has in a kernel for long rows' sake, as far as its launch knows them."""
    if (
        not has_warp_an_iteration(kernel)
        or kernel.variants.lengthwise is None
        or kernel.variants.lengthwise.shape.threads == LANES
    ):
        return ()
    loops = (node for node in nodes_of(kernel.body, ParallelFor) if node.block == "x")
    ends = ((index_polynomial(node.loop.first), index_polynomial(node.loop.limit)) for node in loops if not node.grid)
    found = (limit - first for first, limit in ends if first is not None and limit is not None)
    known = kernel.launched_numbers
    return tuple(dict.fromkeys(item for item in found if item.names and item.names <= known))


def longest_of_lanes(kernel: MappedKernel) -> int:
    """How many iterations the loops of such a kernel have at most for a warp to do better with them than a block."""
    found = [node for node in nodes_of(kernel.source, For) if node.loop is not None]
    outer = next((loop for loop in found if loop.loop is not None and "gang" in loop.loop.levels), None)
    return longest_row(outer, [loop for loop in found if loop is not outer]) if outer is not None else LONGEST


def longest_row(outer: For, loops: Sequence[For]) -> int:
    """The same of a loop over rows, and of those over the lanes of a warp in it."""
    definitions = single_definitions(outer.body)
    walks = [(row, loop) for loop in loops for row in _rows(outer, loop, definitions)]
    again = [row for row, times in Counter(row for row, _ in walks).items() if times > 1]
    written = written_arrays(outer.body)
    kept = [row for row in again if row[0] not in written and _are_alike(loop for other, loop in walks if other == row)]
    registers = sum(-(-size // REGISTER_BYTES) for _, size, _ in kept)
    held_by_l1 = [ROW_BYTES // row[1] for row in again if row not in kept]
    return min([LONGEST, *held_by_l1, *([IN_REGISTERS // registers] if registers else [])])


def _are_alike(loops: Iterable[For]) -> bool:
    """Whether loops have the same first values, which are constants, and limits."""
    found = [loop for loop in map(canonical_loop, loops) if isinstance(loop, CanonicalLoop)]
    is_known = all(constant(loop.first) is not None for loop in found)
    return is_known and len({(constant(loop.first), index_polynomial(loop.limit)) for loop in found}) == 1


def _rows(outer: For, loop: For, definitions: Mapping[str, Expr]) -> set[tuple[str, int, tuple[Polynomial, ...]]]:
    """The arrays of whose rows a loop loads elements, the size of one, and the place in its first iteration."""
    row, lane = loop_variable(outer) or "", loop_variable(loop) or ""
    assigned = {id(node.target) for node in nodes_of(loop.body, Assign) if node.op == "="}
    found = set()
    for node in walk(loop.body):
        if not isinstance(node, Subscript) or id(node) in assigned:
            continue
        base, subscripts = subscripts_of(node)
        places = [index_polynomial(subscript, definitions) for subscript in subscripts]
        names = frozenset[str]().union(*(place.names for place in places if place is not None))
        if isinstance(base, Variable) and None not in places and {row, lane} <= names:
            first = (place.substitute({lane: Polynomial.symbol("")}) for place in places if place is not None)
            found.add((base.name, sizeof(node.type), tuple(first)))
    return found


def _length(loop: For) -> int:
    """How many iterations a loop has, 0 if that is no constant."""
    canonical = canonical_loop(loop)
    assert isinstance(canonical, CanonicalLoop)
    return constant_trips(canonical)
