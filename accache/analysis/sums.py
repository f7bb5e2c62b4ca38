"""Unsigned sums and products of 32 bits that do not wrap, so that they are what they look like.

Before: ``a[i*n + j]`` in ``unsigned``, where ``i*n + j`` might pass 4294967295 and start again from 0. After: it is
marked exact; with the greatest value that it takes in the loops around it, ``n*n - 1``, if that needs a test when the
kernel is launched. Sums whose greatest value only the device knows are left as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.canonical import canonical_loop, with_condition
from accache.analysis.loop_context import Definitions
from accache.ir.as_polynomial import MAX_DEGREE, same_unsigned
from accache.ir.build import conjuncts
from accache.ir.constants import constant
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.openacc.regions import Dimension
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Cache, Cast, Conditional, Expr, For, Stmt, Variable
from accache.ir.types import CType, integer_of, is_integer
from accache.ir.walk import N, Node, map_children, nodes_of, rewrite, walk

INT_SIZE = 4
LARGEST = (1 << 8 * INT_SIZE) - 1
MAX_TERMS = 12
WRAPPING = ("+", "-", "*", "<<")
"""The operators whose results are right modulo the range of an unsigned type, whatever wrapped in their operands."""

Greatest = Mapping[str, Polynomial | None]
"""What the variables of loops hold at most, in values that the launch knows; None where it does not."""


class Sums(Struct, frozen=True):
    """Marks the sums that cannot wrap, or do not if the launch finds that their greatest value fits.

    ``known`` are the variables whose values the launch knows, ``definitions`` the temporaries that stand for an
    expression.
    """

    definitions: Definitions
    known: frozenset[str]

    def marked(self, node: Node) -> Node:
        """A statement or expression with its sums marked."""
        if not any(_is_sum(part) for part in walk(node)) and not any(nodes_of(node, Cache)):
            return node
        return self.node(node, {}, None)

    def node(self, node: Node, greatest: Greatest, within: CType | None) -> Node:
        """Mark the sums in a node; of one that counts modulo the range of the type ``within``, nothing is asked."""
        if isinstance(node, For):
            inside = {**greatest, **self.counted(node, greatest)}
            body = node.body
            return map_children(node, lambda part: self.node(part, inside if part is body else greatest, None))
        if isinstance(node, Stmt):
            if isinstance(node, Cache):
                node = with_bounds(node, lambda bound: self.node(bound, greatest, None))
            return map_children(node, lambda part: self.node(part, greatest, None))
        is_inner = within is not None and is_integer(node.type) and same_unsigned(node.type, within)
        below = node.type if _is_sum(node) else within if isinstance(node, Cast) and is_inner else None
        changed = map_children(node, lambda part: self.node(part, greatest, below))
        if isinstance(changed, Binary) and _is_sum(changed) and not is_inner:
            return self.settled(changed, greatest)
        return changed

    def settled(self, expr: Binary, greatest: Greatest) -> Binary:
        """A sum that is exact, or exact if its greatest value fits, or neither."""
        if integer_of(expr.type).size != INT_SIZE or (expr.op == "-" and not expr.is_exact):
            return expr
        most = self.most(expr, greatest)
        value = most.constant_value if most is not None else None
        if most is None or (value is not None and value > LARGEST):
            return replace(expr, is_exact=False)
        return replace(expr, is_exact=True, greatest=None if value is not None else most)

    def counted(self, loop: For, greatest: Greatest) -> Greatest:
        """The greatest value of a loop's variable in its body."""
        for condition in conjuncts(loop.condition):
            part = canonical_loop(with_condition(loop, condition))
            if isinstance(part, CanonicalLoop):
                most = self.last(part, greatest)
                if most is not None or condition is loop.condition:
                    return {part.variable: most}
        return {}

    def last(self, loop: CanonicalLoop, greatest: Greatest) -> Polynomial | None:
        """The greatest value that a condition lets a variable have; of one that counts down, its first."""
        if loop.step > 0:
            most = self.most(loop.limit, greatest)
            return most - 1 if most is not None and loop.operator != "<=" else most
        stops = loop.operator == ">" or (constant(loop.limit) or 0) > 0
        return self.most(loop.first, greatest) if loop.step == -1 and stops else None

    def most(self, expr: Expr, greatest: Greatest) -> Polynomial | None:
        """The greatest value of an expression that is not negative, as a polynomial in what the launch knows."""
        value = constant(expr)
        if value is not None:
            return Polynomial.constant(value) if value >= 0 else None
        found = self._most(expr, greatest)
        if found is not None and (found.total_degree > MAX_DEGREE or len(found.terms) > MAX_TERMS):
            found = None
        kind = integer_of(expr.type)
        return Polynomial.constant((1 << 8 * kind.size) - 1) if found is None and kind.size < INT_SIZE else found

    def _most(self, expr: Expr, greatest: Greatest) -> Polynomial | None:
        if isinstance(expr, Variable):
            if expr.name in greatest:
                return greatest[expr.name]
            if expr.name in self.definitions:
                inner = Sums({name: init for name, init in self.definitions.items() if name != expr.name}, self.known)
                return inner.kept(self.definitions[expr.name], expr.type, greatest)
            is_narrow = integer_of(expr.type).size < INT_SIZE  # its type says enough
            return Polynomial.symbol(expr.name) if expr.name in self.known and not is_narrow else None
        if isinstance(expr, Cast):
            return self.kept(expr.operand, expr.type, greatest)
        if isinstance(expr, Conditional):
            return self.lesser(expr, greatest)
        if not isinstance(expr, Binary) or not is_integer(expr.left.type) or not is_integer(expr.right.type):
            return None
        left, right = self.most(expr.left, greatest), self.most(expr.right, greatest)
        number = constant(expr.right)
        if expr.op in ("%", "&") and right is not None:
            return right - 1 if expr.op == "%" else right
        if left is None or not integer_of(expr.type).unsigned:
            return None
        if expr.op == "-":
            return left - (number or 0) if expr.is_exact else None
        if expr.op == "<<":
            return left * (1 << number) if number is not None and 0 <= number < 8 * INT_SIZE else None
        if expr.op in ("/", ">>"):
            return left
        sums: dict[str, Callable[[Polynomial], Polynomial]] = {"+": left.__add__, "*": left.__mul__}
        return sums[expr.op](right) if right is not None and expr.op in sums else None

    def kept(self, operand: Expr, to: CType, greatest: Greatest) -> Polynomial | None:
        """The greatest value of what is converted to a type that holds it."""
        if not is_integer(to) or not is_integer(operand.type):
            return None
        source, target = integer_of(operand.type), integer_of(to)
        widens = target.size > source.size or (target.size == source.size and target.unsigned >= source.unsigned)
        return self.most(operand, greatest) if widens else None

    def lesser(self, expr: Conditional, greatest: Greatest) -> Polynomial | None:
        """The greatest value of the lesser of two; of another choice, none is known."""
        test = expr.condition
        if not isinstance(test, Binary) or test.op not in ("<", "<=", ">", ">="):
            return None
        sides = (test.left, test.right) if test.op in ("<", "<=") else (test.right, test.left)
        if not (_alike(sides[0], expr.then) and _alike(sides[1], expr.otherwise)):
            return None
        return self.most(expr.then, greatest) or self.most(expr.otherwise, greatest)


