"""Sequential loops whose trip count is a constant, though their bounds are none.

Before: ``for (int j = i - 1; j <= i + 1; ++j) sum += a[j];``. After::

    for (int t = 0; t < 3; ++t) {
        const int j = i - 1 + t;
        sum += a[j];
    }

A compiler unrolls such a loop whole, and a position in a tile becomes the thread's own plus a constant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop
from accache.analysis.sums import without_assumptions
from accache.ir.as_polynomial import polynomial_of
from accache.ir.build import BOOL, INT, counting_type, number
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.tree import Binary, Block, Cast, Declare, Expr, For, IntLiteral, Stmt, Unary, Variable
from accache.ir.types import Arithmetic, as_const, exceeds_int, resolve
from accache.ir.walk import assigned_variables, declared_variables, items_of, rewrite, single_definitions, walk

LONGEST = 1 << 20
"""Loops of more iterations are left as they are: how their bounds are written makes no difference to their cost."""


def with_constant_trips(body: Stmt) -> Stmt:
    """A kernel's body, in which loops without a directive are sequential."""
    definitions, taken = single_definitions(body), declared_variables(body)
    names = (name for number in count(1) if (name := f"t#trip{number}") not in taken)
    return rewrite(body, lambda node: _counted(node, definitions, names) if isinstance(node, For) else node, For)


def _counted(loop: For, definitions: Mapping[str, Expr], names: Iterator[str]) -> Stmt:
    """The loop over the number of the iteration; the loop itself where that is no constant, or it starts from one."""
    canonical = canonical_loop(loop)
    start = loop.init[0] if loop.init else None
    if loop.loop is not None or isinstance(canonical, str) or not isinstance(start, Declare):
        return loop
    if constant(canonical.first) is not None or not _stays(canonical.first, loop.body):
        return loop
    trips = _trips(canonical, definitions)
    if trips is None or not 0 < trips <= LONGEST:
        return loop
    where, name = loop.location, next(names)
    variable = Variable(counting_type(canonical.type), where, name)
    declare = replace(start, type=as_const(start.type), init=_value(canonical, variable))
    items = items_of(loop.body)
    return replace(
        loop,
        init=(Declare(where, name, variable.type, number(0, where)),),
        condition=Binary(BOOL, where, "<", variable, number(trips, where)),
        step=Unary(variable.type, where, "++", variable),
        body=Block(loop.body.location, (declare, *items)),
    )


def _stays(first: Expr, body: Stmt) -> bool:
    """Whether an expression has one value throughout a loop: it computes on variables that the body leaves alone."""
    parts = list(walk(first))
    plain = all(isinstance(part, (Variable, IntLiteral, Binary, Unary, Cast)) for part in parts)
    names = {part.name for part in parts if isinstance(part, Variable)}
    return plain and not names & assigned_variables(body)


def _trips(loop: CanonicalLoop, definitions: Mapping[str, Expr]) -> int | None:
    """How many iterations a loop over numbers of at least 32 bits has, where that is a constant.

    Unsigned bounds count where they are proved not to wrap, as only those of 32 bits are: all versions of a kernel have
    this loop.
    """
    kinds = [resolve(loop.type), resolve(loop.limit.type)]
    plain = [kind for kind in kinds if isinstance(kind, Arithmetic) and kind.size >= INT.size]
    is_unsigned = any(kind.unsigned for kind in plain)
    if len(plain) < len(kinds) or (is_unsigned and any(not kind.unsigned or exceeds_int(kind) for kind in plain)):
        return None
    known = {name: without_assumptions(value) for name, value in definitions.items()} if is_unsigned else definitions
    first, limit = (polynomial_of(without_assumptions(bound), known) for bound in (loop.first, loop.limit))
    span = (limit - first).constant_value if first is not None and limit is not None else None
    if span is None:
        return None
    distance, span = abs(loop.step), span if loop.is_increasing else -span
    span += loop.operator in ("<=", ">=")
    return -(-span // distance)


def _value(loop: CanonicalLoop, variable: Variable) -> Expr:
    """``first + t``, ``first - t`` or ``first + t * step``."""
    where, distance, ctype = loop.location, abs(loop.step), variable.type
    shift: Expr = variable
    if distance > 1:
        shift = Binary(ctype, where, "*", variable, number(distance, where), is_exact=True)
    return Binary(loop.type, where, "+" if loop.is_increasing else "-", loop.first, shift, is_exact=True)
