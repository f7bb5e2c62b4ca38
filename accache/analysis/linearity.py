"""Linear functions of loop variables (paper 004, section 4.2.1), and the range of a block, in sympy's algebra.

All symbols are integers. Expressions may hold ``floor``, ``Mod``, ``Min`` and ``Max``; divisions are over the rational
numbers, so that a C division is ``floor`` of one only where neither side is negative. Importing this module does not
import sympy: the first call does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from msgspec import Struct

from accache.base.imports import quick_imports
from accache.ir.polynomial import Polynomial


class LinearParams(Struct, frozen=True):
    """``rate*variable + offset``; all three are sympy's, and rate and offset mention no induction variable."""

    rate: Any
    variable: Any
    offset: Any


class Form(Struct, frozen=True):
    """A linear function of several variables: the rate of each that occurs, and the rest."""

    rates: tuple[tuple[Any, Any], ...]
    offset: Any


@cache
def algebra() -> Any:
    """The sympy module."""
    with quick_imports():
        return import_module("sympy")


def symbol(name: str) -> Any:
    """An integer symbol."""
    return algebra().Symbol(name, integer=True)


def is_linear(lower: Any, variables: Iterable[Any], steps: Mapping[Any, Any]) -> bool:
    """Whether ``lower`` is a linear function of exactly one of some induction variables, and its loop's step is known.

    ``steps`` has what each counted loop adds to its variable a round; it may depend on no induction variable.
    """
    variables = tuple(variables)
    params = get_linear_params(lower, variables)
    if params is None or params.variable not in steps:
        return False
    step = algebra().sympify(steps[params.variable])
    return step != 0 and not step.free_symbols & set(variables)


def get_linear_params(lower: Any, variables: Iterable[Any]) -> LinearParams | None:
    """Rate, induction variable and offset of ``lower``; None if it does not depend linearly on exactly one."""
    form = linear_form(lower, variables)
    if form is None or len(form.rates) != 1:
        return None
    (variable, rate), *_ = form.rates
    return LinearParams(rate, variable, form.offset)


def linear_form(expr: Any, variables: Iterable[Any]) -> Form | None:
    """``expr`` as a linear function of all variables at once; None if it is not one, or not seen to be one.

    Terms that cancel out count as absent: ``i*n - n*i + j`` is linear in j alone.
    """
    sympy = algebra()
    ordered = tuple(variables)
    found = _split(sympy.expand(sympy.sympify(expr)), frozenset(ordered))
    if found is None:
        return None
    rates, offset = found
    present = tuple((each, rates[each]) for each in ordered if rates.get(each, 0) != 0)
    return Form(present, sympy.expand(offset))


def shared_extent(rate: Any, step: Any, length: Any, width: Any) -> Any:
    """Elements that ``width`` neighbouring threads need together, ``length`` each: the paper's 4.2.5, with the step."""
    sympy = algebra()
    return sympy.expand(length + sympy.Abs(sympy.expand(rate * step)) * (width - 1))


def to_sympy(polynomial: Polynomial) -> Any:
    """An integer polynomial in sympy's terms."""
    sympy = algebra()
    terms = (number * sympy.Mul(*map(symbol, monomial)) for monomial, number in polynomial.terms)
    return sympy.Add(*terms)


def from_sympy(expr: Any) -> Polynomial | None:
    """A sympy expression as an integer polynomial; None if it is none."""
    sympy = algebra()
    terms = []
    for term in sympy.Add.make_args(sympy.expand(expr)):
        number, factors = term.as_coeff_mul()
        powers = [factor.as_base_exp() for factor in factors]
        if not number.is_Integer or not all(
            base.is_Symbol and power.is_Integer and power > 0 for base, power in powers
        ):
            return None
        terms.append((tuple(base.name for base, power in powers for _ in range(int(power))), int(number)))
    return Polynomial.of(terms)


Parts = tuple[dict[Any, Any], Any]
"""The rate of each variable that occurs, and the offset."""


def _split(expr: Any, variables: frozenset[Any]) -> Parts | None:
    """Rates and offset of an expression, part by part."""
    sympy = algebra()
    if not expr.free_symbols & variables:
        return {}, expr
    if expr in variables:
        return {expr: sympy.Integer(1)}, sympy.Integer(0)
    if expr.is_Add:
        return _sum(expr.args, variables)
    if expr.is_Mul:
        return _product(expr, variables)
    if isinstance(expr, (sympy.Min, sympy.Max)):
        return _extreme(expr, variables)
    if isinstance(expr, sympy.floor):
        return _floor(expr.args[0], variables)
    return _remainder(expr.args[0], expr.args[1], variables) if isinstance(expr, sympy.Mod) else None


def _sum(terms: Iterable[Any], variables: frozenset[Any]) -> Parts | None:
    sympy = algebra()
    rates: dict[Any, Any] = {}
    offset = sympy.Integer(0)
    for term in terms:
        found = _split(term, variables)
        if found is None:
            return None
        for variable, rate in found[0].items():
            rates[variable] = sympy.expand(rates.get(variable, 0) + rate)
        offset += found[1]
    return rates, offset


def _product(expr: Any, variables: frozenset[Any]) -> Parts | None:
    """What multiplies a linear function may not mention a variable."""
    factor, rest = expr.as_independent(*variables, as_Add=False)
    found = _split(rest, variables) if rest != expr else None
    if found is None:
        return None
    sympy = algebra()
    return {variable: sympy.expand(factor * rate) for variable, rate in found[0].items()}, factor * found[1]


def _extreme(expr: Any, variables: frozenset[Any]) -> Parts | None:
    """The least or greatest of functions that move alike moves with them."""
    parts = [_split(algebra().expand(arg), variables) for arg in expr.args]
    known = [part for part in parts if part is not None]
    if len(known) != len(parts) or any(_present(part) != _present(known[0]) for part in known):
        return None
    return _present(known[0]), expr.func(*(offset for _, offset in known))


def _floor(value: Any, variables: frozenset[Any]) -> Parts | None:
    """A quotient that moves by integers keeps one fraction."""
    sympy = algebra()
    found = _split(sympy.expand(value), variables)
    if found is None or not all(rate.is_integer for rate in found[0].values()):
        return None
    return found[0], sympy.floor(found[1])


def _remainder(value: Any, divisor: Any, variables: frozenset[Any]) -> Parts | None:
    """What moves by multiples of the divisor leaves one remainder."""
    sympy = algebra()
    found = None if divisor.free_symbols & variables else _split(sympy.expand(value), variables)
    if found is None or not all(sympy.cancel(rate / divisor).is_integer for rate in found[0].values()):
        return None
    return {}, sympy.Mod(found[1], divisor)


def _present(parts: Parts) -> dict[Any, Any]:
    return {variable: rate for variable, rate in parts[0].items() if rate != 0}
