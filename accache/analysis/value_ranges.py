"""Between which constants an integer expression lies, as types, masks and conditions tell.

A table of 256 entries holds ``table[a > b ? a - b : b - a]`` where a and b are pixels of a byte each. No polynomial
says so: what the pixels are, only the data knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec import Struct

from accache.ir.as_polynomial import NO_DEFINITIONS, polynomial_of
from accache.ir.constants import constant
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Call, Cast, Conditional, Declare, Expr, Stmt, Unary, Variable
from accache.ir.types import Arithmetic, CType, integer_of, is_integer, is_volatile, promoted
from accache.ir.walk import assigned_variables, walk

MOST_NESTED = 12
"""Values in values of variables are followed so far."""
ABSOLUTE = ("abs", "labs", "llabs")
COMPARING = ("<", "<=", ">", ">=", "==", "!=", "&&", "||")
NEGATED = MappingProxyType({"<": ">=", "<=": ">", ">": "<=", ">=": "<"})


class ValueRange(Struct, frozen=True):
    """The integers from ``low`` to ``high``, both included."""

    low: int
    high: int

    def joined(self, other: ValueRange) -> ValueRange:
        """The least range that holds two."""
        return ValueRange(min(self.low, other.low), max(self.high, other.high))


Facts = tuple[Polynomial, ...]
"""Sums of variables that are not negative where an expression is evaluated."""


def value_range(expr: Expr, initial: Mapping[str, Expr] = NO_DEFINITIONS) -> ValueRange | None:
    """The range of an integer expression's value; None for one of another type.

    ``initial`` are values of variables as ``initial_values`` finds them. Where signed arithmetic leaves its type, C
    leaves the program undefined, so that it is taken not to.
    """
    return _Reader(initial).read(expr, (), MOST_NESTED) if is_integer(expr.type) else None


def initial_values(stmt: Stmt) -> dict[str, Expr]:
    """The integers that keep the values they are declared with in a statement: name -> initialiser.

    Other than in ``walk.single_definitions``, what an initialiser uses may change: its range does not.
    """
    assigned = assigned_variables(stmt)
    return {
        node.name: node.init
        for node in walk(stmt)
        if isinstance(node, Declare)
        and node.init is not None
        and node.name not in assigned
        and is_integer(node.type)
        and not (node.static or is_volatile(node.type))
    }


class _Reader(Struct, frozen=True):
    """Reads expressions; variables in ``initial`` keep the values given there."""

    initial: Mapping[str, Expr]

    def read(self, expr: Expr, facts: Facts, depth: int) -> ValueRange:
        """The range of an integer expression where ``facts`` hold."""
        limits = range_of_type(expr.type)
        value = constant(expr)
        found = ValueRange(value, value) if value is not None else self.computed(expr, facts, depth)
        if found is None or (integer_of(expr.type).unsigned and not _is_in(found, limits)):
            found = limits
        low, high = max(found.low, limits.low), min(found.high, limits.high)
        polynomial = polynomial_of(expr) if facts else None
        for fact in facts:
            if polynomial is None:
                break
            above, below = (polynomial - fact).constant_value, (polynomial + fact).constant_value
            low = low if above is None else max(low, above)
            high = high if below is None else min(high, below)
        return ValueRange(low, high) if low <= high else limits

    def converted(self, expr: Expr, to: CType, facts: Facts, depth: int) -> ValueRange:
        """The range of an expression's value in another integer type."""
        if not is_integer(expr.type):
            return range_of_type(to)
        found, limits = self.read(expr, facts, depth), range_of_type(to)
        return found if _is_in(found, limits) else limits

    def computed(self, expr: Expr, facts: Facts, depth: int) -> ValueRange | None:
        """The range of what an expression computes before it is made one of its type; None if the type tells all."""
        if isinstance(expr, Variable):
            value = self.initial.get(expr.name)
            return self.converted(value, expr.type, (), depth - 1) if value is not None and depth else None
        if isinstance(expr, Cast):
            return self.converted(expr.operand, expr.type, facts, depth)
        if isinstance(expr, Conditional):
            return self.chosen(expr, facts, depth)
        if isinstance(expr, Unary):
            return self.unary(expr, facts, depth)
        if isinstance(expr, Call) and expr.function in ABSOLUTE and expr.callee is None:
            operand = self.converted(expr.arguments[0], expr.type, facts, depth)
            return ValueRange(0, max(abs(operand.low), abs(operand.high)))
        if isinstance(expr, Binary):
            return self.binary(expr, facts, depth)
        return None

    def chosen(self, expr: Conditional, facts: Facts, depth: int) -> ValueRange:
        """The range of one of two values: each is computed where the condition, or its opposite, holds."""
        holds, fails = self.told(expr.condition, depth)
        then = self.converted(expr.then, expr.type, (*facts, *holds), depth)
        return then.joined(self.converted(expr.otherwise, expr.type, (*facts, *fails), depth))

    def told(self, condition: Expr, depth: int) -> tuple[Facts, Facts]:
        """What is known where a condition holds, and where it does not."""
        if isinstance(condition, Unary) and condition.op == "!":
            holds, fails = self.told(condition.operand, depth)
            return fails, holds
        if not isinstance(condition, Binary):
            return (), ()
        if condition.op in ("&&", "||"):
            (left, not_left), (right, not_right) = self.told(condition.left, depth), self.told(condition.right, depth)
            return ((*left, *right), ()) if condition.op == "&&" else ((), (*not_left, *not_right))
        if condition.op not in NEGATED or not self.compares_values(condition, depth):
            return (), ()
        return self.ordered(condition, condition.op), self.ordered(condition, NEGATED[condition.op])

    def compares_values(self, condition: Binary, depth: int) -> bool:
        """Whether a comparison is one of the operands' values: conversions before it change neither."""
        sides = condition.left, condition.right
        if not all(is_integer(side.type) for side in sides):
            return False
        limits = range_of_type(promoted(*(side.type for side in sides)))
        return all(_is_in(self.read(side, (), depth), limits) for side in sides)

    def ordered(self, condition: Binary, operator: str) -> Facts:
        """What ``left operator right`` says, as sums that are not negative."""
        left, right = polynomial_of(condition.left), polynomial_of(condition.right)
        if left is None or right is None:
            return ()
        return ((right - left if operator[0] == "<" else left - right) - (len(operator) == 1),)

    def unary(self, expr: Unary, facts: Facts, depth: int) -> ValueRange | None:
        """The range of ``-x``, ``+x`` and ``!x``."""
        if expr.op == "!":
            return ValueRange(0, 1)
        if expr.op not in ("-", "+"):
            return None
        operand = self.converted(expr.operand, expr.type, facts, depth)
        return ValueRange(-operand.high, -operand.low) if expr.op == "-" else operand

    def binary(self, expr: Binary, facts: Facts, depth: int) -> ValueRange | None:
        """The range of an operation of two operands; None if its type tells all that is known."""
        if expr.op in COMPARING:
            return ValueRange(0, 1)
        if expr.op == ">>":
            return self.shifted(expr, facts, depth)
        operation = _OPERATIONS.get(expr.op)
        if operation is None:
            return None
        left, right = (self.converted(side, expr.type, facts, depth) for side in (expr.left, expr.right))
        return operation(left, right)

    def shifted(self, expr: Binary, facts: Facts, depth: int) -> ValueRange | None:
        """The range of ``left >> places`` for a constant number of places."""
        left, places = self.converted(expr.left, expr.type, facts, depth), constant(expr.right)
        if places is None or not 0 <= places < 8 * integer_of(expr.type).size or left.low < 0:
            return None
        return ValueRange(left.low >> places, left.high >> places)


