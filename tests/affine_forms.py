"""Affine forms ``rate*variable + offset`` of C expressions, once by our polynomials and once by sympy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy
from msgspec import Struct

from accache.ir.as_polynomial import NO_DEFINITIONS, polynomial_of
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Cast, Expr, IntLiteral, Unary, Variable


class AffineForm(Struct, frozen=True):
    """``rate*variable + offset`` where neither rate nor offset mentions the variable (both may be symbolic)."""

    rate: Polynomial
    offset: Polynomial
    variable: str

    def to_polynomial(self) -> Polynomial:
        """The sum written out."""
        return self.rate * Polynomial.symbol(self.variable) + self.offset


def affine_form(
    source: Expr | Polynomial, variable: str, definitions: Mapping[str, Expr] = NO_DEFINITIONS
) -> AffineForm | None:
    """``source`` as a linear function of one variable; None if it is not one.

    This is *is_linear* and *get_linear_params* of the paper's Section 4.2.1: rate and offset are expressions
    independent of the induction variable. A source without the variable has rate 0.
    """
    polynomial = source if isinstance(source, Polynomial) else polynomial_of(source, definitions)
    if polynomial is None:
        return None
    rate = polynomial.coefficient(variable)
    return None if rate is None else AffineForm(rate, polynomial.without(variable), variable)


def sympy_affine_form(expr: Expr, variable: str, definitions: Mapping[str, Expr] = NO_DEFINITIONS) -> AffineForm | None:
    """A second opinion on ``affine_form`` whose algebra is sympy's; takes every cast as keeping its value."""
    value = _sympy_value(expr, definitions)
    if value is None:
        return None
    by_power = sympy.Poly(value, sympy.Symbol(variable))
    if by_power.degree() > 1:
        return None
    symbol = sympy.Symbol(variable)
    return AffineForm(_from_sympy(by_power.coeff_monomial(symbol)), _from_sympy(by_power.coeff_monomial(1)), variable)


def _sympy_value(expr: Expr, definitions: Mapping[str, Expr]) -> Any:
    """An expression as a sympy polynomial, None if it is none."""
    if isinstance(expr, IntLiteral):
        return sympy.Integer(expr.value)
    if isinstance(expr, Variable):
        rest = {name: value for name, value in definitions.items() if name != expr.name}
        defined = expr.name in definitions
        return _sympy_value(definitions[expr.name], rest) if defined else sympy.Symbol(expr.name)
    if isinstance(expr, Cast):
        return _sympy_value(expr.operand, definitions)
    if isinstance(expr, Unary) and expr.op in ("+", "-"):
        operand = _sympy_value(expr.operand, definitions)
        return operand if operand is None or expr.op == "+" else -operand
    if not isinstance(expr, Binary):
        return None
    left, right = _sympy_value(expr.left, definitions), _sympy_value(expr.right, definitions)
    if left is None or right is None:
        return None
    if expr.op == "/":
        return _sympy_quotient(left, right)
    operation = {"+": left.__add__, "-": left.__sub__, "*": left.__mul__}.get(expr.op)
    return None if operation is None else sympy.expand(operation(right))


def _sympy_quotient(left: Any, right: Any) -> Any:
    """C's quotient of two constants, or of an exact division over the integers."""
    if right == 0:
        return None
    if left.is_Integer and right.is_Integer:
        return sympy.Integer(int(sympy.Abs(left) // sympy.Abs(right)) * int(sympy.sign(left) * sympy.sign(right)))
    symbols = sorted(left.free_symbols | right.free_symbols, key=str)
    dividend, divisor = (sympy.Poly(value, *symbols, domain="ZZ") for value in (left, right))
    quotient, rest = sympy.div(dividend, divisor, auto=False)
    return quotient.as_expr() if rest.is_zero else None


def _from_sympy(value: Any) -> Polynomial:
    """An expanded sympy polynomial with integer coefficients as ours."""
    symbols = sorted(value.free_symbols, key=str)
    if not symbols:
        return Polynomial.constant(int(value))
    terms = sympy.Poly(value, *symbols).terms()
    return Polynomial.of(
        (tuple(str(s) for s, power in zip(symbols, powers, strict=True) for _ in range(power)), int(coefficient))
        for powers, coefficient in terms
    )
