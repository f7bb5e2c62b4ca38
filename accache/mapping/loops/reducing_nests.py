"""Nests of a loop that gangs share around loops that reduce: whose threads may be given to the levels in other ways."""

from __future__ import annotations

from collections.abc import Iterator

from accache.analysis.calls import collective_calls, has_effect
from accache.analysis.canonical import canonical_loop
from accache.ir.constants import constant
from accache.ir.openacc.regions import LoopSpec, Region
from accache.ir.tree import Assign, Atomic, Cache, Declare, Evaluate, For, If, Stmt
from accache.ir.types import Array, Record, resolve
from accache.ir.walk import items_of, nodes_of, walk
from accache.mapping.loops.collapse import only_statement


def reducing_nest(
    piece: Stmt, region: Region, vector: int = 0, in_conditions: bool = False
) -> tuple[For | None, tuple[For, ...]]:
    """The outer and the inner loops of a parallel construct that is such a nest; None and no loops if it is none.

    The user has left open how many threads there are, or asked for vectors of as many as ``vector`` says (0: of none),
    and an iteration of the outer loop holds nothing that its threads would have to share. Inner loops may stand
    ``in_conditions``.
    """
    outer = only_statement(piece)
    if region.kind != "parallel" or not _leaves_open(region, vector) or region.reductions or not isinstance(outer, For):
        return None, ()
    items = tuple(_branches(outer.body)) if in_conditions else items_of(outer.body)
    loops = tuple(item for item in items if isinstance(item, For))
    is_open = loops and _is_open(outer, {"gang"}) and all(_is_open(loop, {"vector"}, vector) for loop in loops)
    if not is_open:
        return None, ()
    is_plain = all(map(_is_plain, items)) and _has_own_scalars(outer, len(loops))
    is_one = is_plain and any(loop.loop and loop.loop.reductions for loop in loops)
    return (outer, loops) if is_one else (None, ())


def _is_open(loop: For, levels: set[str], vector: int = 0) -> bool:
    """Whether a loop is said to be parallel, and no more of how than some levels, and as long vectors."""
    spec = loop.loop
    if spec is None or spec.seq or spec.auto or isinstance(canonical_loop(loop), str):
        return False
    is_plain = spec.collapse == 1 and not spec.tile and not spec.private
    return spec.levels <= levels and _leaves_open(spec, vector) and is_plain


def _leaves_open(holder: Region | LoopSpec, vector: int) -> bool:
    """Whether nothing has a size but vectors, of which each has so many threads."""
    return all(level == "vector" and constant(size) == vector for level, size in holder.sizes)


def _is_plain(item: Stmt) -> bool:
    """Whether all threads of an iteration may do a statement, or one for all: nobody waits for what it gives."""
    if isinstance(item, Evaluate):
        expr = item.expr
        return isinstance(expr, Assign) and not has_effect(expr.value) and not has_effect(expr.target)
    is_known = isinstance(item, Declare) and (item.init is None or not has_effect(item.init))
    return isinstance(item, For) or (is_known and _is_scalar(item))


def _is_scalar(item: Stmt) -> bool:
    return isinstance(item, Declare) and not item.static and not isinstance(resolve(item.type), (Array, Record))


def _branches(body: Stmt) -> Iterator[Stmt]:
    """The statements of a body, those in the branches of conditions in the place of these."""
    for item in items_of(body):
        if isinstance(item, If) and not has_effect(item.condition):
            yield from _branches(item.then)
            yield from _branches(item.otherwise) if item.otherwise is not None else ()
        else:
            yield item


def _has_own_scalars(outer: For, loops: int) -> bool:
    """Whether iterations have nothing but scalars for themselves, and directives are those of so many inner loops."""
    assert outer.loop is not None
    if outer.loop.reductions or any(collective_calls(outer.body)):
        return False
    inner = [node for node in nodes_of(outer.body, For) if node.loop is not None]
    if len(inner) > loops:
        return False
    if any(item.is_array for loop in inner if loop.loop for item in loop.loop.reductions):
        return False
    others = (node for node in walk(outer.body) if isinstance(node, (Cache, Atomic, Declare)))
    return all(isinstance(node, Declare) and _is_scalar(node) for node in others)