def range_of_type(ctype: CType) -> ValueRange:
    """The values of an integer type; a plain char may have a sign or not."""
    kind: Arithmetic = integer_of(ctype)
    if kind.name == "_Bool":
        return ValueRange(0, 1)
    bits = 8 * kind.size
    low = 0 if kind.unsigned else -1 << (bits - 1)
    is_any = kind.name == "char" and not kind.signed_char
    return ValueRange(low, (1 << bits) - 1 if kind.unsigned or is_any else (1 << (bits - 1)) - 1)


def _is_in(inner: ValueRange, outer: ValueRange) -> bool:
    return outer.low <= inner.low and inner.high <= outer.high


def _sum(left: ValueRange, right: ValueRange) -> ValueRange:
    return ValueRange(left.low + right.low, left.high + right.high)


def _difference(left: ValueRange, right: ValueRange) -> ValueRange:
    return ValueRange(left.low - right.high, left.high - right.low)


def _product(left: ValueRange, right: ValueRange) -> ValueRange:
    ends = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
    return ValueRange(min(ends), max(ends))


def _quotient(left: ValueRange, right: ValueRange) -> ValueRange | None:
    """A division by a positive constant, which C rounds to zero."""
    if right.low != right.high or right.low <= 0:
        return None
    low, high = (abs(end) // right.low * (1 if end >= 0 else -1) for end in (left.low, left.high))
    return ValueRange(low, high)


def _remainder(left: ValueRange, right: ValueRange) -> ValueRange | None:
    """A remainder by a positive number, which has the sign of what is divided."""
    if right.low <= 0:
        return None
    most = right.high - 1
    return ValueRange(max(left.low, -most) if left.low < 0 else 0, min(left.high, most) if left.high > 0 else 0)


def _common_bits(left: ValueRange, right: ValueRange) -> ValueRange | None:
    """``left & right``, which is no larger than an operand that has no sign."""
    bounds = [side.high for side in (left, right) if side.low >= 0]
    return ValueRange(0, min(bounds)) if bounds else None


def _all_bits(left: ValueRange, right: ValueRange) -> ValueRange | None:
    """``left | right`` and ``left ^ right``, which have no higher bit than the operands."""
    if left.low < 0 or right.low < 0:
        return None
    return ValueRange(0, (1 << max(left.high, right.high).bit_length()) - 1)


_Operation = Callable[[ValueRange, ValueRange], ValueRange | None]
_OPERATIONS: Mapping[str, _Operation] = MappingProxyType(
    {
        "+": _sum,
        "-": _difference,
        "*": _product,
        "/": _quotient,
        "%": _remainder,
        "&": _common_bits,
        "|": _all_bits,
        "^": _all_bits,
    }
)
