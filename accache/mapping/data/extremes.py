"""The first and the last element that the iterations of a nest reach, whose inner loops may begin or end at counters.

Of ``for (i = 0; i < n; ++i) for (j = i + 1; j < n; ++j) a[n*i + j]`` these are a[1] and a[n*n - n - 1]: for the last
``i`` the inner loop has no iteration.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from accache.analysis.ranges import Facts, Interval, is_nonnegative
from accache.ir.polynomial import Polynomial

Ranges = Sequence[tuple[str, Interval]]


class Extremes(Struct, frozen=True):
    """The values ``low`` and ``high`` that an index has in some iteration, and no one beyond them in any.

    There is an iteration exactly if all of ``counts`` are positive.
    """

    low: Polynomial
    high: Polynomial
    counts: tuple[Polynomial, ...]


def extremes(index: Polynomial, ranges: Ranges, known: tuple[Polynomial, ...] = ()) -> Extremes | None:
    """The extremes of an index in the nest of loops over some ranges, outermost first; None if they are not known.

    The loops step by one, and no term of the index has two of their counters. What is ``known`` is not negative.
    """
    everywhere = _facts(ranges, known)
    low: Polynomial | None = index
    high: Polynomial | None = index
    spans: list[Polynomial] = []  # not negative where the loops inside have iterations
    for depth in range(len(ranges) - 1, -1, -1):
        name, interval = ranges[depth]
        inside = [span for span in spans if name in span.names]
        narrow = _narrowed(name, interval, inside, _facts(ranges[: depth + 1], known))
        if narrow is None or narrow.low is None or narrow.high is None or low is None or high is None:
            return None
        spans = [narrow.high - narrow.low, *(span for span in spans if name not in span.names)]
        low, high = _at_end(low, name, narrow, everywhere), _at_end(-high, name, narrow, everywhere)
        high = -high if high is not None else None
    return Extremes(low, high, tuple(span + 1 for span in spans)) if low is not None and high is not None else None


def _facts(ranges: Ranges, known: tuple[Polynomial, ...]) -> Facts:
    """What holds in the iterations of some loops, of which loops inside of them may have none."""
    spans = (interval.high - interval.low for _, interval in ranges if interval.low and interval.high)
    return Facts.of(dict(ranges), (*spans, *known))


def _narrowed(name: str, interval: Interval, spans: Sequence[Polynomial], facts: Facts) -> Interval | None:
    """The values of a counter for which no span is negative; None if they are no interval that is known."""
    low, high = interval.low, interval.high
    for span in spans:
        if is_nonnegative(span, facts):
            continue
        rate = span.coefficient(name)
        if rate is None or rate.constant_value not in (1, -1) or low is None or high is None:
            return None
        end = span.without(name) * -(rate.constant_value or 0)
        narrower = end - low if rate.constant_value == 1 else high - end
        if not is_nonnegative(narrower, facts):
            return None
        low, high = (end, high) if rate.constant_value == 1 else (low, end)
    return Interval(low, high)


def _at_end(value: Polynomial, name: str, interval: Interval, facts: Facts) -> Polynomial | None:
    """The least value over a counter's interval, whose coefficient has a known sign; None if it is not known."""
    rate = value.coefficient(name)
    if rate is None or not rate.names.isdisjoint(facts.names):
        return value if value.degree(name) == 0 else None
    for end, sign in ((interval.low, 1), (interval.high, -1)):
        if end is not None and is_nonnegative(sign * rate, facts):
            return value.substitute({name: end})
    return None
