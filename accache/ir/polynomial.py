"""Integer polynomials over named symbols: the one notation the analyses speak."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from math import gcd
from operator import mul

from msgspec import Struct

from accache.base.properties import cached_property

Monomial = tuple[str, ...]
"""The factors of a product of symbols, sorted and repeated by power: ``i*i*n`` is ("i", "i", "n")."""


class Polynomial(Struct, frozen=True, dict=True):
    """A sum of integer multiples of monomials, in one canonical form, so that ``==`` is equality of polynomials.

    ``terms`` holds (monomial, coefficient) without zeros: higher degrees first, then alphabetical, the constant last.
    Make values with ``constant``, ``symbol``, ``of`` and arithmetic, which keep that form.

    >>> i, m = Polynomial.symbol("i"), Polynomial.symbol("m")
    >>> ((i + 1) * m - 1).to_c()
    'i*m + m - 1'
    """

    terms: tuple[tuple[Monomial, int], ...] = ()

    @staticmethod
    def constant(value: int) -> Polynomial:
        """The polynomial without symbols."""
        return Polynomial((((), value),) if value else ())

    @staticmethod
    def symbol(name: str) -> Polynomial:
        """The polynomial that is one symbol."""
        return Polynomial((((name,), 1),))

    @staticmethod
    def of(terms: Iterable[tuple[Monomial, int]]) -> Polynomial:
        """The sum of any terms, in any order."""
        sums: dict[Monomial, int] = {}
        for monomial, coefficient in terms:
            key = monomial if len(monomial) < 2 else tuple(sorted(monomial))
            sums[key] = sums.get(key, 0) + coefficient
        return _in_order(sums)

    def __add__(self, other: Polynomial | int) -> Polynomial:
        summand = as_polynomial(other)
        if not summand.terms:
            return self
        if not self.terms:
            return summand
        sums = dict(self.terms)
        for monomial, coefficient in summand.terms:
            sums[monomial] = sums.get(monomial, 0) + coefficient
        return _in_order(sums)

    def __neg__(self) -> Polynomial:
        return Polynomial(tuple([(monomial, -coefficient) for monomial, coefficient in self.terms]))

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        less = as_polynomial(other)
        if not less.terms:
            return self
        sums = dict(self.terms)
        for monomial, coefficient in less.terms:
            sums[monomial] = sums.get(monomial, 0) - coefficient
        return _in_order(sums)

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        if other == 1:
            return self
        factor = as_polynomial(other)
        return Polynomial.of([(a + b, c * d) for a, c in self.terms for b, d in factor.terms])

    def __radd__(self, other: int) -> Polynomial:
        return self + other

    def __rsub__(self, other: int) -> Polynomial:
        return -self + other

    def __rmul__(self, other: int) -> Polynomial:
        return self * other

    def __str__(self) -> str:
        return self.to_c()

    @property
    def constant_value(self) -> int | None:
        """The value of a polynomial without symbols; None for others."""
        if not self.terms:
            return 0
        monomial, coefficient = self.terms[0]
        return coefficient if not monomial else None

    @property
    def constant_term(self) -> int:
        """The term without symbols, 0 if there is none."""
        return self.terms[-1][1] if self.terms and not self.terms[-1][0] else 0

    @property
    def total_degree(self) -> int:
        """The length of the longest monomial."""
        return len(self.terms[0][0]) if self.terms else 0

    @property
    def content(self) -> int:
        """The greatest common divisor of the coefficients, 0 for the zero polynomial."""
        return gcd(*(coefficient for _, coefficient in self.terms))

    @cached_property
    def names(self) -> frozenset[str]:
        """The symbols that occur."""
        return frozenset[str]().union(*[monomial for monomial, _ in self.terms])

    def degree(self, name: str) -> int:
        """The highest power of one symbol."""
        return max(monomial.count(name) for monomial, _ in self.terms) if name in self.names else 0

    def power_coefficient(self, name: str, power: int) -> Polynomial:
        """What multiplies exactly this power of a symbol."""
        if not power and name not in self.names:
            return self
        return Polynomial.of(
            [
                (tuple([factor for factor in monomial if factor != name]), coefficient)
                for monomial, coefficient in self.terms
                if monomial.count(name) == power
            ]
        )

    def coefficient(self, name: str) -> Polynomial | None:
        """What multiplies a symbol that occurs linearly or not at all; None if it has a higher power."""
        return self.power_coefficient(name, 1) if self.degree(name) <= 1 else None

    def without(self, name: str) -> Polynomial:
        """The terms that do not mention a symbol."""
        return self.power_coefficient(name, 0)

    def substitute(self, values: Mapping[str, Polynomial]) -> Polynomial:
        """All given symbols replaced at the same time."""
        if self.names.isdisjoint(values):
            return self
        total: list[tuple[Monomial, int]] = []
        for monomial, coefficient in self.terms:
            replaced = [values[name] for name in monomial if name in values]
            if not replaced:
                total.append((monomial, coefficient))
                continue
            kept = tuple([name for name in monomial if name not in values])
            product = reduce(mul, replaced)
            total += [(kept + factors, coefficient * factor) for factors, factor in product.terms]
        return Polynomial.of(total)

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value where every symbol has one; KeyError names a symbol without."""
        total = 0
        for monomial, coefficient in self.terms:
            product = 1
            for name in monomial:
                product *= values[name]
            total += coefficient * product
        return total

    def divided_by(self, divisor: Polynomial | int) -> Polynomial | None:
        """The quotient if the division leaves no remainder over the integers, else None (None also for divisor 0).

        Complete: if any integer polynomial times ``divisor`` gives this one, it is found (division by one
        polynomial under a monomial order is exact exactly then).
        """
        by = as_polynomial(divisor)
        if not by.terms:
            return None
        quotient, rest = ZERO, self
        while rest.terms:
            monomial, coefficient = rest.terms[0]
            factor = monomial_quotient(monomial, by.terms[0][0])
            if factor is None or coefficient % by.terms[0][1]:
                return None
            term = Polynomial(((factor, coefficient // by.terms[0][1]),))
            quotient, rest = quotient + term, rest - term * by
        return quotient

    def to_c(self, ctype: str = "", positions: frozenset[str] = frozenset(), wide: frozenset[str] = frozenset()) -> str:
        """C text, without parentheses around the sum: ``i - 1``, ``2*i + 1``, ``n - i``, ``0``; a position first.

        With a ``ctype`` nothing overflows on the way to a value of that type. All symbols are narrower but those in
        ``wide``, and ``positions`` are unsigned: products of narrow symbols convert, and so does what a sum begins
        with unless something wide follows at once.
        """
        if not self.terms:
            return "0"
        positive = [index for index, (_, coefficient) in enumerate(self.terms) if coefficient > 0]
        placed = [index for index, (names, _) in enumerate(self.terms) if not positions.isdisjoint(names)]
        first = next((index for index in positive if placed == [index] and not ctype), (positive or [0])[0])
        ordered = (self.terms[first], *self.terms[:first], *self.terms[first + 1 :])
        text = ""
        is_wide = False
        for index, (monomial, coefficient) in enumerate(ordered):
            sign = " - " if coefficient < 0 else " + "
            convert = False
            if ctype and monomial:
                starts_narrow = not is_wide and wide.isdisjoint(monomial)
                narrow_follows = any(
                    wide.isdisjoint(follower) and not _may_overflow(follower, factor, wide)
                    for follower, factor in ordered[index + 1 : index + 2]
                )
                convert = _may_overflow(monomial, coefficient, wide) or (
                    starts_narrow and (narrow_follows or not positions.isdisjoint(monomial))
                )
            term = _term_to_c(monomial, coefficient, ctype if convert else "")
            if not text and coefficient < -1 and not convert and not positions.isdisjoint(monomial):
                term = f"({term})"  # a negative literal beside an unsigned position would change its sign
            text += (sign if text else sign.strip(" +")) + term
            is_wide = is_wide or convert or not wide.isdisjoint(monomial)
        return text


ZERO = Polynomial()
ONE = Polynomial.constant(1)


def as_polynomial(value: Polynomial | int) -> Polynomial:
    """The value itself, or the constant polynomial of an int."""
    return Polynomial.constant(value) if isinstance(value, int) else value


def _in_order(sums: Mapping[Monomial, int]) -> Polynomial:
    """The polynomial with these coefficients, some of which may be 0."""
    kept = [term for term in sums.items() if term[1]]
    if len(kept) > 1:
        kept.sort(key=_order)
    return Polynomial(tuple(kept))


def _order(term: tuple[Monomial, int]) -> tuple[int, Monomial]:
    """Where a term stands among others."""
    return -len(term[0]), term[0]


def monomial_quotient(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """What is left of a monomial when the factors of a divisor are taken out; None if one is missing."""
    rest = list(monomial)
    for name in divisor:
        if name not in rest:
            return None
        rest.remove(name)
    return tuple(rest)


def _may_overflow(monomial: Monomial, coefficient: int, wide: frozenset[str]) -> bool:
    """Whether a term, computed from left to right, multiplies two numbers that are not wide."""
    before = next((place for place, name in enumerate(monomial) if name in wide), len(monomial))
    return before + (abs(coefficient) > 1) > 1


def _term_to_c(monomial: Monomial, coefficient: int, ctype: str) -> str:
    """A term without its sign; its first symbol converts to a type, if there is one."""
    factors = [str(abs(coefficient))] if abs(coefficient) != 1 or not monomial else []
    symbols = [f"({ctype}){monomial[0]}", *monomial[1:]] if ctype and monomial else monomial
    return "*".join([*factors, *symbols])
