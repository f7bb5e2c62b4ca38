"""Scalars that one lane of a loop stores and others read behind it: each gang, or worker, needs one copy of them.

Before: ``loop vector { if (j == 7) last = a[j]; } loop vector { b[j] = last; }``. Each thread has a copy of a gang's
scalars, and after the first loop only one of them would hold the value. Only where a condition proves that one
iteration alone uses the variable in such a loop: of stores by several the last one would count, and lanes have no
order.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from accache.analysis.thread_temporaries import left_different
from accache.analysis.uniformity import is_uniform, written_arrays
from accache.ir.as_polynomial import index_polynomial
from accache.ir.build import conjuncts
from accache.ir.kernels.simt import ParallelFor
from accache.ir.openacc.atomics import same
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Expr, If, Stmt, Variable
from accache.ir.types import is_integer, is_volatile
from accache.ir.walk import children, map_children, nodes_of, single_definitions, used_variables, varying_variables

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
    alike = _Alike.of(loop)
    varying = alike.varying
    uses = list(_Search(name, alike).uses(loop, (), frozenset()))
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


class _Alike(Struct, frozen=True):
    """Reads expressions of a loop as polynomials; what is ``i % m`` in all of its iterations is a symbol there.

    ``varying`` are the variables that differ between iterations, ``written`` those through which they write memory.
    Equal symbols stand for one value throughout the loop; ``named`` are the expressions that have one.
    """

    varying: frozenset[str]
    written: frozenset[str]
    definitions: dict[str, Expr]
    named: list[Expr]

    @classmethod
    def of(cls, loop: ParallelFor) -> _Alike:
        """What a loop's iterations have in common, the variables among it that are defined by nothing else."""
        definitions = single_definitions(loop.body)
        varying = varying_variables(loop)
        while common := {name for name in varying & definitions.keys() if _is_steady(definitions[name], varying)}:
            varying -= common
        found = cls(varying, written_arrays(loop), {}, [])
        found.definitions.update((name, found.with_symbols(value)) for name, value in definitions.items())
        return found

    def polynomial(self, expr: Expr) -> Polynomial | None:
        """The polynomial of an expression."""
        return index_polynomial(self.with_symbols(expr), self.definitions)

    def with_symbols(self, expr: Expr) -> Expr:
        """An expression with variables for those parts that are no polynomials, and that iterations have in common."""
        changed = self._changed(expr)
        assert isinstance(changed, Expr)
        return changed

    def _changed(self, node: Expr | Stmt) -> Expr | Stmt:
        if isinstance(node, Stmt):
            return node
        if not is_integer(node.type) or not self._is_alike(node):
            return map_children(node, self._changed)
        if index_polynomial(node) is not None:
            return node
        place = next((place for place, other in enumerate(self.named) if same(node, other)), len(self.named))
        if place == len(self.named):
            self.named.append(node)
        return Variable(node.type, node.location, f"<alike {place}>")

    def _is_alike(self, expr: Expr) -> bool:
        """Whether an expression has one value in all iterations, which are independent of what others write."""
        return _is_steady(expr, self.varying) and is_uniform(expr, self.varying, self.written | self.varying)


def _is_steady(expr: Expr, varying: frozenset[str]) -> bool:
    """Whether an expression uses nothing that differs between iterations, or that others than threads change."""
    is_volatile_part = (is_volatile(part.type) for part in nodes_of(expr, Expr))
    return used_variables(expr).isdisjoint(varying) and not any(is_volatile_part)


class _Search(Struct, frozen=True):
    """Finds the uses of a variable."""

    name: str
    alike: _Alike

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
        sides = [tuple(map(self.alike.polynomial, pair)) for pair in pairs]
        return frozenset(left - right for left, right in sides if left is not None and right is not None)
