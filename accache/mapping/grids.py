"""Which axis of the grid a nest's loops are spread over, and which loops have too many iterations for theirs.

x holds 2**31 - 1 blocks, y and z 65,535. The innermost loop is on x as a rule; where it is known to fit elsewhere, and
the loop around it may not, the two change places. Blocks stride over a loop on y or z whose trip count is a constant
beyond the limit; of a loop whose trip count only the run knows, the outermost of its nest, the kernel is launched for
slices of so many blocks as an axis holds.
"""

from __future__ import annotations

from collections.abc import Sequence

from accache.base.architectures import LARGEST_YZ
from accache.ir.as_polynomial import index_polynomial
from accache.ir.build import INT
from accache.ir.constants import constant
from accache.ir.kernels.simt import AXES, CanonicalLoop
from accache.ir.polynomial import Monomial, Polynomial
from accache.ir.tree import Binary, Stmt, Subscript
from accache.ir.types import Array, integer_of, resolve
from accache.ir.walk import nodes_of
from accache.mapping.loops.collapse import iterations
from accache.mapping.mapped import MappedKernel

STRIDED_BLOCKS = 1024
"""The blocks of a general kernel, which stride over its loops."""


def grid_axes(loops: Sequence[CanonicalLoop], threads: Sequence[int]) -> tuple[str, ...]:
    """The axes of the grid for nested loops, the innermost first, that have so many ``threads`` of a block each.

    A loop of one block leaves x without changing the order in which blocks run; one of more does so only for a loop
    that has a block for each iteration, which soon are too many.
    """
    first, *others = (_blocks(loop, extent) for loop, extent in zip(loops, threads, strict=True))
    if len(loops) != 2 or first is None or not 0 < first <= LARGEST_YZ:
        return AXES[: len(loops)]
    fits = others[0] is not None and others[0] <= LARGEST_YZ
    return ("y", "x") if not fits and (first == 1 or threads[1] == 1) else ("x", "y")


def passes_grid(loop: CanonicalLoop, axis: str, threads: int) -> bool:
    """Whether a loop has too many iterations for ``threads`` of each block on an axis of the grid."""
    blocks = _blocks(loop, threads)
    return axis in ("y", "z") and blocks is not None and blocks > LARGEST_YZ


def sliced_axis(kernel: MappedKernel) -> str:
    """The axis of the grid that may need more blocks than a launch has there, y or z; '' for none.

    Subscripts show that some loops are shorter. Where a program does not use them in all iterations, the launch ends
    with an error.
    """
    if len(kernel.shape.counted_loops) < 2 or kernel.strides:
        return ""
    loop, threads = kernel.shape.counted_loops[-1], kernel.shape.grid_threads[-1]
    is_short = 8 * integer_of(loop.type).size <= LARGEST_YZ.bit_length() or _blocks(loop, threads) is not None
    is_short = is_short or _is_squared(loop, kernel.source) or _is_inside(loop, kernel.source, LARGEST_YZ * threads)
    return "" if is_short else AXES[len(kernel.shape.counted_loops) - 1]


def _is_inside(loop: CanonicalLoop, body: Stmt, most: int) -> bool:
    """Whether a loop's variable is used in a subscript of an array that has so many elements or rows at most."""
    uses = list(nodes_of(body, Subscript))
    return any(
        isinstance(array, Array)
        and 0 < (constant(array.length) or 0) <= most
        and _has(index_polynomial(node.index), (loop.variable,))
        for node, array in ((node, resolve(node.base.type)) for node in uses)
    )


def _is_squared(loop: CanonicalLoop, body: Stmt) -> bool:
    """Whether an int is a product of a loop's variable and limit, as in ``a[i * n + j]``: its square root is short."""
    limit = index_polynomial(loop.limit)
    names = [monomial for monomial, _ in limit.terms if monomial] if limit is not None else []
    if len(names) != 1 or constant(loop.first) is None:
        return False
    square = tuple(sorted((loop.variable, *names[0])))
    products = (node for node in nodes_of(body, Binary) if node.op == "*" and node.type == INT)
    return any(_has(index_polynomial(node), square) for node in products)


def _has(polynomial: Polynomial | None, monomial: Monomial) -> bool:
    """Whether a polynomial has a monomial, with any coefficient."""
    return polynomial is not None and any(names == monomial for names, _ in polynomial.terms)


def _blocks(loop: CanonicalLoop, threads: int) -> int | None:
    """How many blocks of so many threads a loop needs; None if only the run knows."""
    trips = constant(iterations(loop))
    return None if trips is None else -(-trips // threads)
