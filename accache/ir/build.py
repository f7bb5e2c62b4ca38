"""Expressions built by passes: constants, conditions joined, polynomials as C."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from msgspec.structs import replace

from accache.base.text import Location
from accache.ir.constants import constant
from accache.ir.kernels.simt import AXES, Formula
from accache.ir.names import thread
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Expr, IntLiteral, Unary
from accache.ir.types import Arithmetic, CType, exceeds_int, integer_of, is_integer, unqualified

BOOL = Arithmetic("_Bool")
INT = Arithmetic("int")
WIDE = Arithmetic("long long")
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
"""The comparison of integers that holds where another one does not."""


def formula(polynomial: Polynomial, where: Location, ctype: CType = INT) -> Expr:
    """An expression for a polynomial, computed in a type; in one wider than int, what is narrower converts."""
    return Formula(ctype, where, polynomial, exceeds_int(ctype))


def number(value: int, where: Location) -> Expr:
    """An integer constant."""
    return IntLiteral(INT, where, value, str(value))


def thread_number(shape: tuple[int, int, int], where: Location) -> Expr:
    """A thread's number in a block of a shape, x fastest."""
    x, y, z = (formula(thread(axis), where) for axis in AXES)
    if shape[1] == shape[2] == 1:
        return x
    inner = Binary(INT, where, "+", Binary(INT, where, "*", y, number(shape[0], where)), x)
    if shape[2] == 1:
        return inner
    planes = Binary(INT, where, "*", z, number(shape[0] * shape[1], where))
    return Binary(INT, where, "+", Binary(INT, where, "+", planes, inner.left), x)


def counting_type(ctype: CType) -> CType:
    """The type in which what is added to numbers of a type is counted from 0 on, so that sums are of one type."""
    plain = unqualified(ctype)
    return plain if integer_of(plain).unsigned and not exceeds_int(plain) else INT


def both(conditions: Sequence[Expr]) -> Expr:
    """All conditions joined by ``&&``."""
    parts = [part for condition in conditions for part in conjuncts(condition)]
    return reduce(lambda left, right: Binary(BOOL, left.location, "&&", left, right), parts)


def conjuncts(condition: Expr | None) -> Iterator[Expr]:
    """The conditions that ``&&`` joins."""
    if isinstance(condition, Binary) and condition.op == "&&":
        yield from conjuncts(condition.left)
        yield from conjuncts(condition.right)
    elif condition is not None:
        yield condition


def negated(condition: Expr) -> Expr:
    """What is true where a condition is not, written as a person would: ``x < 3 || p`` becomes ``x >= 3 && !p``."""
    if isinstance(condition, Unary) and condition.op == "!" and _is_condition(condition.operand):
        return condition.operand
    if isinstance(condition, Binary) and condition.op in ("&&", "||"):
        other = "||" if condition.op == "&&" else "&&"
        return replace(condition, op=other, left=negated(condition.left), right=negated(condition.right))
    if isinstance(condition, Binary) and condition.op in OPPOSITE:
        operands = (condition.left.type, condition.right.type)
        if condition.op in ("==", "!=") or all(map(is_integer, operands)):  # a NaN is neither less nor greater
            return replace(condition, op=OPPOSITE[condition.op])
    return Unary(INT, condition.location, "!", condition)


def _is_condition(expr: Expr) -> bool:
    """Whether an expression is 0 or 1."""
    operators = {*OPPOSITE, "&&", "||"}
    return (isinstance(expr, Binary) and expr.op in operators) or (isinstance(expr, Unary) and expr.op == "!")


def plus(left: Expr, polynomial: Polynomial, ctype: CType) -> Expr:
    """``left + polynomial``, the constants and signs written as a person would."""
    if not polynomial.terms:
        return left
    is_literal = isinstance(left.operand if isinstance(left, Unary) else left, IntLiteral)
    if is_literal and (value := constant(left)) is not None:
        return formula(Polynomial.constant(value) + polynomial, left.location, ctype)
    negative = all(coefficient < 0 for _, coefficient in polynomial.terms)
    shift = formula(-polynomial if negative else polynomial, left.location, ctype)
    return Binary(ctype, left.location, "-" if negative else "+", left, shift)
