"""Nests whose inner loop begins or ends at the counter of an outer one, as the rectangle that holds them.

Before::

    for (int i = 0; i < m; ++i)        // gang
        for (int j = i; j < m; ++j)    // vector
            c[i*m + j] = ...

After, one nest of which blocks have rows and columns, and threads may have several of each::

    for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j)
            if (j >= i)
                c[i*m + j] = ...

The condition leaves of the rectangle what the nest had. Nothing is proved again of its loops: only nests are taken
whose loops the mapping has spread over blocks and threads as they stood.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop, loop_variable
from accache.ir.as_polynomial import polynomial_of
from accache.ir.build import BOOL, INT, number
from accache.ir.kernels.simt import AXES, CanonicalLoop, ParallelFor
from accache.ir.openacc.regions import LoopSpec
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Block, Declare, Expr, For, If, Stmt, Variable
from accache.ir.types import exceeds_int, integer_of, is_integer, is_volatile
from accache.ir.walk import is_computed, rewrite, used_variables, walk
from accache.mapping.loops.collapse import only_statement


class _Side(Struct, frozen=True):
    """The first value or the limit of a loop, which moves with the one ``around`` by a rate of 1 or -1."""

    bound: Expr
    around: CanonicalLoop
    rate: int

    def ends_alike(self, operator: str) -> bool:
        """Whether up to, and with, its greatest value is up to the limit of the loop around: ``j <= i`` and ``i < n``.

        The same of loops that count down.
        """
        is_last = (operator, self.around.operator) in (("<=", "<"), (">=", ">"))
        return is_last and isinstance(self.bound, Variable)


def with_rectangle(source: Stmt, mapped: Stmt) -> Stmt:
    """A kernel's source with the rectangle in the place of a triangle; the source itself if it is none.

    ``mapped`` is what was made of it: the loops over blocks, and in them the last one over the threads of a block.
    """
    spread = list(_spread(mapped))
    loops = list(_nest(source))[: len(spread)]
    if not 2 <= len(loops) <= len(AXES) or not _are_rows(loops, spread):
        return source
    found = [canonical_loop(loop) for loop in loops]
    canonical = [loop for loop in found if isinstance(loop, CanonicalLoop)]
    both = _both(loops)
    if len(canonical) < len(loops) or both is None or not all(map(_is_plain, canonical)):
        return source
    inner = _rectangle(loops[-1], canonical)
    if inner is None:
        return source
    result: Stmt = inner
    for loop in reversed(loops[:-1]):
        result = replace(loop, loop=None, body=Block(loop.location, (result,)))
    return replace(result, loop=both) if isinstance(result, For) else source


def _rectangle(loop: For, canonical: Sequence[CanonicalLoop]) -> For | None:
    """The last loop of a nest without the other counters in its bounds, and the condition that they were."""
    *outer, own = canonical
    start = loop.init[0] if len(loop.init) == 1 else None
    names = {each.variable for each in outer}
    if not isinstance(start, Declare) or any(_bound_names(each) & names for each in outer):
        return None
    depends = [bool(used_variables(bound) & names) for bound in (own.first, own.limit)]
    if depends.count(True) != 1 or (depends[0] and abs(own.step) != 1):
        return None
    side = _side(own.first if depends[0] else own.limit, outer)
    if side is None:
        return None
    where, index = loop.location, Variable(start.type, loop.location, own.variable)
    end = _end(side, is_low=depends[0] == (own.step > 0))
    if depends[0]:
        inside = ">=" if own.step > 0 else "<="
        start, operator, limit = replace(start, init=end), own.operator, own.limit
    elif side.ends_alike(own.operator):
        inside, operator, limit = own.operator, own.operator[0], side.around.limit
    else:
        inside, operator, limit = own.operator, own.operator, end
    guarded = If(where, Binary(BOOL, where, inside, index, side.bound), loop.body)
    condition = Binary(INT, where, operator, index, limit)
    return replace(loop, init=(start,), condition=condition, body=Block(where, (guarded,)), loop=None)


def _side(bound: Expr, outer: Sequence[CanonicalLoop]) -> _Side | None:
    """A bound that moves with one of some loops, by 1 or -1; None if it moves in another way."""
    around = [each for each in outer if each.variable in used_variables(bound)]
    ends = [end for each in around for end in (each.first, each.limit)]
    value = polynomial_of(bound)
    if len(around) != 1 or value is None or not all(map(is_computed, (bound, *ends))) or not _is_signed(bound):
        return None
    rate = value.coefficient(around[0].variable)
    if rate is None or rate.constant_value not in (1, -1):
        return None
    return _Side(bound, around[0], rate.constant_value)


def _end(side: _Side, *, is_low: bool) -> Expr:
    """The least, or the greatest, that a bound is in the loop around."""
    around = side.around
    is_lowest = is_low == (side.rate > 0)
    if is_lowest == (around.step > 0):
        last = around.first
    elif around.operator in ("<=", ">="):
        last = around.limit
    else:
        last = _beside(around.limit, -1 if around.step > 0 else 1)

    def change(node: Expr | Stmt) -> Expr | Stmt:
        return last if isinstance(node, Variable) and node.name == around.variable else node

    found = rewrite(side.bound, change)
    assert isinstance(found, Expr)
    return _tidy(found)


def _beside(limit: Expr, distance: int) -> Expr:
    """The number before a limit, or behind it."""
    return Binary(limit.type, limit.location, "+" if distance > 0 else "-", limit, number(1, limit.location))


def _tidy(bound: Expr) -> Expr:
    """A bound, as a number, or as a variable and a number, if it is no more."""
    value = polynomial_of(bound)
    if value is None or exceeds_int(bound.type):
        return bound
    where, rest = bound.location, value.constant_term
    if not value.names:
        return number(rest, where)
    variable = next(node for node in walk(bound) if isinstance(node, Variable) and node.name in value.names)
    if value - rest != Polynomial.symbol(variable.name) or variable.type != bound.type:
        return bound
    return Binary(bound.type, where, "+" if rest > 0 else "-", variable, number(abs(rest), where)) if rest else variable


def _nest(stmt: Stmt) -> Iterator[For]:
    """The loops of a statement that each hold nothing but the next one."""
    stmt = only_statement(stmt)
    while isinstance(stmt, For):
        yield stmt
        stmt = only_statement(stmt.body)


def _spread(stmt: Stmt) -> Iterator[ParallelFor]:
    """The parallel loops of a statement that each hold nothing but the next one."""
    stmt = only_statement(stmt)
    while isinstance(stmt, ParallelFor):
        yield stmt
        stmt = only_statement(stmt.body)


def _are_rows(loops: Sequence[For], spread: Sequence[ParallelFor]) -> bool:
    """Whether loops are spread over blocks but for the last one, over the threads of a block."""
    if [loop_variable(loop) for loop in loops] != [loop.loop.variable for loop in spread]:
        return False
    *outer, own = spread
    is_spread = all(loop.grid and not loop.block and loop.covered for loop in outer)
    return is_spread and own.block == "x" and not own.grid and not any(loop.reductions for loop in spread)


def _both(loops: Sequence[For]) -> LoopSpec | None:
    """The directive of one nest over blocks and threads, whose loops are known to be independent; None if none can."""
    specs = [loop.loop for loop in loops if loop.loop is not None]
    told = (spec.reductions or spec.forced or spec.tile or "worker" in spec.levels or spec.seq for spec in specs)
    if any(told):
        return None
    return LoopSpec(
        specs[0].location if specs else loops[0].location,
        levels=frozenset(("gang", "vector")),
        sizes=tuple((level, size) for spec in specs for level, size in spec.sizes if level == "vector"),
        independent=True,
        collapse=len(loops),
        private=tuple(dict.fromkeys(item for spec in specs for item in spec.private)),
    )


def _is_plain(loop: CanonicalLoop) -> bool:
    """Whether a loop counts signed numbers, no narrower than int, to a limit of such numbers that are no wider."""
    if loop.operator == "!=" or loop.may_not_start or not is_integer(loop.type):
        return False
    own = integer_of(loop.type)
    ends = (loop.first, loop.limit)
    is_signed = not own.unsigned and own.size >= INT.size and all(map(_is_signed, ends))
    return is_signed and integer_of(loop.first.type).size <= own.size


def _is_signed(expr: Expr) -> bool:
    if not is_integer(expr.type) or integer_of(expr.type).unsigned:
        return False
    return not any(is_volatile(node.type) for node in walk(expr) if isinstance(node, Expr))


def _bound_names(loop: CanonicalLoop) -> frozenset[str]:
    """The variables in a loop's bounds."""
    return used_variables(loop.first) | used_variables(loop.limit)
