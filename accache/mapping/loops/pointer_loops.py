"""Parallel loops over pointers, made loops over the position in what the pointer walks through.

Before: ``for (float *p = a; p < a + n; p += 2)``. After::

    for (long long p_index = 0; p_index < n; p_index += 2) {
        float *const p = a + p_index;
        ...
    }

Where the pointer starts, and what it is compared with, are positions counted from one variable, an array or a pointer:
how far two variables lie apart nobody knows but the host. The body changes neither these nor the pointer.
"""

from __future__ import annotations

from msgspec.structs import replace

from accache.analysis.calls import has_effect
from accache.analysis.canonical import SWAPPED, signed_step
from accache.analysis.uniformity import written_arrays
from accache.ir.build import INT, WIDE, number
from accache.ir.constants import constant
from accache.ir.openacc.regions import Region
from accache.ir.tree import Assign, Binary, Block, Declare, Expr, For, Stmt, Unary, Variable
from accache.ir.types import (
    Pointer,
    as_const,
    element_type,
    is_integer,
    resolve,
)
from accache.ir.walk import assigned_variables, items_of, rewrite, used_variables
from accache.mapping.data.positions import Position, Positions
from accache.mapping.loops.collapse import only_statement


def with_indexed_pointers(body: Stmt, region: Region) -> Stmt:
    """A region's body; loops that need not be parallel, and those over other variables, stay as they are."""

    def change(node: Expr | Stmt) -> Expr | Stmt:
        spec = node.loop if isinstance(node, For) else None
        if not isinstance(node, For) or spec is None or spec.seq:
            return node
        private = {item.name for item in (*region.private, *spec.private)}
        return _nest(node, 1 if spec.forced else spec.collapse, private) or node

    return rewrite(body, change) if region.kind != "serial" else body


def _nest(loop: For, count: int, private: set[str]) -> For | None:
    """The nest of ``count`` loops with positions for pointers; None if none of them is over a pointer.

    Loops inside have been changed before those around them. The declarations stand in the innermost loop, so that the
    nest stays one.
    """
    inner = only_statement(loop.body)
    body = loop.body
    if count > 1:
        nest = _nest(inner, count - 1, private) if isinstance(inner, For) else None
        body = nest or body
    found = _indexed(loop, private)
    if found is None:
        return replace(loop, body=body) if body is not loop.body else None
    head, declare = found
    placed = _placed(declare, body, count - 1)
    return replace(head, body=placed) if placed is not None else None


def _placed(declare: Declare, body: Stmt, depth: int) -> Stmt | None:
    """A loop's body with a declaration at the start of the loop ``depth`` loops further in."""
    if depth == 0:
        items = items_of(body)
        return Block(body.location, (declare, *items))
    loop = only_statement(body)
    if not isinstance(loop, For) or declare.name in used_variables(replace(loop, body=Block(loop.location, ()))):
        return None
    inside = _placed(declare, loop.body, depth - 1)
    return replace(loop, body=inside) if inside is not None else None


def _indexed(loop: For, private: set[str]) -> tuple[For, Declare] | None:
    """A loop over positions, without a new body, and the declaration of its pointer; None if it is no such loop."""
    start = loop.init[0] if len(loop.init) == 1 else None
    if not isinstance(start, Declare) or start.init is None or not isinstance(resolve(start.type), Pointer):
        return None
    where, target = start.location, element_type(start.type)
    assert target is not None
    plain, _, number_of_name = start.name.partition("#")
    positions = Positions(target, start.name, f"{plain}_index#{where.line}.{number_of_name}")
    first = positions.of(start.init)
    step = _step(loop, start.name)
    condition = loop.condition
    if first is None or step is None or not isinstance(condition, Binary) or condition.op not in SWAPPED:
        return None
    left, right = positions.of(condition.left), positions.of(condition.right)
    if left is None or right is None or {left.root, right.root} != {start.name, first.root} or first.root == start.name:
        return None
    sign, amount = step
    operator = _operator(condition.op, sign, amount, left.root == start.name)
    if operator is None or _is_changed(loop, (first, left, right), amount, private | {start.name}):
        return None
    index = Variable(WIDE, where, positions.index)
    head = replace(
        loop,
        init=(Declare(where, index.name, WIDE, first.offset),),
        condition=Binary(INT, condition.location, operator, left.offset, right.offset),
        step=Assign(WIDE, where, "+=" if sign > 0 else "-=", index, amount),
    )
    value = Binary(Pointer(target), where, "+", first.origin, index)
    return head, replace(start, type=as_const(start.type), init=value)


def _operator(written: str, sign: int, amount: Expr, is_left: bool) -> str | None:
    """How the positions are compared; None where nothing tells which way the pointer goes.

    A pointer that steps over the limit of a ``!=`` leaves its array, which C does not define.
    """
    if written != "!=":
        return written
    value = constant(amount)
    if value is None or value == 0:
        return None
    return "<" if (sign * value > 0) == is_left else ">"


def _step(loop: For, pointer: str) -> tuple[int, Expr] | None:
    """The sign and amount that a loop's step adds to its pointer."""
    step = loop.step
    if isinstance(step, Unary) and isinstance(step.operand, Variable) and step.operand.name == pointer:
        sign = {"++": 1, "p++": 1, "--": -1, "p--": -1}.get(step.op)
        return (sign, number(1, step.location)) if sign else None
    found = signed_step(step, pointer)
    return found if found is not None and is_integer(found[1].type) else None


def _is_changed(loop: For, positions: tuple[Position, ...], amount: Expr, hidden: set[str]) -> bool:
    """Whether a loop's body may change what its positions are computed from, or has copies of that."""
    parts = (amount, *(place.offset for place in positions))
    used = frozenset[str]().union(*map(used_variables, parts), (place.root for place in positions))
    assigned = assigned_variables(loop.body)
    elements = frozenset[str]().union(*map(used_variables, parts)) & written_arrays(loop.body)
    pointer = positions[1].root if positions[1].root != positions[0].root else positions[2].root
    outside = used - {pointer}
    is_computed = any(has_effect(part) for part in parts)
    return bool(elements or is_computed or used & assigned or outside & hidden)
