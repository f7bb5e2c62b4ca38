"""Parallel loops with a step that only the run knows, made loops over the number of the iteration.

Before: ``for (int i = first; i < limit; i += step)``. After::

    for (long long i_number = 0; i_number < (limit > first ? (limit - first - 1) / step + 1 : 0); ++i_number) {
        const int i = first + i_number * step;
        ...
    }

A step leads towards the limit, or C does not say that the loop ends: that of ``i > limit; i += step`` is below zero.
The variables of the loops of a ``collapse`` are all declared in the innermost one.
"""

from __future__ import annotations

from msgspec.structs import replace

from accache.analysis.calls import has_effect
from accache.analysis.canonical import canonical_loop, signed_step
from accache.analysis.uniformity import written_arrays
from accache.ir.build import BOOL, INT, WIDE, number
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.openacc.regions import Region
from accache.ir.tree import Binary, Block, Cast, Conditional, Declare, Expr, For, Stmt, Unary, Variable
from accache.ir.types import as_const, integer_of, is_integer
from accache.ir.walk import assigned_variables, items_of, rewrite, used_variables
from accache.mapping.loops.collapse import iterations, only_statement


def with_numbered_iterations(body: Stmt, region: Region) -> Stmt:
    """A region's body; loops that need not be parallel, and those with another form, stay as they are."""
    own = {item.name for item in region.private}

    def change(node: Expr | Stmt) -> Expr | Stmt:
        spec = node.loop if isinstance(node, For) else None
        if not isinstance(node, For) or spec is None or spec.seq or spec.forced or region.is_unproved(spec):
            return node
        return _numbered(node, spec.collapse, own | {item.name for item in spec.private}) or node

    return rewrite(body, change) if region.kind != "serial" else body


def _numbered(loop: For, count: int, private: set[str]) -> For | None:
    """The nest of ``count`` loops with no step that is no constant; None if that is how it is, or cannot be.

    Of ``private`` variables the bodies of the loops have copies without a value.
    """
    loops: list[For] = []
    current: Stmt = loop
    while len(loops) < count:
        if not isinstance(current, For):
            return None
        loops.append(current)
        current = only_statement(current.body)
    declares: list[Declare] = []
    heads: list[For] = []
    for item in loops:
        found = _by_number(item)
        if found and used_variables(found[1]) & private:
            return None
        if any(declare.name in used_variables(replace(item, body=Block(item.location, ()))) for declare in declares):
            return None
        heads.append(found[0] if found else item)
        declares += [found[1]] if found else []
    if not declares:
        return None
    inner = loops[-1].body
    items = items_of(inner)
    made: Stmt = Block(inner.location, (*declares, *items))
    for head in reversed(heads):
        made = replace(head, body=made)
    assert isinstance(made, For)
    return made


def _by_number(loop: For) -> tuple[For, Declare] | None:
    """A loop over the number of the iteration, and the declaration of its own variable; None if it has no such step."""
    start = loop.init[0] if len(loop.init) == 1 else None
    found = signed_step(loop.step, start.name) if isinstance(start, Declare) else None
    if found is None or not isinstance(start, Declare):
        return None
    sign, step = found
    if not is_integer(step.type) or constant(step) is not None:
        return None
    where = loop.location
    wide: Expr = Cast(WIDE, where, step)
    canonical = _towards(loop, start, sign)
    if canonical is None and not integer_of(step.type).unsigned:  # i > limit; i += step: it must be below zero
        sign, wide = -sign, Unary(WIDE, where, "-", wide)
        canonical = _towards(loop, start, sign)
    if canonical is None:
        return None
    if used_variables(step) & ({start.name} | assigned_variables(loop.body)) or has_effect(step):
        return None
    if (used_variables(step) | used_variables(canonical.first)) & written_arrays(loop.body):
        return None
    counter = Variable(WIDE, where, f"{start.name.partition('#')[0]}_number#{where.line}")
    trips = _rounded_up(iterations(canonical), wide)
    offset = Binary(WIDE, where, "*", counter, wide)
    from_zero = constant(canonical.first) == 0 and sign > 0
    value = offset if from_zero else Binary(WIDE, where, "+" if sign > 0 else "-", canonical.first, offset)
    head = replace(
        loop,
        init=(Declare(where, counter.name, WIDE, number(0, where)),),
        condition=Binary(INT, where, "<", counter, trips),
        step=Unary(WIDE, where, "++", counter),
    )
    return head, replace(start, type=as_const(start.type), init=Cast(start.type, where, value))


def _towards(loop: For, start: Declare, sign: int) -> CanonicalLoop | None:
    """The loop with a step of 1 or -1; None if that leads away from its limit, or its iterations cannot be counted."""
    variable = Variable(start.type, loop.location, start.name)
    unit = Unary(start.type, loop.location, "++" if sign > 0 else "--", variable)
    found = canonical_loop(replace(loop, step=unit))
    return None if isinstance(found, str) or not _is_simple(found) else found


def _rounded_up(values: Expr, step: Expr) -> Expr:
    """How many steps it takes to pass so many values, which may be less than none."""
    where, value = values.location, constant(values)
    if value is not None and value <= 0:
        return number(0, where)
    last = number(value - 1, where) if value is not None else Binary(WIDE, where, "-", values, number(1, where))
    trips = Binary(WIDE, where, "+", Binary(WIDE, where, "/", last, step), number(1, where))
    if value is not None:
        return trips
    zero = number(0, where)
    return Conditional(WIDE, where, Binary(BOOL, where, ">", values, zero), trips, zero)


def _is_simple(loop: CanonicalLoop) -> bool:
    """Whether the number of iterations follows from the loop's first value and limit as 64-bit numbers."""
    kind = integer_of(loop.type)
    has_room = kind.size >= INT.size and (loop.is_increasing or not kind.unsigned)
    return loop.operator != "!=" and has_room and not loop.may_not_start
