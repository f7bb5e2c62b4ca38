"""Sequential loops over chunks, and loops through a chunk each: one loop over all, where no tile holds a chunk.

Before::

    for (int t = 0; t < n; t += 128)
        for (int j = t; j < t + 128 && j < n; ++j)
            sum += a[i*n + j] * x[j];

After, in the same order, ``for (int j = 0; j < n; ++j)``: that is known to run ``n`` times, so that neighbours can be
loaded at once. ``const int end = t + 128 < n ? t + 128 : n;`` in front of ``j < end`` says the same.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop
from accache.analysis.uniformity import leaving_jumps
from accache.ir.as_polynomial import polynomial_of, smaller_of
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Declare, Expr, For, Stmt, Variable
from accache.ir.types import integer_of, unqualified
from accache.ir.walk import items_of, rewrite, used_variables, varying_variables


def with_joined_chunks(body: Stmt) -> Stmt:
    """A kernel's body without such loops over chunks; the body itself if it has none."""
    return rewrite(body, lambda node: _joined(node) if isinstance(node, For) else node, For)


def _joined(outer: For) -> For:
    """A loop over all that a loop over chunks goes through; that loop itself if it is none."""
    chunks = canonical_loop(outer)
    *before, inner = items_of(outer.body) or (None,)
    if isinstance(chunks, str) or outer.loop is not None or not isinstance(inner, For) or inner.loop is not None:
        return outer
    end = before[0] if before and isinstance(before[0], Declare) else None
    if len(before) > (end is not None) or not _counts_up(chunks) or not isinstance(outer.init[0], Declare):
        return outer
    if end is not None and unqualified(end.type) != unqualified(chunks.type):
        return outer  # which may hold another number than it gets
    limit = polynomial_of(chunks.limit)
    test = inner.condition
    if limit is None or not isinstance(test, Binary) or limit.names & varying_variables(outer):
        return outer
    whole = Polynomial.symbol(chunks.variable) + chunks.step
    start = inner.init[0] if inner.init else None
    if not isinstance(start, Declare) or start.init is None or _limits(test, start.name, end) != {whole, limit}:
        return outer
    condition = rewrite(outer.condition, _renaming(chunks.variable, start.name)) if outer.condition else None
    joined = replace(inner, init=(replace(start, init=chunks.first),), condition=condition)
    own = canonical_loop(joined)
    is_counted = isinstance(own, CanonicalLoop) and own.step == 1 and own.type == chunks.type
    begins = polynomial_of(start.init) == Polynomial.symbol(chunks.variable)
    depends = used_variables(inner.body) & {chunks.variable, end.name if end is not None else ""}
    return joined if is_counted and begins and not depends and not any(leaving_jumps(inner.body)) else outer


def _counts_up(chunks: CanonicalLoop) -> bool:
    """Whether a loop over chunks counts up, by a type whose sums do not wrap."""
    return chunks.operator == "<" and chunks.step > 0 and not integer_of(chunks.type).unsigned


def _limits(test: Binary, variable: str, end: Declare | None) -> set[Polynomial | None]:
    """The two values below which a loop's variable stays; none for another condition, or if that is not the end."""
    tests = (test.left, test.right) if test.op == "&&" else (test,)
    limits: list[Expr] = []
    for item in tests:
        if isinstance(item, Binary) and item.op == "<" and isinstance(item.left, Variable):
            limits += [item.right] if item.left.name == variable else []
    if len(limits) < len(tests):
        return set()
    if end is not None:
        is_end = len(limits) == 1 and isinstance(limits[0], Variable) and limits[0].name == end.name
        return smaller_of(end.init) if is_end and end.init is not None else set()
    return {polynomial_of(limit) for limit in limits} if len(limits) > 1 else smaller_of(limits[0])


def _renaming(variable: str, name: str) -> Callable[[Expr | Stmt], Expr | Stmt]:
    """What puts one variable into the place of another one."""
    return lambda node: replace(node, name=name) if isinstance(node, Variable) and node.name == variable else node
