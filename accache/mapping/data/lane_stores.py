"""Scalars that one lane of a loop stores and others read behind it: each gang, or worker, needs one copy of them.

Before: ``loop vector { if (j == 7) last = a[j]; } loop vector { b[j] = last; }``. Each thread has a copy of a gang's
scalars, and after the first loop only one of them would hold the value. Only where a condition proves that one
iteration alone uses the variable in such a loop: of stores by several the last one would count, and lanes have no
order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from accache.analysis.thread_temporaries import left_different
from accache.ir.as_polynomial import index_polynomial
from accache.ir.build import conjuncts
from accache.ir.kernels.simt import ParallelFor
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Expr, If, Stmt, Variable
from accache.ir.walk import children, single_definitions, varying_variables

Conditions = frozenset[Polynomial]
"""What is zero where a statement runs."""


def stored_by_one_lane(body: Stmt) -> frozenset[str]:
    """The scalars and structures of a kernel that one iteration of each loop over threads stores that does."""
    stored: dict[str, bool] = {}
    for loop, names in left_different(body):
        for name in names:
            stored[name] = stored.get(name, True) and _is_of_one(loop, name)
    return frozenset(name for name, is_of_one in stored.items() if is_of_one)


def _is_of_one(loop: ParallelFor, name: str) -> bool:
    """Whether one iteration of a loop over threads alone uses a variable."""
    varying = varying_variables(loop)
    uses = list(_Search(name, single_definitions(loop.body)).uses(loop, (), frozenset()))
    for loops, found in uses:
        if any(outer.grid or not _pinning(found, outer, varying) for outer in loops):
            return False
    ways = {frozenset(frozenset(_pinning(found, outer, varying)) for outer in loops) for loops, found in uses}
    return len(ways) == 1


def _pinning(found: Conditions, loop: ParallelFor, varying: frozenset[str]) -> list[Polynomial]:
    """What is zero in one iteration of a loop at most, the same for all threads."""
    name = loop.loop.variable
    rates = {part: part.coefficient(name) for part in found if part.names & varying == {name}}
    return [part for part, rate in rates.items() if rate is not None and rate.constant_value]


class _Search(Struct, frozen=True):
    """Finds the uses of a variable."""

    name: str
    definitions: Mapping[str, Expr]

    def uses(
        self, node: Stmt | Expr, loops: tuple[ParallelFor, ...], found: Conditions
    ) -> Iterator[tuple[tuple[ParallelFor, ...], Conditions]]:
        """The loops over threads around each use, and what is zero there."""
        if isinstance(node, Variable) and node.name == self.name:
            yield loops, found
        if isinstance(node, ParallelFor) and node.block:
            loops = (*loops, node)
        for child in children(node):
            holds = self._holding(node, child) if isinstance(node, If) else frozenset()
            yield from self.uses(child, loops, found | holds)

    def _holding(self, stmt: If, branch: object) -> Conditions:
        """What is zero in one of the branches of a condition."""
        if branch is stmt.condition:
            return frozenset()
        operator = "==" if branch is stmt.then else "!="
        parts = conjuncts(stmt.condition) if branch is stmt.then else (stmt.condition,)
        pairs = [(part.left, part.right) for part in parts if isinstance(part, Binary) and part.op == operator]
        sides = [tuple(index_polynomial(side, self.definitions) for side in pair) for pair in pairs]
        return frozenset(left - right for left, right in sides if left is not None and right is not None)
