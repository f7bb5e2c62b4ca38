"""The condition of a triangle around all that an iteration does, for threads that have several iterations.

Before, with the rectangle in the place of the triangle (``loops/triangles``)::

    if (j >= i)
        c[i*m + j] = ...

After, four rows and two columns a thread: those with ``j_base >= i_base + 3`` go through all of their iterations
together, without the condition. Where ``j_base + 32 < i_base`` none of them is in the triangle; the others go through
theirs one by one.

A sum of two counters is least where each is at one end of its range in a thread, and greatest at the opposite ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from accache.ir.as_polynomial import polynomial_of
from accache.ir.kernels.simt import ParallelFor
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Expr, If, Stmt
from accache.ir.types import integer_of, is_integer
from accache.ir.walk import assigned_variables, declared_variables, is_computed
from accache.mapping.coarsening.coarse_loops import CoarseLoop
from accache.mapping.coarsening.edge_needs import condition, need_of, own_range
from accache.mapping.loops.collapse import only_statement


class HalfPlane(Struct, frozen=True):
    """What the iterations in it do, and the conditions that ``all`` of a thread's iterations are, or ``any`` may be.

    ``axes`` are those of the block along which it differs.
    """

    body: Stmt
    all: Expr
    any: Expr
    axes: tuple[str, ...]


def half_plane(coarse: Sequence[CoarseLoop], chain: Sequence[ParallelFor], iteration: Stmt) -> HalfPlane | None:
    """The half-plane of two parallel loops that an iteration asks for before it does anything; None if there is none.

    ``chain`` are all parallel loops, ``coarse`` those of which a thread has several iterations.
    """
    stmt, need = only_statement(iteration), _need(iteration)
    if need is None or not isinstance(stmt, If):
        return None
    along = _along(need, chain)
    if len(along) != 2:
        return None
    moving = [item for item in coarse if item.loop in along]
    if not moving or need.names & (assigned_variables(stmt.then) | declared_variables(stmt.then)):
        return None
    ends = [_at_an_end(need, moving, is_least=is_least) for is_least in (True, False)]
    every, some = (condition(end, moving[-1], moving) for end in ends)
    return HalfPlane(stmt.then, every, some, tuple(loop.block for loop in along))


def is_half(chain: Sequence[ParallelFor]) -> bool:
    """Whether a half-plane is known to be half of a rectangle: its edge goes from one corner to the opposite one.

    Of another one only the launch knows how much of it lies inside.
    """
    need = _need(chain[-1].body)
    along = _along(need, chain) if need is not None else []
    if need is None or len(along) != 2:
        return False
    first, second = (_ends(loop) for loop in along)
    names = [loop.loop.variable for loop in along]
    rates = [need.coefficient(name) for name in names]
    pairs = zip(first, second if rates[0] != rates[1] else second[::-1], strict=True)
    corners = [
        need.substitute({names[0]: one, names[1]: other})
        for one, other in pairs
        if one is not None and other is not None
    ]
    return len(corners) == 2 and all(corner.constant_value is not None for corner in corners)


def _ends(loop: ParallelFor) -> tuple[Polynomial | None, Polynomial | None]:
    """The least and the greatest number of a loop."""
    canonical = loop.loop
    first, limit = (polynomial_of(end) for end in (canonical.first, canonical.limit))
    step = 1 if canonical.step > 0 else -1
    last = limit - step * (canonical.operator in ("<", ">")) if limit is not None else None
    return (first, last) if step > 0 else (last, first)


def _need(iteration: Stmt) -> Polynomial | None:
    """The sum that must not be negative for an iteration to do anything; None if there is no such one."""
    stmt = only_statement(iteration)
    if not isinstance(stmt, If) or stmt.otherwise is not None:
        return None
    asked = stmt.condition
    if not isinstance(asked, Binary) or asked.op not in ("<", "<=", ">", ">=") or not is_computed(asked):
        return None
    left, right = (polynomial_of(side) for side in (asked.left, asked.right))
    if left is None or right is None or not all(map(_is_signed, (asked.left, asked.right))):
        return None
    return need_of(asked.op, right - left)


def _along(need: Polynomial, chain: Sequence[ParallelFor]) -> list[ParallelFor]:
    """The loops with which a sum moves, if it does so by constants."""
    along = [loop for loop in chain if loop.loop.variable in need.names]
    rates = [need.coefficient(loop.loop.variable) for loop in along]
    return along if all(rate is not None and rate.constant_value is not None for rate in rates) else []


def _at_an_end(need: Polynomial, moving: Sequence[CoarseLoop], *, is_least: bool) -> Polynomial:
    """The least, or the greatest, that a sum is in the iterations of a thread."""
    for item in moving:
        variable = item.loop.loop.variable
        rate = need.coefficient(variable)
        assert rate is not None
        assert rate.constant_value is not None
        least, most = own_range(item)
        need = need.substitute({variable: least if (rate.constant_value > 0) == is_least else most})
    return need


def _is_signed(side: Expr) -> bool:
    return is_integer(side.type) and not integer_of(side.type).unsigned
