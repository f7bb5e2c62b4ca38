"""Loops inside a parallel one that carry no directive, but may run in parallel: they get the lanes of a warp.

Before: ``#pragma acc parallel loop`` over rows, each of which one thread walks through. After, as if the user had
written it, the loop over a row's elements is a parallel one, too, and neighbouring threads touch neighbouring elements.

Only where the dependence test proves the iterations independent, where they are what the outer iteration consists of,
and where more references go along the inner loop than along the outer one; never where the user spelled out levels, nor
where loops of a construct hand arrays to each other: no barrier parts gangs, so each has its iterations in one order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from accache.analysis.calls import collective_calls
from accache.analysis.canonical import canonical_loop, constant_trips
from accache.analysis.loop_context import EVERYWHERE, Definitions, LoopContext, subscripts_of
from accache.analysis.member_variables import MemberVariables
from accache.analysis.uniformity import written_arrays
from accache.ir.as_polynomial import index_polynomial, residue_polynomial
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.openacc.regions import GANGS, LoopSpec, Region
from accache.ir.tree import Block, Cache, Expr, For, Stmt, Subscript
from accache.ir.types import Array, Pointer, resolve
from accache.ir.walk import (
    assigned_variables,
    children,
    declared_variables,
    nodes_of,
    rewrite,
    single_definitions,
    used_variables,
    walk,
)
from accache.mapping.parallelism import sequential_reason

FEWEST = 8
"""Loops of fewer iterations, where their number is a constant, stay with one thread.

But for odd numbers, such as the parts of a point, where a loop is all that an iteration does: no access has as many
elements, so that threads would stride through memory.
"""


def with_parallel_inner_loops(region: Region) -> Stmt:
    """The body of a region, its provably independent inner loops marked as loops that may be spread."""
    if region.kind != "parallel" or any(item.is_array for item in region.reductions):
        return region.body

    passed = _passed_on(list(_nests(region.body)))

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if not isinstance(node, For) or node.loop is None:
            return node
        keeps_its_thread = not node.loop.levels and not passed.isdisjoint(used_variables(node))
        return node if keeps_its_thread else _marked(node, region)

    body = rewrite(region.body, change)
    assert isinstance(body, Stmt)
    return body


def _nests(stmt: Stmt | Expr) -> Iterator[For]:
    """The outermost loops with directives, but for those that say ``seq``."""
    if isinstance(stmt, For) and stmt.loop is not None and not stmt.loop.seq:
        yield stmt
    else:
        for child in children(stmt):
            yield from _nests(child)


def _passed_on(nests: list[For]) -> frozenset[str]:
    """The arrays that one of some loops writes and another one uses."""
    written = [written_arrays(nest) for nest in nests]
    used = Counter(name for nest in nests for name in used_variables(nest))
    return frozenset(name for names in written for name in names if used[name] > 1)


def _marked(outer: For, region: Region) -> For:
    """A loop with a directive, the loops in it marked; the loop itself where they are not to be."""
    spec = outer.loop
    assert spec is not None
    if spec.seq or spec.auto or spec.collapse > 1 or spec.reductions or spec.levels - set(GANGS) or spec.tile:
        return outer
    loops = list(_outermost_loops(outer.body))
    if not loops or any(collective_calls(outer.body)) or any(_has_directive(node) for node in walk(outer.body)):
        return outer
    members = MemberVariables.of(region)
    around = members.loop(outer)
    definitions = single_definitions(around.body)
    place = EVERYWHERE.inside(around, definitions)
    fewest = 3 if _is_all(outer.body, loops) else FEWEST
    if not all(_is_worth_lanes(members.loop(loop), around, definitions, fewest) for loop in loops):
        return outer
    if not all(_is_independent(loop, region, place) for loop in loops):
        return outer

    def change(node: Expr | Stmt) -> Expr | Stmt:
        if isinstance(node, For) and any(node is loop for loop in loops):
            return replace(node, loop=LoopSpec(node.location, auto=True, independent=True))
        if isinstance(node, Cache) and isinstance(node.body, For) and node.body.loop is not None:
            return _inside_out(node, node.body)
        return node

    return replace(outer, body=rewrite(outer.body, change))


def _outermost_loops(stmt: Stmt) -> Iterator[For]:
    """The loops of an iteration's own statements; nothing else in it may take long."""
    if isinstance(stmt, For):
        yield stmt
    elif isinstance(stmt, (Block, Cache)):
        for item in stmt.items if isinstance(stmt, Block) else (stmt.body,):
            yield from _outermost_loops(item)


def _is_all(stmt: Stmt, loops: list[For]) -> bool:
    """Whether a statement is one of some loops, with a cache directive at most."""
    while isinstance(stmt, Cache) or (isinstance(stmt, Block) and len(stmt.items) == 1):
        stmt = stmt.body if isinstance(stmt, Cache) else stmt.items[0]
    return any(stmt is loop for loop in loops)


def _has_directive(node: Expr | Stmt) -> bool:
    return isinstance(node, For) and node.loop is not None


def _is_independent(loop: For, region: Region, place: LoopContext) -> bool:
    """Whether the iterations of a loop at a place are proved independent."""
    canonical = canonical_loop(loop)
    if isinstance(canonical, str):
        return False
    return not sequential_reason(loop, canonical, LoopSpec(loop.location, auto=True), region, around=place)


def _is_worth_lanes(loop: For, outer: For, definitions: Definitions, fewest: int) -> bool:
    """Whether neighbouring iterations of a loop touch neighbouring elements more often than those of the outer one.

    If they do as often, whether they touch elements that lie apart less often: both may touch the same one.
    """
    canonical, around = canonical_loop(loop), canonical_loop(outer)
    if isinstance(canonical, str) or isinstance(around, str):
        return False
    trips = constant_trips(canonical)
    if 0 < trips < FEWEST and (trips < fewest or trips % 2 == 0):
        return False
    inner = {**single_definitions(loop.body), **definitions}
    references = list(nodes_of(loop.body, Subscript))
    return _neighbours(canonical, references, inner) > _neighbours(around, references, inner)


def _neighbours(loop: CanonicalLoop, references: list[Subscript], definitions: Definitions) -> tuple[int, int]:
    """How many references lead to the next element in the next iteration, and how many to that or the same one."""
    found = []
    for node in references:
        if isinstance(resolve(node.type), (Array, Pointer)):
            continue  # a row, whose elements are the references
        _, subscripts = subscripts_of(node)
        indices = [
            index_polynomial(subscript, definitions) or residue_polynomial(subscript, definitions)
            for subscript in subscripts
        ]
        rates = [index.coefficient(loop.variable) if index is not None else None for index in indices]
        steps = [
            rate.constant_value * loop.step if rate is not None and rate.constant_value is not None else None
            for rate in rates
        ]
        is_row = all(step == 0 for step in steps[:-1])
        found.append((steps[-1] in (1, -1), is_row and steps[-1] in (0, 1, -1)))
    return sum(by_one for by_one, _ in found), sum(stays for _, stays in found)


def _inside_out(cache: Cache, loop: For) -> Stmt:
    """A cache directive in front of a loop, moved to the top of its body, where the lanes are."""
    dimensions = (dimension for item in cache.subarrays for dimension in item.dimensions)
    bounds = (bound for item in dimensions for bound in (item.lower, item.length) if bound is not None)
    if frozenset[str]().union(*map(used_variables, bounds)) & (
        assigned_variables(loop.body) | declared_variables(loop)
    ):
        return cache
    return replace(loop, body=Block(loop.body.location, (replace(cache, body=loop.body),)))
