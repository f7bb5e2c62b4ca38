"""Loops that a compiler can unroll whole: their bounds are constants, or given by loops around that are unrolled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from accache.analysis.canonical import canonical_loop, loop_variable
from accache.ir.as_polynomial import index_polynomial
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.tree import Expr, For, Stmt
from accache.ir.walk import children, nodes_of

MOST_ROUNDS = 512
"""So many rounds of a loop, with those of the loops around, are worth their instructions at most."""
UNROLLED = 64
"""Compilers unroll loops of at most so many iterations, a constant: what they count is constant, and accesses join."""
Values = Mapping[str, int]


def unrollable(body: Stmt, definitions: Mapping[str, Expr]) -> frozenset[str]:
    """The variables of the loops in a body that can all be unrolled whole."""
    found = Counter(_loops(body, ({},), definitions))
    loops = Counter(loop_variable(node) for node in nodes_of(body, For))
    return frozenset(name for name, count in found.items() if count == loops[name])


def _loops(stmt: Stmt, around: tuple[Values, ...], definitions: Mapping[str, Expr]) -> Iterator[str]:
    """The variables of loops in a statement, which runs for the values of the variables of each round ``around``."""
    loop = canonical_loop(stmt) if isinstance(stmt, For) else ""
    rounds = _rounds(loop, around, definitions) if isinstance(loop, CanonicalLoop) else None
    if isinstance(loop, CanonicalLoop) and rounds is not None:
        yield loop.variable
        around = rounds
    for child in children(stmt):
        if isinstance(child, Stmt):
            yield from _loops(child, around, definitions)


def _rounds(
    loop: CanonicalLoop, around: tuple[Values, ...], definitions: Mapping[str, Expr]
) -> tuple[Values, ...] | None:
    """The values of all variables in each round of a loop; None if they are no constants, or too many."""
    first, limit = (index_polynomial(bound, definitions) for bound in (loop.first, loop.limit))
    if first is None or limit is None or loop.operator == "!=":
        return None
    found: list[Values] = []
    for values in around:
        if not first.names | limit.names <= values.keys():
            return None
        end = limit.evaluate(values) + (loop.operator in ("<=", ">=")) * (1 if loop.step > 0 else -1)
        rounds = range(first.evaluate(values), end, loop.step)
        if len(found) + len(rounds) > MOST_ROUNDS:
            return None
        found += [{**values, loop.variable: value} for value in rounds]
    return tuple(found)
