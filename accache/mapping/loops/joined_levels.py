"""A loop over gangs that holds nothing but a loop over vectors: one nest over both, and over one of workers between.

Before: ``loop gang`` over the rows, and in it ``loop vector`` over the elements of a row; each block has one row.
After, as ``loop gang vector collapse(2)``: blocks have some rows and columns, threads may have several of each, and a
launch has no threads without work where rows are short. Of vectors of one or two warps blocks have several, too.

Strips are undone on the way: ``for (k = 0; k < n; k += 128)`` over gangs with ``for (j = k; j < min(k + 128, n); ++j)``
over vectors in it are one loop over j.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop
from accache.ir.as_polynomial import polynomial_of
from accache.ir.build import number
from accache.ir.constants import constant
from accache.ir.kernels.simt import AXES, CanonicalLoop
from accache.ir.openacc.regions import LoopSpec, Region
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Conditional, Declare, Expr, For, Stmt, Variable
from accache.ir.walk import used_variables
from accache.mapping.blocks import DEFAULT_THREADS, VECTOR_THREADS, WARP
from accache.mapping.loops.collapse import only_statement

_LESS = ("<", "<=")
_GREATER = (">", ">=")


def with_joined_levels(region: Region) -> Stmt:
    """The body of a region; another one if it is such a nest, whose blocks the user has not counted."""
    body = only_statement(region.body)
    if region.kind != "parallel" or region.gangs or region.reductions or not isinstance(body, For):
        return region.body
    spec = body.loop
    if spec is None or spec.seq or region.is_unproved(spec) or not _says_no_more(spec, {"gang"}):
        return region.body
    outer = list(_nest(body, spec.collapse))
    inner = only_statement(outer[-1].body)
    if len(outer) < spec.collapse or not isinstance(inner, For) or inner.loop is None:
        return region.body
    own = inner.loop
    is_open = region.size("worker") is None and not region.is_unproved(own) and _says_no_more(own, {"worker"})
    if own.levels == {"worker"} and is_open:
        outer += _nest(inner, own.collapse)
        inner = only_statement(outer[-1].body)
        if not isinstance(inner, For) or inner.loop is None:
            return region.body
        own = inner.loop
    if own.levels != {"vector"} or own.reductions or own.forced or own.tile or region.is_unproved(own):
        return region.body
    joined = _joined(outer, inner)
    if joined is None or len(joined) > len(AXES):
        return region.body
    levels = own.levels | {"gang"}
    both = replace(own, location=spec.location, levels=levels, collapse=len(joined), sizes=_sizes(region, own))
    result: Stmt = joined[-1].body
    for loop in reversed(joined):
        result = replace(loop, loop=both if loop is joined[0] else None, body=result)
    return result


def _sizes(region: Region, own: LoopSpec) -> tuple[tuple[str, Expr], ...]:
    """The sizes of a nest: where blocks of one short vector would leave much of a GPU without work, of several ones."""
    vector = own.size("vector") or region.size("vector")
    threads = constant(vector) if vector is not None else None
    if vector is None or threads is None or not WARP <= threads < VECTOR_THREADS or region.size("worker") is not None:
        return own.sizes
    return (("vector", number(DEFAULT_THREADS, vector.location)),)


def _says_no_more(spec: LoopSpec, levels: set[str]) -> bool:
    """Whether a directive says no more of its loops than that some levels share them."""
    told = spec.sizes or spec.private or spec.reductions or spec.forced or spec.tile
    return spec.levels <= levels and not told


def _nest(loop: For, count: int) -> Iterator[For]:
    """So many loops, each of which holds nothing but the next; fewer where there is more between them."""
    current: Stmt = loop
    while count and isinstance(current, For):
        yield current
        current, count = only_statement(current.body), count - 1


def _joined(outer: list[For], inner: For) -> list[For] | None:
    """The loops of the nest; None where the length of the inner ones depends on the outer ones."""
    loops = [canonical_loop(loop) for loop in outer]
    count = inner.loop.collapse if inner.loop else 1
    own = list(_nest(inner, count))
    if len(own) < count:
        return None
    variables = {loop.variable for loop in loops if isinstance(loop, CanonicalLoop)}
    if len(variables) < len(loops) or any(isinstance(canonical_loop(loop), str) for loop in own):
        return None
    if not any(_bounds(loop) & variables for loop in own):
        return [*outer, *own]
    strip = loops[-1]
    assert isinstance(strip, CanonicalLoop)
    if len(own) > 1 or _bounds(inner) & (variables - {strip.variable}) or strip.variable in used_variables(inner.body):
        return None
    whole = _whole(strip, inner)
    return None if whole is None else [*outer[:-1], whole]


def _bounds(loop: For) -> frozenset[str]:
    """The variables in a loop's bounds."""
    canonical = canonical_loop(loop)
    if isinstance(canonical, str):
        return frozenset()
    return used_variables(canonical.first) | used_variables(canonical.limit)


def _whole(strip: CanonicalLoop, inner: For) -> For | None:
    """The loop over all iterations of all strips; None if ``inner`` does not go through a strip."""
    loop, start = canonical_loop(inner), inner.init[0] if inner.init else None
    if isinstance(loop, str) or not isinstance(start, Declare) or loop.type != strip.type:
        return None
    variable, limit = Polynomial.symbol(strip.variable), polynomial_of(strip.limit)
    begins = polynomial_of(loop.first) == variable
    if not begins or limit is None or loop.step != 1 or (loop.operator, strip.operator) != ("<", "<"):
        return None
    if strip.step < 1 or _smaller(loop.limit) != {variable + strip.step, limit}:
        return None
    test = inner.condition
    if not isinstance(test, Binary) or test.op != "<" or not isinstance(test.left, Variable):
        return None
    return replace(inner, init=(replace(start, init=strip.first),), condition=replace(test, right=strip.limit))


def _smaller(expr: Expr) -> set[Polynomial | None]:
    """The two values of which an expression is the smaller one; none for another expression."""
    if not isinstance(expr, Conditional) or not isinstance(expr.condition, Binary):
        return set()
    left, right = polynomial_of(expr.condition.left), polynomial_of(expr.condition.right)
    chosen = (polynomial_of(expr.then), polynomial_of(expr.otherwise))
    operator = expr.condition.op
    is_smaller = (operator in _LESS and chosen == (left, right)) or (operator in _GREATER and chosen == (right, left))
    return {left, right} if is_smaller else set()
