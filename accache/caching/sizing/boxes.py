"""The least subarray that holds all references of a region, in closed form, and as the user would write it."""

from __future__ import annotations

from collections.abc import Sequence

from accache.analysis.loop_context import ArrayUse, LoopContext
from accache.analysis.ranges import Interval, bounds
from accache.ir.names import user_name
from accache.ir.polynomial import Polynomial

Box = tuple[tuple[Polynomial, ...], tuple[int, ...]]
"""The lower bounds and the lengths of a subarray."""


def box_of(
    uses: tuple[ArrayUse, ...], indices: tuple[tuple[Polynomial | None, ...], ...], context: LoopContext
) -> Box | None:
    """The least lower bounds and the lengths that hold all uses; None where these are no constants."""
    around = {name for name, _ in context.ranges}
    lowers, lengths = [], []
    for column in zip(*indices, strict=True):
        ends = []
        for use, index in zip(uses, column, strict=True):
            end = _ends(use, index, around) if index is not None else None
            if end is None:
                return None
            ends.append(end)
        origin = ends[0].low
        assert origin is not None
        shifts = [_distance(origin, end.low) for end in ends]
        reaches = [_distance(origin, end.high) for end in ends]
        known, far = [each for each in shifts if each is not None], [each for each in reaches if each is not None]
        if len(known) + len(far) != 2 * len(ends):
            return None
        lowers.append(origin + min(known))
        lengths.append(max(far) - min(known) + 1)
    return tuple(lowers), tuple(lengths)


def _distance(origin: Polynomial, end: Polynomial | None) -> int | None:
    """How far an end lies behind another, if that is a constant."""
    return (end - origin).constant_value if end is not None else None


def _ends(use: ArrayUse, index: Polynomial, around: set[str]) -> Interval | None:
    """The first and last value of an index in the loops around it but for those around the directive."""
    inner = frozenset(name for name, _ in use.context.ranges) - around
    best: tuple[int, Interval] | None = None
    for facts in use.context.facts:
        found = bounds(index, facts, inner)
        span = found.extent.constant_value if found.extent is not None else None
        if span is not None and (best is None or span < best[0]):
            best = span, found
    return best[1] if best is not None else None


def joined_box(first: Box, second: Box) -> Box | None:
    """The least box that holds two; None where their distance is no constant."""
    lowers, lengths = [], []
    for lower, length, other, reach in zip(*first, *second, strict=True):
        shift = _distance(lower, other)
        if shift is None:
            return None
        begin = min(0, shift)
        lowers.append(lower + begin)
        lengths.append(max(length, shift + reach) - begin)
    return tuple(lowers), tuple(lengths)


def subarray_text(array: str, lowers: Sequence[Polynomial], lengths: Sequence[int]) -> str:
    """A subarray as it stands in a directive: ``a[i-1:3]``."""
    return user_name(array) + "".join(map(section, lowers, lengths))


def section(lower: Polynomial, length: int) -> str:
    """One dimension of a subarray: ``[i-1:3]``."""
    return f"[{spelled(lower)}:{length}]"


def spelled(polynomial: Polynomial) -> str:
    """A bound as it stands in a directive: ``i-1``."""
    parts = ((tuple(user_name(name) for name in monomial), coefficient) for monomial, coefficient in polynomial.terms)
    return Polynomial(tuple(parts)).to_c().replace(" ", "")
