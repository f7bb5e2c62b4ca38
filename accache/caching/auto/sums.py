"""Polynomials as the C expressions that a user would write: sums and products of typed variables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from accache.base.text import Location
from accache.ir.build import INT, number
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Expr, Unary, Variable
from accache.ir.types import CType, promoted


def sum_of(polynomial: Polynomial, types: Mapping[str, CType], where: Location) -> Expr:
    """The expression of a polynomial whose symbols are variables of these types."""
    terms = sorted(polynomial.terms, key=lambda term: term[1] < 0)
    if not terms:
        return number(0, where)
    total: Expr | None = None
    for monomial, coefficient in terms:
        factors: list[Expr] = [Variable(types.get(name, INT), where, name) for name in monomial]
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, number(abs(coefficient), where))
        term = reduce(lambda left, right: _binary("*", left, right), factors)
        if total is not None:
            total = _binary("-" if coefficient < 0 else "+", total, term)
        else:
            total = Unary(term.type, where, "-", term) if coefficient < 0 else term
    assert total is not None
    return total


def _binary(op: str, left: Expr, right: Expr) -> Expr:
    return Binary(promoted(left.type, right.type), left.location, op, left, right)
