"""What is known about the values of symbols, and what follows from it: bounds of polynomials and their signs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import combinations_with_replacement, islice
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from accache.base.properties import cached_property
from accache.ir.polynomial import Monomial, Polynomial, as_polynomial

PROOF_STEPS = 400
PROOF_DEPTH = 6
MAX_KNOWN = 12
MAX_TRIES = 60
MAX_POINTS = 12
SIZES = (10, 100, 1, 5)


class Interval(Struct, frozen=True, dict=True):
    """The integers from ``low`` to ``high``, both included; None is an unknown end. It may be empty."""

    low: Polynomial | None = None
    high: Polynomial | None = None

    @staticmethod
    def between(low: Polynomial | int | None, high: Polynomial | int | None) -> Interval:
        """An interval whose ends may be given as ints."""
        return Interval(None if low is None else as_polynomial(low), None if high is None else as_polynomial(high))

    @property
    def extent(self) -> Polynomial | None:
        """``high - low + 1``: how many integers it holds unless it is empty; None if an end is unknown."""
        return None if self.low is None or self.high is None else self.high - self.low + 1

    @cached_property
    def names(self) -> frozenset[str]:
        """The symbols its ends mention."""
        return frozenset(name for end in (self.low, self.high) if end is not None for name in end.names)

    def nonnegative(self, value: Polynomial) -> tuple[Polynomial, ...]:
        """What is >= 0 because ``value`` lies in the interval."""
        parts = (
            None if self.low is None else value - self.low,
            None if self.high is None else self.high - value,
            None if self.low is None or self.high is None else self.high - self.low,
        )
        return tuple(part for part in parts if part is not None)

    def substitute(self, values: Mapping[str, Polynomial]) -> Interval:
        """Symbols replaced in both ends."""
        ends = (None if end is None else end.substitute(values) for end in (self.low, self.high))
        return Interval(*ends)


UNKNOWN = Interval()


class Facts(Struct, frozen=True, dict=True):
    """What holds at one place of a program: intervals of symbols and polynomials known to be >= 0.

    Give loop variables intervals, whose ends may mention outer loop variables and parameters: ``bounds`` eliminates
    these symbols. Give what is known of parameters as assumptions (``n - 1``). All of it must hold at the place in
    question: inside a loop over j in [0, m-1] the interval itself says m >= 1, outside of it that would be false.
    """

    intervals: tuple[tuple[str, Interval], ...] = ()
    assumptions: tuple[Polynomial, ...] = ()

    @staticmethod
    def of(intervals: Mapping[str, Interval], assumptions: Iterable[Polynomial] = ()) -> Facts:
        """Facts from a dictionary of intervals."""
        return Facts(tuple(intervals.items()), tuple(assumptions))

    def interval(self, name: str) -> Interval:
        """The interval of a symbol, unknown at both ends if nothing is known."""
        return self._by_name.get(name, UNKNOWN)

    def with_interval(self, name: str, interval: Interval) -> Facts:
        """The same facts with a symbol's interval set."""
        kept = tuple(item for item in self.intervals if item[0] != name)
        return replace(self, intervals=(*kept, (name, interval)))

    def assuming(self, *nonnegative: Polynomial) -> Facts:
        """The same facts and some polynomials that are >= 0."""
        return replace(self, assumptions=self.assumptions + nonnegative)

    def joined(self, other: Facts) -> Facts:
        """The same facts and others, whose intervals count where both have one."""
        kept = tuple(item for item in self.intervals if item[0] not in other.names)
        return Facts(kept + other.intervals, self.assumptions + other.assumptions)

    @property
    def names(self) -> frozenset[str]:
        """The symbols that have an interval."""
        return frozenset(self._by_name)

    @cached_property
    def innermost_first(self) -> tuple[str, ...]:
        """The symbols with intervals, each before those its ends mention (as far as that is possible)."""
        order: list[str] = []
        left = [name for name, _ in reversed(self.intervals)]
        while left:
            mentioned = {name for other in left for name in self._by_name[other].names if name != other}
            name = next((name for name in left if name not in mentioned), left[0])
            order.append(name)
            left.remove(name)
        return tuple(order)

    def refute(self, polynomial: Polynomial) -> bool:
        """Whether a polynomial is negative at some point where the facts hold (False: no such point is known)."""
        return any(polynomial.evaluate(_Point(point)) < 0 for point in self._points)

    @cached_property
    def _points(self) -> tuple[dict[str, int], ...]:
        """Values of the symbols with which everything known holds: the ends of intervals for sizes drawn at random."""
        known = [part for name, interval in self.intervals for part in interval.nonnegative(Polynomial.symbol(name))]
        known += self.assumptions
        names = sorted(self.names.union(*(part.names for part in known)))
        draw = Random(0)
        tried = (self._point(names, draw) for _ in range(MAX_TRIES))
        points = (point for point in tried if all(part.evaluate(point) >= 0 for part in known))
        return tuple(islice(points, MAX_POINTS))

    def _point(self, names: list[str], draw: Random) -> dict[str, int]:
        """Values for all symbols, those with intervals from the outermost in; the facts need not hold with them."""
        point = {name: draw.choice(SIZES) for name in names}
        for name in reversed(self.innermost_first):
            interval = self.interval(name)
            ends = [end.evaluate(point) for end in (interval.low, interval.high) if end is not None]
            point[name] = draw.choice([*ends, sum(ends) // len(ends)]) if ends else point[name]
        return point

    @cached_property
    def _by_name(self) -> dict[str, Interval]:
        return dict(self.intervals)


class _Point(dict[str, int]):
    """A point in which a symbol that no fact mentions has some size."""

    def __missing__(self, name: str) -> int:
        return SIZES[0]


NO_FACTS = Facts()


def loop_interval(first: Polynomial, operator: str, limit: Polynomial, step: int) -> Interval:
    """The values of ``i`` in the body of ``for (i = first; i operator limit; i += step)``.

    The end is exact where ``limit - first`` is a constant, or a multiple of the step up to a constant; else it may lie
    up to |step| - 1 past the last value. The body must not assign i. ``!=`` is taken to end the loop without wrapping
    around. Where comparison and step do not belong together, what still holds of the two is returned.
    """
    if step < 0:
        mirrored = {">": "<", ">=": "<=", "<": ">", "<=": ">="}.get(operator, operator)
        below = loop_interval(-first, mirrored, -limit, -step)
        return Interval(None if below.high is None else -below.high, None if below.low is None else -below.low)
    if step == 0:
        return Interval(first, first)
    if operator not in ("<", "<=", "!="):
        return Interval(first, None)
    span = (limit - first if operator == "<=" else limit - first - 1) if operator != "!=" else limit - first - step
    constant = span.constant_term
    whole = (span - constant).divided_by(step)
    return Interval(first, first + (span if whole is None else (whole + constant // step) * step))


def bounds(polynomial: Polynomial, facts: Facts, eliminate: frozenset[str] | None = None) -> Interval:
    """Bounds of a polynomial that mention none of the symbols to eliminate (by default all that have intervals).

    Symbols are replaced innermost first by the end of their interval that the sign of their coefficient asks for;
    where that end or the sign is unknown, the bound is. The bounds hold wherever the facts do; they need not be tight.
    """
    names = facts.names if eliminate is None else eliminate
    low = _least(polynomial, facts, names)
    high = _least(-polynomial, facts, names)
    return Interval(
        low if low is not None and low.names.isdisjoint(names) else None,
        -high if high is not None and high.names.isdisjoint(names) else None,
    )


def is_positive(polynomial: Polynomial, facts: Facts = NO_FACTS) -> bool:
    """Whether a polynomial is proved to be at least 1."""
    return is_nonnegative(polynomial - 1, facts)


@lru_cache(maxsize=4096)  # many references of a program, and the forms of one kernel, ask the same
def is_nonnegative(polynomial: Polynomial, facts: Facts = NO_FACTS) -> bool:
    """Whether a polynomial is proved to be >= 0 wherever the facts hold (False: not proved).

    First the symbols with intervals are replaced by their worst ends; what remains, and then the polynomial itself,
    must be a sum of known non-negative polynomials and products of two of them.
    """
    return _shown(polynomial, facts, facts)


def _shown(polynomial: Polynomial, facts: Facts, origin: Facts) -> bool:
    """``is_nonnegative`` with facts that follow from ``origin``, whose points refute hopeless attempts."""
    constant = polynomial.constant_value
    if constant is not None:
        return constant >= 0
    least = polynomial
    for name in facts.innermost_first:
        least = _at_least_end(least, name, facts, origin) or least
    for candidate in dict.fromkeys((least, polynomial)):
        if not candidate.names and candidate.constant_term >= 0:
            return True
        open_question = candidate.names and not origin.refute(candidate)
        if open_question and _Proof(_known(candidate, facts)).shows(candidate, PROOF_DEPTH):
            return True
    return False


def _least(polynomial: Polynomial, facts: Facts, names: frozenset[str]) -> Polynomial | None:
    """A lower bound without the named symbols, as far as one is found."""
    for name in facts.innermost_first:
        if name in names and name in polynomial.names:
            bound = _at_least_end(polynomial, name, facts, facts)
            if bound is None:
                return None
            polynomial = bound
    return polynomial


def _at_least_end(polynomial: Polynomial, name: str, facts: Facts, origin: Facts) -> Polynomial | None:
    """A lower bound of a polynomial with one symbol replaced by an end of its interval; None if none is found.

    In a symbol of degree one the sign of the coefficient decides; with higher powers the polynomial is monotone if
    all their coefficients have one sign and the symbol is not negative.
    """
    degree = polynomial.degree(name)
    if degree == 0:
        return polynomial
    interval = facts.interval(name)
    rest = _outside(name, facts)
    if degree > 1 and (interval.low is None or not _shown(interval.low, rest, origin)):
        return None
    powers = [polynomial.power_coefficient(name, power) for power in range(1, degree + 1)]
    for end, sign in ((interval.low, 1), (interval.high, -1)):
        if end is not None and all(_shown(sign * part, rest, origin) for part in powers):
            return polynomial.substitute({name: end})
    return None


def _outside(name: str, facts: Facts) -> Facts:
    """The facts with the interval of one symbol reduced to its not being empty, so that proofs about it end."""
    interval = facts.interval(name)
    others = tuple(item for item in facts.intervals if item[0] != name)
    return Facts(others, facts.assumptions).assuming(*([] if interval.extent is None else [interval.extent - 1]))


def _known(polynomial: Polynomial, facts: Facts) -> tuple[Polynomial, ...]:
    """Non-negative polynomials that have to do with one polynomial: assumptions, ends of intervals, products of two."""
    every = list(facts.assumptions)
    for name, interval in facts.intervals:
        every += interval.nonnegative(Polynomial.symbol(name))
    names, chosen = polynomial.names, list[Polynomial]()
    while more := [known for known in every if known not in chosen and not names.isdisjoint(known.names)]:
        chosen += more
        names = names.union(*(known.names for known in more))
    chosen = chosen[:MAX_KNOWN]
    if polynomial.total_degree > 1:
        chosen += [a * b for a, b in combinations_with_replacement(chosen, 2)]
    return tuple(dict.fromkeys(chosen))


class _Proof:
    """A search for a sum: p is shown non-negative if a positive multiple of p less known parts leaves a constant >= 0.

    Each step takes away the leading monomial, which some part must provide. The number of steps is limited.
    """

    def __init__(self, known: tuple[Polynomial, ...]) -> None:
        self.steps = PROOF_STEPS
        self.by_monomial: dict[tuple[Monomial, bool], list[Polynomial]] = {}
        for part in known:
            for monomial, coefficient in part.terms:
                self.by_monomial.setdefault((monomial, coefficient > 0), []).append(part)

    def shows(self, polynomial: Polynomial, depth: int) -> bool:
        """Whether the polynomial is such a sum of at most ``depth`` parts."""
        constant = polynomial.constant_value
        if constant is not None:
            return constant >= 0
        if depth == 0:
            return False
        monomial, coefficient = polynomial.terms[0]
        for part in self.by_monomial.get((monomial, coefficient > 0), ()):
            self.steps -= 1
            if self.steps < 0:
                return False
            provided = dict(part.terms)[monomial]
            rest = abs(provided) * polynomial - abs(coefficient) * part
            if self.shows(_reduced(rest), depth - 1):
                return True
        return False


def _reduced(polynomial: Polynomial) -> Polynomial:
    """The polynomial over its content, which leaves its sign alone."""
    content = polynomial.content
    if content <= 1:
        return polynomial
    return Polynomial(tuple((monomial, coefficient // content) for monomial, coefficient in polynomial.terms))
