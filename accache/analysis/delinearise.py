"""Flat indices seen as rows and columns: the pitch of an array, and indices split by it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from math import gcd

from accache.analysis.ranges import Facts, is_nonnegative, is_positive
from accache.ir.polynomial import ZERO, Polynomial, monomial_quotient


def delinearise(polynomial: Polynomial, pitches: tuple[Polynomial, ...]) -> tuple[Polynomial, ...] | None:
    """Split a flat index into one index a dimension, outermost first.

    ``pitches`` holds, in elements, how far apart neighbours of each dimension but the last are: (m,) for a matrix of
    m columns, (n*m, m) for a volume. ``sum(pitch*index) + last`` always gives the polynomial back. Coefficients are
    split to the nearest multiple, so that ``i*1024 + j - 1`` is row i, column j - 1. Which split is meant is settled
    only by a proof that the inner indices lie in [0, pitch-1]. None if a pitch is constant and not positive.
    """
    if any(not pitch.terms or (pitch.constant_value or 1) <= 0 for pitch in pitches):
        return None
    indices: list[Polynomial] = []
    for pitch in pitches:
        index, polynomial = _nearest_multiple(polynomial, pitch)
        indices.append(index)
    return (*indices, polynomial)


def find_pitch(polynomial: Polynomial, indices: frozenset[str]) -> Polynomial | None:
    """The pitch a flat index suggests for a view as rows and columns: m for ``i*m + j``, 1024 for ``i*1024 + j``.

    ``indices`` names the symbols that count elements (loop variables); the others are sizes. None if no stride other
    than a single element is found, or an index symbol multiplies another.
    """
    strides = _strides(polynomial, indices)
    return next(iter(_candidates(strides)), None) if strides is not None else None


def common_pitch(polynomials: Iterable[Polynomial], dimensions: int, facts: Facts) -> tuple[Polynomial, ...] | None:
    """The pitches of the view with ``dimensions`` dimensions that all flat indices of one array share.

    The symbols with intervals in ``facts`` are the indices. Among the strides that occur, one is preferred for which
    all columns are proved to lie in their row; else the largest is taken that splits every index. None where the
    indices do not agree: some column keeps a stride that is not smaller than its row.
    """
    if dimensions < 1:
        return None
    if dimensions == 1:
        return ()
    flat = tuple(dict.fromkeys(polynomials))
    found = [_strides(polynomial, facts.names) for polynomial in flat]
    if any(strides is None for strides in found):
        return None
    candidates = _candidates([stride for strides in found for stride in strides or ()])
    views = [view for pitch in candidates if (view := _view(flat, pitch, dimensions, facts)) is not None]
    return next((pitches for pitches, proved in views if proved), views[0][0] if views else None)


def _view(
    flat: tuple[Polynomial, ...], pitch: Polynomial, dimensions: int, facts: Facts
) -> tuple[tuple[Polynomial, ...], bool] | None:
    """The pitches of a view whose first pitch is given, and whether all indices within are proved; None if no view."""
    columns = [_nearest_multiple(polynomial, pitch)[1] for polynomial in flat]
    if not all(_fits(column, pitch, facts.names) for column in columns):
        return None
    inner = common_pitch(columns, dimensions - 1, facts)
    if inner is None:
        return None
    proved = all(is_nonnegative(column, facts) and is_positive(pitch - column, facts) for column in columns)
    return (pitch, *inner), proved


def _nearest_multiple(polynomial: Polynomial, pitch: Polynomial) -> tuple[Polynomial, Polynomial]:
    """(q, r) with ``polynomial == q*pitch + r`` where r has no term that a multiple of the pitch comes nearer to."""
    lead, unit = pitch.terms[0]
    quotient, rest = ZERO, polynomial
    while True:
        for monomial, coefficient in rest.terms:
            factor, count = monomial_quotient(monomial, lead), _rounded(coefficient, unit)
            if factor is not None and count:
                break
        else:
            return quotient, rest
        term = Polynomial(((factor, count),))
        quotient, rest = quotient + term, rest - term * pitch


def _rounded(value: int, unit: int) -> int:
    """The integer nearest to value/unit, the one nearer to zero of two."""
    sign = 1 if (value < 0) == (unit < 0) else -1
    return sign * ((2 * abs(value) + abs(unit) - 1) // (2 * abs(unit)))


def _strides(polynomial: Polynomial, indices: frozenset[str]) -> list[Polynomial] | None:
    """How far each index symbol moves, without signs; None if two index symbols are multiplied."""
    strides = []
    for name in sorted(polynomial.names & indices):
        stride = polynomial.coefficient(name)
        if stride is None or stride.names & indices:
            return None
        strides.append(-stride if stride.terms[0][1] < 0 else stride)
    return strides


def _candidates(strides: list[Polynomial]) -> list[Polynomial]:
    """Possible pitches, the most likely first: what the largest strides have in common, then larger ones first."""
    sizes = [stride for stride in strides if _size(stride) > (0, 1)]
    if not sizes:
        return []
    largest = max(sizes, key=_size)
    top = [stride for stride in sizes if _size(stride)[0] == _size(largest)[0]]
    primitive = [_primitive(stride) for stride in top]
    shared = []
    if largest.names and len(set(primitive)) == 1:
        common = reduce(gcd, (stride.content for stride in top))
        shared = [primitive[0], primitive[0] * common]
    return list(dict.fromkeys([*shared, *sorted(sizes, key=_size, reverse=True)]))


def _primitive(stride: Polynomial) -> Polynomial:
    """A stride over its content: m for 2*m."""
    return stride.divided_by(stride.content) or stride


def _size(stride: Polynomial) -> tuple[int, int]:
    """What strides are ordered by: degree, then leading coefficient."""
    return stride.total_degree, abs(stride.terms[0][1])


def _fits(column: Polynomial, pitch: Polynomial, indices: frozenset[str]) -> bool:
    """Whether no index symbol moves within a column as far as to the next row."""
    strides = _strides(column, indices)
    return strides is not None and all(_size(stride) < _size(pitch) for stride in strides)