def assumed_sums(nodes: Iterable[Node]) -> tuple[Polynomial, ...]:
    """The greatest values that have to fit for the sums in some nodes to be exact, without those that others exceed."""
    parts = [part for node in nodes for part in walk(node)]
    found = list(dict.fromkeys(part.greatest for part in parts if isinstance(part, Binary) and part.greatest))
    return tuple(most for most in found if not any(_exceeds(other, most) for other in found if other != most))


def _exceeds(other: Polynomial, most: Polynomial) -> bool:
    """Whether one value, of numbers that are not negative, is the greater one."""
    return all(factor > 0 for _, factor in (other - most).terms)


def without_assumptions(node: N) -> N:
    """A statement or expression whose sums are exact only where that is proved."""

    def doubted(part: Node) -> Node:
        if isinstance(part, Cache):
            bounded = with_bounds(part, lambda bound: without_assumptions(bound))
            return part if bounded == part else bounded
        if isinstance(part, Binary) and part.greatest is not None:
            return replace(part, is_exact=False, greatest=None)
        return part

    has_assumptions = any(part.greatest is not None for part in nodes_of(node, Binary))
    return cast("N", rewrite(cast("Any", node), doubted)) if has_assumptions or nodes_of(node, Cache) else node


def with_bounds(stmt: Cache, change: Callable[[Expr], Node]) -> Cache:
    """A directive with the bounds of its subarrays changed."""

    def bound(expr: Expr | None) -> Expr | None:
        new = change(expr) if expr is not None else None
        assert new is None or isinstance(new, Expr)
        return new

    def dimension(part: Dimension) -> Dimension:
        return replace(part, lower=bound(part.lower), length=bound(part.length))

    subarrays = (replace(item, dimensions=tuple(map(dimension, item.dimensions))) for item in stmt.subarrays)
    return replace(stmt, subarrays=tuple(subarrays))


def _is_sum(node: Node) -> bool:
    """Whether a node is computed modulo the range of an unsigned type."""
    is_binary = isinstance(node, Binary) and node.op in WRAPPING and is_integer(node.type)
    return is_binary and isinstance(node, Expr) and integer_of(node.type).unsigned


def _alike(first: Expr, second: Expr) -> bool:
    """Whether two expressions are one variable or one number."""
    first, second = (side.operand if isinstance(side, Cast) else side for side in (first, second))
    if isinstance(first, Variable) and isinstance(second, Variable):
        return first.name == second.name
    return constant(first) is not None and constant(first) == constant(second)
