"""Loops over gangs that hold nothing but a loop over vectors: one nest over both, with workers in either or between.

Before: ``loop gang`` over the rows, and in it ``loop vector`` over the elements of a row; each block has one row.
After, as ``loop gang vector collapse(2)``: blocks have some rows and columns, threads may have several of each, and a
launch has no threads without work where rows are short. Of vectors of one or two warps blocks have several, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop
from accache.analysis.uniformity import written_arrays
from accache.ir.build import number
from accache.ir.constants import constant
from accache.ir.kernels.simt import AXES, CanonicalLoop
from accache.ir.openacc.regions import LoopSpec, Region
from accache.ir.tree import Expr, For, Stmt
from accache.ir.walk import used_variables
from accache.mapping.blocks import DEFAULT_THREADS, VECTOR_THREADS, WARP
from accache.mapping.loops.collapse import only_statement
from accache.mapping.loops.sunk_values import with_sunk_values


def with_joined_levels(region: Region) -> Stmt:
    """The body of a region; another one if it is such a nest, whose blocks the user has not counted."""
    inside = replace(region, body=with_sunk_values(region))
    found = levels_of(inside)
    if found is None:
        return inside.body if inside.body is not region.body and _is_left_open(inside) else region.body
    outer, own = found
    variables = {loop.variable for loop in map(canonical_loop, outer) if isinstance(loop, CanonicalLoop)}
    is_counted = not any(isinstance(canonical_loop(loop), str) for loop in own)
    is_apart = is_counted and not any(bounds(loop) & variables for loop in own)
    return as_one_nest(region, own[0], [*outer, *own]) if is_apart and len(variables) == len(outer) else region.body


def _is_left_open(region: Region) -> bool:
    """Whether all that a construct does is a nest of two loops of which accache chooses the levels of the inner one."""
    first = only_statement(region.body)
    if region.kind != "parallel" or region.reductions or not isinstance(first, For) or first.loop is None:
        return False
    inner = only_statement(first.body)
    own = inner.loop if isinstance(inner, For) else None
    is_open = not first.loop.seq and first.loop.collapse == 1 and _says_no_more(region, first.loop, {"gang"})
    is_open = is_open and not _changes_own_arrays(region)
    return is_open and own is not None and not (own.levels or own.seq or own.reductions or region.is_unproved(own))


def levels_of(region: Region) -> tuple[list[For], list[For]] | None:
    """The loops over gangs, and over workers, of such a nest, and those over vectors; None if it is none."""
    first = only_statement(region.body)
    if region.kind != "parallel" or region.gangs or region.reductions or not isinstance(first, For):
        return None
    if first.loop is None or first.loop.seq or not _says_no_more(region, first.loop, {"gang", "worker"}):
        return None
    if _changes_own_arrays(region):
        return None
    if "worker" in first.loop.levels and region.size("worker"):
        return None
    outer = list(_nest(first, first.loop.collapse))
    inner = only_statement(outer[-1].body)
    for level in ("gang", "worker"):
        if isinstance(inner, For) and inner.loop is not None and inner.loop.levels == {level}:
            if not _says_no_more(region, inner.loop, {level}) or (level == "worker" and region.size("worker")):
                return None
            outer += _nest(inner, inner.loop.collapse)
            inner = only_statement(outer[-1].body)
    own = inner.loop if isinstance(inner, For) else None
    if not isinstance(inner, For) or own is None or own.seq or region.is_unproved(own):
        return None
    if own.levels - {"worker"} != {"vector"} and (own.levels or "gang" not in first.loop.levels):
        return None  # a loop inside of one over gangs that names no level is for vectors
    vectors = list(_nest(inner, own.collapse))
    return None if own.reductions or own.forced or own.tile or len(vectors) < own.collapse else (outer, vectors)


def as_one_nest(region: Region, inner: For, loops: list[For]) -> Stmt:
    """The body of a region whose ``loops``, over gangs and over vectors, are one nest; ``inner`` names the vectors."""
    first, own = only_statement(region.body), inner.loop
    if len(loops) > len(AXES):
        return region.body
    assert isinstance(first, For)
    assert first.loop is not None
    assert own is not None
    levels = own.levels | {"gang", "vector"}
    sizes = _sizes(region, own)
    both = replace(own, location=first.loop.location, levels=levels, collapse=len(loops), sizes=sizes)
    result: Stmt = loops[-1].body
    for loop in reversed(loops):
        result = replace(loop, loop=both if loop is loops[0] else None, body=result)
    return result


def _changes_own_arrays(region: Region) -> bool:
    """Whether gangs change arrays of their own, of which a block has one: it goes through its rows one by one."""
    own = {item.name for item in (*region.private, *region.firstprivate) if item.is_array}
    return bool(own & written_arrays(region.body))


def _sizes(region: Region, own: LoopSpec) -> tuple[tuple[str, Expr], ...]:
    """The sizes of a nest: where blocks of one short vector would leave much of a GPU without work, of several ones."""
    vector = own.size("vector") or region.size("vector")
    threads = constant(vector) if vector is not None else None
    if vector is None or threads is None or not WARP <= threads < VECTOR_THREADS or region.size("worker") is not None:
        return own.sizes
    return (("vector", number(DEFAULT_THREADS, vector.location)),)


def _says_no_more(region: Region, spec: LoopSpec, levels: set[str]) -> bool:
    """Whether a directive says no more of loops, which are independent, than that some levels share them."""
    told = spec.sizes or spec.private or spec.reductions or spec.forced or spec.tile
    return spec.levels <= levels and not told and not region.is_unproved(spec)


def _nest(loop: For, count: int) -> Iterator[For]:
    """So many loops, each of which holds nothing but the next; fewer where there is more between them."""
    current: Stmt = loop
    while count and isinstance(current, For):
        yield current
        current, count = only_statement(current.body), count - 1


def bounds(loop: For) -> frozenset[str]:
    """The variables in a loop's bounds."""
    canonical = canonical_loop(loop)
    if isinstance(canonical, str):
        return frozenset()
    return used_variables(canonical.first) | used_variables(canonical.limit)
