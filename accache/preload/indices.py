"""Indices as polynomials modulo 2**32.

Sums, differences, products and conversions of integers of 32 bits and more keep values modulo 2**32, signed or not. The
arrays of which copies are made have fewer elements, which the launch makes sure of: there an index is what its
polynomial tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from accache.ir.as_polynomial import MAX_DEGREE, MAX_TERMS
from accache.ir.constants import constant
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Cast, Expr, Unary, Variable
from accache.ir.types import Arithmetic, integer_of, is_integer, resolve

_BYTES = 4
_BITS = 8 * _BYTES


Other = Callable[[Expr], Polynomial | None]
"""What stands for an expression that is no polynomial."""


def _nothing(expr: Expr) -> Polynomial | None:
    return None


def index_of(expr: Expr, definitions: Mapping[str, Expr], other: Other = _nothing) -> Polynomial | None:
    """The polynomial of an index; variables with one definition are replaced by it. None if it is none.

    Of what is no polynomial ``other`` may give one.

    >>> from accache.base.text import Location
    >>> from accache.ir.tree import IntLiteral
    >>> str(index_of(IntLiteral(Arithmetic("int", unsigned=True), Location("a.cu", 1), 4294967295, "-1u"), {}))
    '-1'
    """
    value = constant(expr)
    if value is not None:
        half = 1 << (_BITS - 1)
        return Polynomial.constant((value + half) % (2 * half) - half)
    found = _polynomial(expr, definitions, other)
    return found if found is not None else other(expr)


def _polynomial(expr: Expr, definitions: Mapping[str, Expr], other: Other) -> Polynomial | None:
    if not is_integer(expr.type) or integer_of(expr.type).size < _BYTES:
        return _narrow(expr, definitions)
    if isinstance(expr, Variable):
        return _variable(expr, definitions, other)
    if isinstance(expr, Cast):
        return index_of(expr.operand, definitions, other) if is_integer(expr.operand.type) else None
    if isinstance(expr, Unary) and expr.op in ("+", "-"):
        operand = index_of(expr.operand, definitions, other)
        return -operand if operand is not None and expr.op == "-" else operand
    return _binary(expr, definitions, other) if isinstance(expr, Binary) else None


def _narrow(expr: Expr, definitions: Mapping[str, Expr]) -> Polynomial | None:
    """A variable of a short type stands for itself; what is computed is computed in int."""
    is_known = isinstance(expr, Variable) and is_integer(expr.type)
    return (
        _variable(expr, {}, _nothing)
        if is_known and isinstance(expr, Variable) and expr.name not in definitions
        else None
    )


def _variable(use: Variable, definitions: Mapping[str, Expr], other: Other) -> Polynomial | None:
    plain = resolve(use.type)
    if isinstance(plain, Arithmetic) and plain.volatile:
        return None
    if use.name not in definitions:
        return Polynomial.symbol(use.name)
    rest = {name: value for name, value in definitions.items() if name != use.name}
    return index_of(definitions[use.name], rest, other)


def _binary(expr: Binary, definitions: Mapping[str, Expr], other: Other) -> Polynomial | None:
    left = index_of(expr.left, definitions, other)
    if left is None:
        return None
    if expr.op == "<<":
        places = constant(expr.right)
        return left * (1 << places) if places is not None and 0 <= places < _BITS else None
    right = index_of(expr.right, definitions, other) if expr.op in ("+", "-", "*") else None
    if right is None:
        return None
    found = left + right if expr.op == "+" else left - right if expr.op == "-" else left * right
    return found if found.total_degree <= MAX_DEGREE and len(found.terms) <= MAX_TERMS else None
