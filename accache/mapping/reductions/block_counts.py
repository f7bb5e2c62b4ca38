"""Arrays that a loop only updates atomically: each block updates a copy of its own, in shared memory.

Before: ``for (i = 0; i < n; ++i)`` over all threads, in which ``#pragma acc atomic`` stands before ``bins[x[i]] += 1``.
After: a gang for every few thousand iterations declares an array, sets it to zero, updates it atomically, and then
adds to ``bins``, atomically, what is not zero in it.

Only integers, whose updates give the same result in any order. Elements behind the part that a copy holds, which the
program may refer to where more of the array is on the device, are updated where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop, constant_trips
from accache.base.diagnostics import Reporter
from accache.base.text import Location
from accache.ir.build import BOOL, INT, number
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.names import user_name
from accache.ir.openacc.atomics import atomic_access
from accache.ir.openacc.regions import Dimension, LoopSpec, Region, Subarray
from accache.ir.tree import (
    Assign,
    Atomic,
    Binary,
    Block,
    Cache,
    Call,
    Conditional,
    Declare,
    Evaluate,
    Expr,
    For,
    If,
    Stmt,
    Subscript,
    Unary,
    Variable,
)
from accache.ir.types import integer_of, is_integer, promoted
from accache.ir.walk import rewrite, walk
from accache.mapping.loops.collapse import only_statement
from accache.mapping.parallelism import sequential_reason
from accache.mapping.reductions.counted_arrays import CountedArray, counted_arrays, is_inside, with_atomic_reductions

MOST_BYTES = 16 << 10
"""Bytes of shared memory that copies take at most: a multiprocessor then has room for several blocks."""
ITERATIONS = 2048
"""Iterations of a gang at least; as many again for each eighth of them that a copy has elements."""
ROWS = 8
"""Iterations that a gang has of a loop around another one of unknown length."""


class _Level(Struct, frozen=True):
    """A loop of a nest, and where its directive stands."""

    loop: For
    canonical: CanonicalLoop
    where: Location


_Making = Callable[[CountedArray, Subscript, Subscript], Stmt]
"""What is done with an element of an array and that of its copy."""


def with_block_counts(piece: Stmt, region: Region, reporter: Reporter) -> Stmt:
    """A piece whose loop updates copies of arrays (ACC327); the piece itself if there is nothing to copy."""
    loop = only_statement(piece)
    if not isinstance(loop, For) or loop.loop is None:
        return piece
    loop, lengths = with_atomic_reductions(loop, loop.loop)
    nest = _nest(loop, region)
    counted = tuple(counted_arrays([level.loop for level in nest], region, lengths)) if nest else ()
    if not counted or not _has_room(counted):
        return piece
    for item in counted:
        reporter.report("ACC327", nest[0].where, name=user_name(item.variable.name), count=item.count)
    return _gangs(nest, counted)


def _nest(loop: For, region: Region) -> tuple[_Level, ...]:
    """The loops whose iterations are for gangs and vectors: one, or one in another; none if they ask for more."""
    spec = loop.loop
    if spec is None or region.kind == "serial" or region.is_unproved(spec):
        return ()
    if region.gangs or region.size("worker") or region.reductions or not _is_open(spec, ("gang", "vector")):
        return ()
    _, inner = _within(loop)
    is_nest = isinstance(inner, For) and (spec.collapse == 2 or (inner.loop is not None and not inner.loop.seq))
    if is_nest and isinstance(inner, For):
        is_closed = spec.private or (inner.loop is not None and not _is_for_vectors(spec, inner, inner.loop, region))
        found = [] if is_closed else [_level(loop), _level(inner)]
    else:
        found = [_level(loop)]
    body = inner.body if is_nest and isinstance(inner, For) else loop.body
    if spec.collapse > len(found) or any(_is_in_the_way(node) for node in walk(body)):
        return ()
    return tuple(level for level in found if level is not None) if None not in found else ()


def _within(loop: For) -> tuple[list[Cache], Stmt]:
    """The cache directives around all that a loop's body does, the outermost first, and the statement in them."""
    caches = []
    inner = only_statement(loop.body)
    while isinstance(inner, Cache):
        caches.append(inner)
        inner = only_statement(inner.body)
    return caches, inner


