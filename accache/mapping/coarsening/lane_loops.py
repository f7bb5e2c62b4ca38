"""Loops that a block's lanes share, whose lanes take neighbouring iterations: what they load then is wide.

Before, a lane's iterations are a block's width apart::

    for (int j = threadIdx.x; j < n; j += 128)
        sum += a[i*n + j] * x[j];

After, where the launch finds that rows are multiples of four elements::

    for (int j_base = 4*threadIdx.x; j_base < n; j_base += 512)
        for (int dj = 0; dj < 4; ++dj) {
            const int j = j_base + dj;
            sum += a[i*n + j] * x[j];
        }
"""

from __future__ import annotations

from msgspec.structs import replace

from accache.analysis.calls import collective_calls
from accache.analysis.uniformity import leaving_jumps
from accache.ir.as_polynomial import index_polynomial
from accache.ir.build import BOOL, INT, number
from accache.ir.names import user_name
from accache.ir.polynomial import Polynomial
from accache.ir.simt import CanonicalLoop, ParallelFor
from accache.ir.tree import Atomic, Binary, Block, Declare, Expr, For, Label, Stmt, Unary, Variable
from accache.ir.types import as_const, integer_of, unqualified
from accache.ir.walk import items_of, rewrite, walk
from accache.mapping.mapped import MappedKernel


def with_neighbouring_iterations(kernel: MappedKernel, count: int) -> tuple[MappedKernel, tuple[Polynomial, ...]]:
    """A kernel whose lanes take ``count`` neighbouring iterations at a time, and what must be multiples of ``count``.

    Those are the lengths of the loops that were changed; where there are none, the kernel is as it was.
    """
    lengths: dict[Polynomial, None] = {}

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, ParallelFor) or not _is_shared_by_lanes(node, kernel):
            return node
        first, limit = index_polynomial(node.loop.first), index_polynomial(node.loop.limit)
        if first is None or limit is None:
            return node
        lengths[limit - first] = None
        return _in_groups(node, count)

    return replace(kernel, body=rewrite(kernel.body, change)), tuple(lengths)


def _is_shared_by_lanes(loop: ParallelFor, kernel: MappedKernel) -> bool:
    """Whether all lanes of a block go through a loop's iterations, each for itself."""
    inside = walk(loop.body)
    is_alone = (loop.block, loop.grid, loop.covered, loop.per_thread) == ("x", "", False, 1)
    is_plain = not any(isinstance(node, (ParallelFor, Label, Atomic)) for node in inside)
    jumps = any(leaving_jumps(loop.body)) or any(collective_calls(loop.body))
    return is_alone and is_plain and not jumps and kernel.block[0] > 1 and _counts_up(loop.loop)


def _counts_up(loop: CanonicalLoop) -> bool:
    kind = integer_of(loop.type)
    return loop.step == 1 and loop.operator == "<" and not kind.unsigned and kind.size >= INT.size


def _in_groups(loop: ParallelFor, count: int) -> ParallelFor:
    """A loop over every ``count``-th iteration, around one over those from there on."""
    canonical, where = loop.loop, loop.location
    base, own = f"{user_name(canonical.variable)}_base#{canonical.variable}", unqualified(canonical.type)
    index = Variable(INT, where, f"d{user_name(canonical.variable)}#{canonical.variable}")
    place = Binary(own, where, "+", Variable(own, where, base), index)
    declare = Declare(where, canonical.variable, as_const(own), place)
    body = Block(where, (declare, *items_of(loop.body)))
    start = Declare(where, index.name, INT, number(0, where))
    condition = Binary(BOOL, where, "<", index, number(count, where))
    inner = For(where, (start,), condition, Unary(INT, where, "++", index), body, unrolled=True)
    return replace(loop, loop=replace(canonical, variable=base, step=count), body=inner, groups=True)
