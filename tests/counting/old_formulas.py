"""The oracle of counts: another representation, sums of products of factors, which sympy has nothing to do with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import TypeAlias

from msgspec import Struct

from accache.ir.polynomial import Polynomial

MAX_ADDED = 1024


class Ceil(Struct, frozen=True):
    """``ceil(numerator/divisor)``."""

    numerator: Count
    divisor: int

    @property
    def names(self) -> frozenset[str]:
        """The symbols that occur."""
        return self.numerator.names

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value where every symbol has one."""
        return -(-self.numerator.evaluate(values) // self.divisor)


class Least(Struct, frozen=True):
    """``min(a, b, ...)``."""

    options: tuple[Count, ...]

    @property
    def names(self) -> frozenset[str]:
        """The symbols that occur."""
        return frozenset[str]().union(*(option.names for option in self.options))

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value where every symbol has one."""
        return min(option.evaluate(values) for option in self.options)


class Sum(Struct, frozen=True):
    """``body`` added up for a variable that starts at ``first`` and covers ``span`` values by ``step``."""

    variable: str
    first: Polynomial
    span: Count
    step: int
    body: Count

    @property
    def names(self) -> frozenset[str]:
        """The symbols that occur free."""
        return self.first.names | self.span.names | (self.body.names - {self.variable})

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value where every free symbol has one."""
        first, span = self.first.evaluate(values), self.span.evaluate(values)
        rounds = max(0, -(-span // abs(self.step)))
        return sum(self.body.evaluate({**values, self.variable: first + self.step * k}) for k in range(rounds))


Factor: TypeAlias = "Polynomial | Ceil | Least | Sum | Count"
Term: TypeAlias = "tuple[tuple[Factor, ...], int]"


class Count(Struct, frozen=True):
    """A sum of integer multiples of products of factors, in one canonical form."""

    terms: tuple[tuple[tuple[Factor, ...], int], ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The symbols that occur free."""
        return frozenset[str]().union(*(factor.names for factors, _ in self.terms for factor in factors))

    @property
    def value(self) -> int | None:
        """The value of a count without symbols; None for others."""
        return self.evaluate({}) if not self.names else None

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value where every symbol has one; KeyError names a symbol without."""
        total = 0
        for factors, coefficient in self.terms:
            for factor in factors:
                coefficient *= factor.evaluate(values)
            total += coefficient
        return total


NOTHING = Count()


def as_count(value: Polynomial | int) -> Count:
    """A polynomial or number as a count; a polynomial of several terms stays together as one factor."""
    if isinstance(value, int):
        return Count((((), value),) if value else ())
    if value.constant_value is not None:
        return as_count(value.constant_value)
    content = value.content
    if len(value.terms) == 1:
        monomial, coefficient = value.terms[0]
        return Count(((tuple(Polynomial.symbol(name) for name in monomial), coefficient),))
    if content > 1:
        return Count((((Polynomial(tuple((m, c // content) for m, c in value.terms)),), content),))
    return Count((((value,), 1),))


def plus(*counts: Count) -> Count:
    """The sum; polynomials that stand alone are added up."""
    sums: dict[tuple[Factor, ...], int] = {}
    alone = Polynomial()
    for count in counts:
        for factors, coefficient in count.terms:
            polynomials = _polynomials(factors)
            if polynomials is not None and len(polynomials) <= 1:
                alone = alone + _expanded(polynomials) * coefficient
            else:
                sums[factors] = sums.get(factors, 0) + coefficient
    merged = [*as_count(alone).terms, *((factors, coefficient) for factors, coefficient in sums.items() if coefficient)]
    return Count(tuple(sorted(_factored(merged), key=lambda term: (not term[0], term[1] < 0))))


def _factored(terms: list[Term]) -> list[Term]:
    """Polynomial terms with a common factor as one product: ``2*k*(n - 2) + n - 2`` is ``(2*k + 1)*(n - 2)``."""
    polynomial: list[tuple[Counter[Polynomial], int]] = []
    others: list[Term] = []
    for factors, number in terms:
        polynomials = _polynomials(factors)
        if polynomials is None:
            others.append((factors, number))
        else:
            polynomial.append((Counter(polynomials), number))
    common = reduce(Counter.__and__, (factors for factors, _ in polynomial)) if len(polynomial) > 1 else Counter()
    if not common:
        return terms
    rest = sum((_expanded((factors - common).elements()) * number for factors, number in polynomial), Polynomial())
    one = product(as_count(rest), *(as_count(factor) for factor in common.elements()))
    return [*one.terms, *others]


def _polynomials(factors: tuple[Factor, ...]) -> tuple[Polynomial, ...] | None:
    """The factors if all are polynomials."""
    found = tuple(factor for factor in factors if isinstance(factor, Polynomial))
    return found if len(found) == len(factors) else None


def _expanded(factors: Iterable[Polynomial]) -> Polynomial:
    """The product of polynomials."""
    value = Polynomial.constant(1)
    for factor in factors:
        value = value * factor
    return value


def product(*counts: Count) -> Count:
    """The product; a sum of several terms stays together as one factor."""
    factors: list[Factor] = []
    coefficient = 1
    for count in counts:
        if not count.terms:
            return NOTHING
        if len(count.terms) == 1:
            factors += count.terms[0][0]
            coefficient *= count.terms[0][1]
        else:
            factors.append(count)
    if len(factors) == 1 and isinstance(factors[0], Count):
        return Count(tuple((inner, coefficient * times) for inner, times in factors[0].terms))
    return Count(((tuple(sorted(factors, key=_order)), coefficient),))


def least(options: tuple[Count, ...]) -> Count:
    """The smallest of some counts."""
    distinct = tuple(dict.fromkeys(options))
    values = [option.value for option in distinct]
    known = [value for value in values if value is not None]
    smallest = (as_count(min(known)),) if known else ()
    kept = smallest + tuple(option for option, value in zip(distinct, values, strict=True) if value is None)
    return kept[0] if len(kept) == 1 else Count((((Least(kept),), 1),))


def greater(first: Count, second: Count) -> Count:
    """The greater of two counts; where that depends on what names stand for, their sum, which is no less."""
    difference = plus(first, product(as_count(-1), second)).value
    if difference is None:
        return plus(first, second)
    return first if difference >= 0 else second


def rounds(span: Count, step: int) -> Count:
    """How many steps cover a span."""
    if abs(step) == 1:
        return span
    value = span.value
    if value is not None:
        return as_count(-(-value // abs(step)))
    if len(span.terms) == 1 and span.terms[0][1] == 1 and len(span.terms[0][0]) == 1:
        inner = span.terms[0][0][0]
        if isinstance(inner, Ceil):
            return rounds(inner.numerator, inner.divisor * abs(step))
    return Count((((Ceil(span, abs(step)),), 1),))


def total(variable: str, first: Polynomial, span: Count, step: int, *, body: Count) -> Count:
    """``body`` added up over a loop that starts at ``first`` and covers ``span`` values by ``step``."""
    if first == Polynomial.symbol(variable) and rounds(span, step).value == 1:
        return body
    parts = []
    for factors, coefficient in body.terms:
        free = tuple(factor for factor in factors if variable not in factor.names)
        bound = tuple(factor for factor in factors if variable in factor.names)
        times = _added(variable, first, span, step, bound) if bound else rounds(span, step)
        parts.append(product(Count(((free, coefficient),)), times))
    return plus(*parts)


def _added(variable: str, first: Polynomial, span: Count, step: int, bound: tuple[Factor, ...]) -> Count:
    """The sum of factors that all depend on the variable."""
    tiled = _tiling(variable, first, span, step, bound)
    if tiled is not None:
        return tiled
    times = rounds(span, step).value
    polynomials = _polynomials(bound)
    if times is not None and times <= MAX_ADDED and polynomials is not None:
        value = _expanded(polynomials)
        return as_count(sum((value.substitute({variable: first + step * k}) for k in range(times)), Polynomial()))
    return Count((((Sum(variable, first, span, step, Count(((bound, 1),))),), 1),))


def _tiling(variable: str, first: Polynomial, span: Count, step: int, bound: tuple[Factor, ...]) -> Count | None:
    """The sum of ``min(step, what is left)`` over a loop in steps: all there is to cover."""
    if len(bound) != 1 or not isinstance(bound[0], Least) or len(bound[0].options) != 2:
        return None
    size, left = bound[0].options
    polynomials = [factors[0] for factors, _ in left.terms if len(factors) == 1]
    if size.value != abs(step) or len(left.terms) != 1 or not polynomials or not isinstance(polynomials[0], Polynomial):
        return None
    everything = as_count((polynomials[0] * left.terms[0][1]).substitute({variable: first}))
    return span if everything == span else None


def _order(factor: Factor) -> tuple[bool, bool, str]:
    is_polynomial = isinstance(factor, Polynomial)
    return not is_polynomial, isinstance(factor, (Polynomial, Count)) and len(factor.terms) > 1, repr(factor)
