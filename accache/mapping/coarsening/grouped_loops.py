"""Loops that go through neighbouring iterations in groups, whose elements one access loads or stores.

Before, the iterations of a lane are a block's width apart::

    for (int j = threadIdx.x; j < n; j += 128)
        sum += a[i*n + j] * x[j];

After, where the launch finds that rows are multiples of four elements::

    for (int j_base = 4*threadIdx.x; j_base < n; j_base += 512)
        for (int dj = 0; dj < 4; ++dj) {
            const int j = j_base + dj;
            sum += a[i*n + j] * x[j];
        }

So do threads that each walk along a row of their own: one access of sixteen bytes then takes half of a sector, of which
four accesses would take an eighth each.
"""

from __future__ import annotations

from msgspec.structs import replace

from accache.analysis.calls import collective_calls
from accache.analysis.canonical import canonical_loop, constant_trips, may_pass_end
from accache.analysis.uniformity import leaving_jumps
from accache.analysis.unrollable import UNROLLED
from accache.ir.as_polynomial import index_polynomial
from accache.ir.build import BOOL, INT, counting_type, number
from accache.ir.kernels.simt import CanonicalLoop, ParallelFor
from accache.ir.names import user_name
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Assign, Atomic, Binary, Block, Declare, Expr, For, Label, Stmt, Unary, Variable
from accache.ir.types import as_const, integer_of, unqualified
from accache.ir.walk import items_of, rewrite, walk
from accache.mapping.mapped import MappedKernel

Lengths = tuple[Polynomial, ...]
"""The lengths of the loops that were changed."""


def with_groups_of_lanes(kernel: MappedKernel, count: int) -> tuple[MappedKernel, Lengths]:
    """A kernel whose lanes take groups of ``count`` iterations of the loops that they share, and their lengths."""
    lengths: dict[Polynomial, None] = {}

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, ParallelFor) or not _is_shared_by_lanes(node, kernel):
            return node
        length = _length(node.loop)
        if length is None:
            return node
        lengths[length] = None
        body = _group(node.loop, node.body, count)
        return replace(node, loop=replace(node.loop, variable=_base(node.loop), step=count), body=body, groups=True)

    return replace(kernel, body=rewrite(kernel.body, change, ParallelFor)), tuple(lengths)


def with_groups_of_threads(kernel: MappedKernel, count: int) -> tuple[MappedKernel, Lengths]:
    """The same of innermost loops that each thread goes through for itself."""
    lengths: dict[Polynomial, None] = {}

    def change(node: Expr | Stmt) -> Expr | Stmt:
        canonical = canonical_loop(node) if isinstance(node, For) and _is_innermost(node) else ""
        length = _length(canonical) if isinstance(canonical, CanonicalLoop) else None
        if not isinstance(node, For) or not isinstance(canonical, CanonicalLoop) or length is None:
            return node
        lengths[length] = None
        where, own = node.location, unqualified(canonical.type)
        base = Variable(own, where, _base(canonical))
        start = Declare(where, base.name, own, canonical.first)
        condition = Binary(BOOL, where, "<", base, canonical.limit)
        step = Assign(own, where, "+=", base, number(count, where))
        # a compiler that unrolls this loop, too, no longer finds that addresses are aligned
        return For(where, (start,), condition, step, _group(canonical, node.body, count), unrolled=1)

    return replace(kernel, body=rewrite(kernel.body, change, For)), tuple(lengths)


def _is_shared_by_lanes(loop: ParallelFor, kernel: MappedKernel) -> bool:
    """Whether all lanes of a block go through a loop's iterations, each for itself."""
    is_alone = (loop.block, loop.grid, loop.covered, loop.per_thread) == ("x", "", False, 1)
    return is_alone and kernel.shape.block[0] > 1 and _is_plain(loop.body) and not _has_loops(loop.body, ParallelFor)


def _is_innermost(loop: For) -> bool:
    """Whether a sequential loop has its variable for itself, no other loop in it, and so many iterations."""
    start = loop.init[0] if len(loop.init) == 1 else None
    canonical = canonical_loop(loop)
    if not isinstance(start, Declare) or isinstance(canonical, str) or loop.unrolled:
        return False
    is_short = 0 < constant_trips(canonical) <= UNROLLED
    return not is_short and _is_plain(loop.body) and not _has_loops(loop.body, For, ParallelFor)


def _is_plain(body: Stmt) -> bool:
    """Whether the statements of an iteration go to its end, each thread for itself."""
    has_others = any(isinstance(node, (Label, Atomic)) for node in walk(body))
    return not has_others and not any(leaving_jumps(body)) and not any(collective_calls(body))


def _has_loops(body: Stmt, *kinds: type[Stmt]) -> bool:
    return any(isinstance(node, kinds) for node in walk(body))


def _length(loop: CanonicalLoop) -> Polynomial | None:
    """The number of iterations of a loop that counts up by one; None if it does not, or that is no polynomial."""
    kind = integer_of(loop.type)
    if loop.step != 1 or loop.operator != "<" or kind.size < INT.size or (kind.unsigned and may_pass_end(loop, 1)):
        return None
    first, limit = index_polynomial(loop.first), index_polynomial(loop.limit)
    return limit - first if first is not None and limit is not None else None


def _base(loop: CanonicalLoop) -> str:
    """The variable that holds the first iteration of a group."""
    return f"{user_name(loop.variable)}_base#{loop.variable}"


def _group(loop: CanonicalLoop, body: Stmt, count: int) -> For:
    """The iterations of a group, one after the other."""
    where, own = body.location, unqualified(loop.type)
    index = Variable(counting_type(own), where, f"d{user_name(loop.variable)}#{loop.variable}")
    place = Binary(own, where, "+", Variable(own, where, _base(loop)), index, is_exact=True)
    declare = Declare(where, loop.variable, as_const(own), place)
    start = Declare(where, index.name, index.type, number(0, where))
    condition = Binary(BOOL, where, "<", index, number(count, where))
    inner = Block(where, (declare, *items_of(body)))
    return For(where, (start,), condition, Unary(index.type, where, "++", index), inner, unrolled=True)
