"""Sums that must not be negative where a thread's iterations are far from an edge, and conditions that test them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from accache.analysis.canonical import FAR, may_wrap
from accache.ir.as_polynomial import polynomial_of
from accache.ir.build import BOOL, INT, WIDE, formula
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Binary, Expr
from accache.ir.types import exceeds_int, unqualified
from accache.mapping.coarsening.coarse_loops import CoarseLoop


def need_of(operator: str, difference: Polynomial) -> Polynomial:
    """What must not be negative for ``left operator right``, of which ``difference`` is right less left."""
    value = difference if operator in ("<", "<=") else -difference
    return value - (operator in ("<", ">"))


def rate(need: Polynomial, item: CoarseLoop) -> int:
    """What a need, a sum that moves with a loop by a constant, gains from one of its iterations to the next."""
    found = need.coefficient(item.base)
    assert found is not None
    assert found.constant_value is not None
    return found.constant_value


def known_needs(item: CoarseLoop) -> Iterator[Polynomial]:
    """What is met by a thread that has all its iterations, whatever the program tests."""
    if item.need is not None:
        yield item.need
    first = polynomial_of(item.loop.loop.first)
    if first is not None:
        yield (Polynomial.symbol(item.base) - first) * (1 if item.distance > 0 else -1)


def implies(need: Polynomial, other: Polynomial | None) -> bool:
    """Whether what meets one need meets another."""
    more = (other - need).constant_value if other is not None else None
    return more is not None and more >= 0


def is_edge(need: Polynomial, item: CoarseLoop) -> bool:
    """Whether only iterations near the edge of a loop meet a need: at its end it is a constant, or soon."""
    first, limit = (polynomial_of(end) for end in (item.loop.loop.first, item.loop.loop.limit))
    if first is None or limit is None:
        return False
    low, high = (first, limit) if item.distance > 0 else (limit, first)
    near, far = (need.substitute({item.base: end}).constant_value for end in (low, high))
    if rate(need, item) > 0:
        near, far = far, near
    return near is not None and (far is None or near < -far)


def own_range(item: CoarseLoop) -> tuple[Polynomial, Polynomial]:
    """What a parallel loop's variable is at least and at most in a thread."""
    first = Polynomial.symbol(item.base)
    low, high = sorted((0, item.distance * (item.factor - 1)))
    return first + low, first + high


def condition(need: Polynomial, item: CoarseLoop, others: Sequence[CoarseLoop] = ()) -> Expr:
    """A need as a person would write it, the thread's index to the left; it may move with ``others``, too."""
    is_upper = rate(need, item) < 0
    constant = need.constant_term
    left, right = _halves(need - constant)
    if is_upper:
        left, right = right, left
    sign = -1 if is_upper else 1
    if is_upper and not right.terms:
        operator, right = "<", Polynomial.constant(constant + 1)
    elif sign * constant < 0 and not is_upper:
        operator, right = ">", right - constant - 1
    elif is_upper and others and constant >= 0:
        operator, right = "<=", right + constant
    elif is_upper:
        operator, left = "<", left - constant - 1
    else:
        operator, left = ">=", left + constant
    where, own = item.loop.location, unqualified(item.loop.loop.type)
    is_int = all(map(_is_small, (left, right))) and not any(may_wrap(each.parallel) for each in (item, *others))
    ctype = own if exceeds_int(own) else INT if is_int else WIDE
    return Binary(BOOL, where, operator, formula(left, where, ctype), formula(right, where, ctype))


def _halves(value: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Two sums of positive terms, of which a sum is the first less the second."""
    return (
        Polynomial.of((names, factor) for names, factor in value.terms if factor > 0),
        Polynomial.of((names, -factor) for names, factor in value.terms if factor < 0),
    )


def _is_small(side: Polynomial) -> bool:
    """Whether one side of a comparison surely is an int: a variable at most, and a number of an index's reach."""
    symbols = [(names, factor) for names, factor in side.terms if names]
    return (
        len(symbols) <= 1
        and all(len(names) == 1 and factor == 1 for names, factor in symbols)
        and (not symbols or abs(side.constant_term) <= FAR)
    )
