"""Counts: integer polynomials over names, and over rounded quotients, least and greatest values and sums of others.

They say what is counted and do no algebra beyond that of polynomials: closed forms, and which of two counts is less,
are questions for ``closed_forms``. Names stand for positive integers, those that ``fixed`` makes for any.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import prod
from typing import Literal, TypeAlias, Union

from msgspec import Struct

from accache.ir.polynomial import Polynomial

MOST_ROUNDS = 1024
"""A sum of numbers over more rounds is not evaluated."""


Which: TypeAlias = Literal["min", "max"]


class Ceil(Struct, frozen=True, tag=True):
    """``ceil(numerator/divisor)``."""

    numerator: Count
    divisor: int

    @property
    def names(self) -> frozenset[str]:
        """The names that occur."""
        return self.numerator.names

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value where every name has one."""
        return -(-self.numerator.evaluate(values) // self.divisor)

    def substitute(self, values: Mapping[str, Polynomial]) -> Count:
        """All given names replaced at the same time."""
        return rounds(self.numerator.substitute(values), self.divisor)

    def __str__(self) -> str:
        text = str(self.numerator)
        return f"ceil({text}/{self.divisor})" if re.fullmatch(r"[\w#]+", text) else f"ceil(({text})/{self.divisor})"


class Extreme(Struct, frozen=True, tag=True):
    """``min(a, b, ...)`` or ``max(a, b, ...)``."""

    which: Which
    options: tuple[Count, ...]

    @property
    def names(self) -> frozenset[str]:
        """The names that occur."""
        return frozenset[str]().union(*(option.names for option in self.options))

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value where every name has one."""
        return _extreme(self.which)(option.evaluate(values) for option in self.options)

    def substitute(self, values: Mapping[str, Polynomial]) -> Count:
        """All given names replaced at the same time."""
        return _either(self.which, tuple(option.substitute(values) for option in self.options))

    def __str__(self) -> str:
        return f"{self.which}({', '.join(map(str, self.options))})"


class Sum(Struct, frozen=True, tag=True):
    """``body`` added up for a variable that starts at ``first`` and covers ``span`` values by ``step``."""

    variable: str
    first: Polynomial
    span: Count
    step: int
    body: Count

    @property
    def names(self) -> frozenset[str]:
        """The names that occur free."""
        return self.first.names | self.span.names | (self.body.names - {self.variable})

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value where every free name has one."""
        first, span = self.first.evaluate(values), self.span.evaluate(values)
        times = max(0, -(-span // abs(self.step)))
        return sum(self.body.evaluate({**values, self.variable: first + self.step * k}) for k in range(times))

    def substitute(self, values: Mapping[str, Polynomial]) -> Count:
        """All given names replaced at the same time, the variable apart."""
        others = {name: value for name, value in values.items() if name != self.variable}
        return total(
            self.variable,
            self.first.substitute(others),
            self.span.substitute(others),
            self.step,
            body=self.body.substitute(others),
        )

    def __str__(self) -> str:
        covered = self.span if self.step > 0 else product(as_count(-1), self.span)
        step = f", {self.step}" if self.step != 1 else ""
        ends = f"{self.first.to_c()}, {plus(as_count(self.first), covered)}"
        return f"sum({self.body} for {self.variable} in range({ends}{step}))"


Atom = Union["Ceil", "Extreme", "Sum"]


class Count(Struct, frozen=True):
    """A polynomial; the symbols of it that ``atoms`` lists stand for what their text says."""

    polynomial: Polynomial = Polynomial()
    atoms: tuple[tuple[str, Atom], ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The names that occur free."""
        inner = (atom.names for _, atom in self.atoms)
        return (self.polynomial.names - {text for text, _ in self.atoms}).union(*inner)

    @property
    def value(self) -> int | None:
        """The value of a number; None for other counts."""
        return self.polynomial.constant_value

    def evaluate(self, values: Mapping[str, int]) -> int:
        """The value where every name has one; KeyError tells a name without."""
        inner = {text: atom.evaluate(values) for text, atom in self.atoms}
        return sum(
            number * prod(inner[name] if name in inner else values[name] for name in monomial)
            for monomial, number in self.polynomial.terms
        )

    def substitute(self, values: Mapping[str, Polynomial]) -> Count:
        """All given names replaced at the same time."""
        if self.names.isdisjoint(values):
            return self
        inner = dict(self.atoms)
        terms = (
            product(as_count(number), *(self._factor(name, inner, values) for name in monomial))
            for monomial, number in self.polynomial.terms
        )
        return plus(*terms)

    @staticmethod
    def _factor(name: str, inner: Mapping[str, Atom], values: Mapping[str, Polynomial]) -> Count:
        if name in inner:
            return inner[name].substitute(values)
        return as_count(values.get(name, Polynomial.symbol(name)))

    def __str__(self) -> str:
        return self.polynomial.to_c()


NOTHING = Count()


def as_count(value: Polynomial | int) -> Count:
    """A polynomial or number as a count."""
    return Count(value if isinstance(value, Polynomial) else Polynomial.constant(value))


def fixed(variable: str) -> Polynomial:
    """A name for the value that a variable has, or starts from, in the block that is counted: any integer.

    >>> fixed("i").to_c()
    'i#0'
    """
    return Polynomial.symbol(f"{plain(variable)}#0")


def is_size(name: str) -> bool:
    """Whether a name stands for a positive integer."""
    return "#" not in name


def plus(*counts: Count) -> Count:
    """The sum."""
    return _over(counts, sum((count.polynomial for count in counts), Polynomial()))


def product(*counts: Count) -> Count:
    """The product."""
    return _over(counts, prod((count.polynomial for count in counts), start=Polynomial.constant(1)))


def least(options: tuple[Count, ...]) -> Count:
    """The smallest of some counts."""
    return _either("min", options)


def greater(first: Count, second: Count) -> Count:
    """The greater of two counts."""
    difference = plus(first, product(as_count(-1), second)).value
    if difference is not None:
        return first if difference >= 0 else second
    return _either("max", (first, second))


def rounds(span: Count, step: int) -> Count:
    """How many steps cover a span."""
    if abs(step) == 1:
        return span
    if span.value is not None:
        return as_count(-(-span.value // abs(step)))
    return _of(Ceil(span, abs(step)))


def total(variable: str, first: Polynomial, span: Count, step: int, *, body: Count) -> Count:
    """``body`` added up over a loop that starts at ``first`` and covers ``span`` values by ``step``."""
    times = rounds(span, step)
    if times.value == 1:
        return body.substitute({variable: first})
    moving = {text for text, atom in body.atoms if variable in atom.names} | {variable}
    still = [term for term in body.polynomial.terms if moving.isdisjoint(term[0])]
    bound = [term for term in body.polynomial.terms if not moving.isdisjoint(term[0])]
    repeated = product(_over((body,), Polynomial(tuple(still))), times)
    if not bound:
        return repeated
    added = Sum(variable, first, span, step, _over((body,), Polynomial(tuple(bound))))
    known = not added.names and times.value is not None and times.value <= MOST_ROUNDS
    return plus(repeated, as_count(added.evaluate({})) if known else _of(added))


def plain(text: str) -> str:
    """Text with the marks taken out that keep shadowing names apart.

    >>> plain("2*i#3 + 1")
    '2*i + 1'
    """
    return re.sub(r"#\d+", "", text)


def _of(atom: Atom) -> Count:
    return Count(Polynomial.symbol(str(atom)), ((str(atom), atom),))


def _over(counts: tuple[Count, ...], polynomial: Polynomial) -> Count:
    """A polynomial in the symbols of some counts."""
    atoms = {text: atom for count in counts for text, atom in count.atoms if text in polynomial.names}
    return Count(polynomial, tuple(sorted(atoms.items())) if len(atoms) > 1 else tuple(atoms.items()))


def _extreme(which: Which) -> Callable[..., int]:
    return min if which == "min" else max


def _either(which: Which, options: tuple[Count, ...]) -> Count:
    """The least or greatest; of numbers one is left, which stands first."""
    known = [option.value for option in options if option.value is not None]
    others = [option for option in options if option.value is None]
    kept = tuple(dict.fromkeys((*([as_count(_extreme(which)(known))] if known else []), *others)))
    return kept[0] if len(kept) == 1 else _of(Extreme(which, kept))