def _is_for_vectors(around: LoopSpec, loop: For, spec: LoopSpec, region: Region) -> bool:
    """Whether the iterations of a loop in another one are for vectors."""
    if around.collapse != 1 or "vector" in around.levels or not _is_open(replace(spec, auto=False), ("vector",)):
        return False
    canonical = canonical_loop(loop)
    if isinstance(canonical, str):
        return False
    return not region.is_unproved(spec) or not sequential_reason(loop, canonical, spec, region)


def _is_open(spec: LoopSpec, levels: tuple[str, ...]) -> bool:
    """Whether a directive leaves to us how a loop is spread, over all of these levels at most."""
    is_ours = spec.levels in (frozenset(), frozenset(levels)) or (len(levels) == 2 and spec.levels == {"gang"})
    return is_ours and not (spec.sizes or spec.tile or spec.seq or spec.reductions or spec.auto)


def _level(loop: For) -> _Level | None:
    """A loop that counts up from a constant by ones, so that parts of it have bounds that do not overflow."""
    canonical = canonical_loop(loop)
    if isinstance(canonical, str) or not _is_counting(canonical):
        return None
    return _Level(loop, canonical, loop.loop.location if loop.loop is not None else loop.location)


def _has_room(counted: Sequence[CountedArray]) -> bool:
    return sum(item.count * integer_of(item.element).size for item in counted) <= MOST_BYTES


def _is_in_the_way(node: Stmt | Expr) -> bool:
    """Whether a part of a loop asks for threads of its own, or may do anything."""
    if isinstance(node, For):
        return node.loop is not None and not node.loop.seq
    return isinstance(node, Call) and node.callee is not None


def _is_counting(canonical: CanonicalLoop) -> bool:
    """Whether a loop goes by ones from a small constant to where it ends."""
    first = constant(canonical.first)
    return (
        canonical.step == 1
        and canonical.operator == "<"
        and first is not None
        and 0 <= first < ITERATIONS
        and is_integer(canonical.limit.type)
        and integer_of(canonical.type).size >= INT.size
    )


def _gangs(nest: Sequence[_Level], counted: Sequence[CountedArray]) -> Stmt:
    """The nest as gangs that count for themselves, each a part of the outer loop."""
    outer, where = nest[0], nest[0].where
    canonical, limit = outer.canonical, outer.canonical.limit
    size = _iterations_of_gang(nest, counted)
    first = Variable(canonical.type, where, f"{user_name(canonical.variable)}_first#0{where.line}")
    left = Binary(promoted(limit.type, first.type), where, "-", limit, first)
    last = Binary(promoted(first.type, INT), where, "+", first, number(size, where))
    is_last = Binary(BOOL, where, "<", left, number(size, where))
    end = Conditional(promoted(limit.type, last.type), where, is_last, limit, last)
    copies = [Declare(where, item.copy, item.copy_type, None) for item in counted]
    items: list[Stmt] = [_over_copy(item, turn, where, _cleared) for turn, item in enumerate(counted)]
    items.append(_part(nest, first, end, counted))
    items += [_over_copy(item, turn, where, _added) for turn, item in enumerate(counted, len(counted))]
    start = Declare(where, first.name, canonical.type, canonical.first)
    condition = Binary(BOOL, where, "<", first, limit)
    step = Assign(canonical.type, where, "+=", first, number(size, where))
    body = Block(where, (*copies, _within_caches(outer.loop, Block(where, tuple(items)), counted)))
    return For(where, (start,), condition, step, body, LoopSpec(where, frozenset(("gang",)), independent=True))


def _iterations_of_gang(nest: Sequence[_Level], counted: Sequence[CountedArray]) -> int:
    """How many iterations of the outer loop a gang has: enough of them that what is done for its copies is little."""
    size = max(ITERATIONS, 8 * max(item.count for item in counted))
    if len(nest) == 1:
        return size
    inner = constant_trips(nest[1].canonical)
    return max(1, size // inner) if inner else ROWS


def _part(nest: Sequence[_Level], first: Expr, end: Expr, counted: Sequence[CountedArray]) -> For:
    """A gang's part of the outer loop; the innermost loop is the one that its threads share."""
    names = {item.variable.name: item for item in counted}

    def change(node: Stmt | Expr) -> Stmt | Expr:
        if isinstance(node, Cache):
            others = tuple(subarray for subarray in node.subarrays if subarray.variable not in names)
            return replace(node, subarrays=others) if others else node.body
        place = atomic_access(node).place if isinstance(node, Atomic) else None
        if not isinstance(node, Atomic) or not isinstance(place, Subscript) or not isinstance(place.base, Variable):
            return node
        item = names.get(place.base.name)
        if item is None:
            return node
        own, inside = _renamed(node, item), is_inside(place.index, item)
        return own if inside is None else If(node.location, inside, own, node)

    loop, canonical = nest[0].loop, nest[0].canonical
    body = rewrite(nest[-1].loop.body, change)
    assert isinstance(body, Stmt)
    spec = nest[-1].loop.loop or LoopSpec(nest[-1].where)
    vector: LoopSpec | None = replace(spec, levels=frozenset(("vector",)), collapse=1, independent=True, auto=False)
    if len(nest) == 2:
        body, vector = replace(nest[1].loop, body=body, loop=vector), None
        for cache in reversed(_within(loop)[0]):
            changed = change(replace(cache, body=body))
            assert isinstance(changed, Stmt)
            body = changed
    counter = Variable(canonical.type, loop.location, canonical.variable)
    start = Declare(loop.location, canonical.variable, canonical.type, first)
    condition = Binary(BOOL, loop.location, "<", counter, end)
    return For(loop.location, (start,), condition, loop.step, body, vector)


def _within_caches(loop: For, body: Stmt, counted: Sequence[CountedArray]) -> Stmt:
    """A gang's statements, with the directives that asked for the copies."""
    copies = {item.variable.name: item for item in counted}
    for node in walk(loop):
        if isinstance(node, Cache):
            found = (subarray for subarray in node.subarrays if subarray.variable in copies)
            own = tuple(_of_copy(subarray, copies[subarray.variable]) for subarray in found)
            body = replace(node, subarrays=own, body=body) if own else body
    return body


def _of_copy(subarray: Subarray, item: CountedArray) -> Subarray:
    where = subarray.location
    whole = Dimension(number(0, where), number(item.count, where))
    return replace(subarray, base=Variable(item.copy_type, where, item.copy), dimensions=(whole,))


def _renamed(node: Atomic, item: CountedArray) -> Atomic:
    """An update of a copy in the place of the array."""

    def change(part: Stmt | Expr) -> Stmt | Expr:
        is_array = isinstance(part, Variable) and part.name == item.variable.name
        return Variable(item.copy_type, part.location, item.copy) if is_array else part

    result = rewrite(node, change)
    assert isinstance(result, Atomic)
    return result


def _cleared(item: CountedArray, element: Subscript, own: Subscript) -> Stmt:
    where = own.location
    return Evaluate(where, Assign(item.element, where, "=", own, number(0, where)))


def _added(item: CountedArray, element: Subscript, own: Subscript) -> Stmt:
    """What is in a copy, unless that changes nothing, comes to the array."""
    where = own.location
    update = Atomic(where, "update", Evaluate(where, Assign(item.element, where, f"{item.operator}=", element, own)))
    return If(where, Binary(BOOL, where, "!=", own, number(0, where)), update)


def _over_copy(item: CountedArray, turn: int, where: Location, made: _Making) -> For:
    """A loop over the elements of a copy, which a gang's threads share."""
    spec = LoopSpec(where, frozenset(("vector",)), independent=True)
    index = Variable(INT, where, f"k#0{where.line}{turn}")
    own = Subscript(item.element, where, Variable(item.copy_type, where, item.copy), index)
    element = Subscript(item.element, where, Variable(item.variable.type, where, item.variable.name), index)
    body = made(item, element, own)
    start = Declare(where, index.name, INT, number(0, where))
    condition = Binary(BOOL, where, "<", index, number(item.count, where))
    return For(where, (start,), condition, Unary(INT, where, "++", index), body, spec)
