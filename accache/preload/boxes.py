"""References of one region to one box: rows and columns of what they touch, where it begins, and where each lies in it.

``a[(i - 1)*n + j]`` and ``a[i*n + j + 1]`` with i = 16*blockIdx.y + threadIdx.y and j = 16*blockIdx.x + threadIdx.x
are rows of pitch n: places [threadIdx.y][threadIdx.x] and [threadIdx.y + 1][threadIdx.x + 1] of a box of 17 x 17
elements that begins at (16*blockIdx.y - 1)*n + 16*blockIdx.x.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from msgspec import Struct

from accache.density.footprints import Footprint, Place
from accache.ir.polynomial import ZERO, Polynomial
from accache.preload.references import Reference

SHORTEST_ROW = 64
"""The least constant distance that is taken for that of rows, and not for a stride."""
DIAGONAL = SHORTEST_ROW // 8
"""So many elements a rate may be off a multiple of a row, so that it moves along both: a diagonal, or near one."""
MOST_DIMENSIONS = 3


class Box(Struct, frozen=True):
    """What references touch together: ``lengths`` a dimension, ``pitches`` between elements of each, the last is 1.

    ``start`` is the index of its first element, in symbols that are uniform in the region.
    """

    references: tuple[Reference, ...]
    places: tuple[tuple[Place, ...], ...]
    pitches: tuple[Polynomial, ...]
    lengths: tuple[int, ...]
    start: Polynomial

    @property
    def elements(self) -> int:
        """How many elements it has."""
        return prod(self.lengths)

    @property
    def pads(self) -> bool:
        """Whether rows get one element more, so that columns use all banks."""
        return len(self.lengths) > 1 and self.lengths[-1] % 2 == 0

    @property
    def padded(self) -> int:
        """How many elements its copy takes."""
        return prod((*self.lengths[:-1], self.lengths[-1] + self.pads))

    def footprint(self, counts: tuple[int, ...]) -> Footprint:
        """What its references touch if each runs so many times a thread."""
        pitches = tuple(pitch.constant_value or 0 for pitch in self.pitches)
        return Footprint(self.lengths, pitches, int(self.pads), self.places, counts)


_Rates = tuple[tuple[str, Polynomial], ...]


def boxes_of(
    references: Sequence[Reference],
    indices: Sequence[Polynomial],
    ranges: Mapping[str, tuple[int, int]],
    uniform: frozenset[str],
) -> tuple[Box, ...]:
    """The boxes of an array's references in a region; those that are not affine in what varies are left out.

    ``ranges`` are the first and last values of the symbols that vary; all others must be ``uniform``.
    """
    parts = [_split(index, ranges, uniform) for index in indices]
    known = [(ref, part) for ref, part in zip(references, parts, strict=True) if part is not None]
    steps = [rate for _, (base, rates) in known for rate in _constant_rates(base, rates, ranges)]
    pitches = _pitches([*(rate for _, (_, rates) in known for _, rate in rates), *steps])
    found: list[Box] = []
    for box in _boxes(known, pitches, ranges):
        own = [item for item in known if any(item[0] is reference for reference in box.references)]
        passed = _passed(box)
        left = tuple(pitch for pitch in pitches if pitch not in passed)
        found += _boxes(own, left, ranges) if passed else (box,)
    return tuple(found)


def _passed(box: Box) -> list[Polynomial]:
    """The constant pitches that rows are longer than: they overlap, and are one row."""
    spans = zip(box.pitches[:-1], box.lengths[1:], box.pitches[1:], strict=True)
    known = ((pitch, pitch.constant_value, length, inner.constant_value) for pitch, length, inner in spans)
    return [pitch for pitch, value, length, inner in known if value and inner and length * inner > value]


def _boxes(
    known: Sequence[tuple[Reference, tuple[Polynomial, _Rates]]],
    pitches: tuple[Polynomial, ...],
    ranges: Mapping[str, tuple[int, int]],
) -> tuple[Box, ...]:
    """The boxes of rows and planes of these pitches."""
    groups: dict[Polynomial, list[tuple[Reference, tuple[Place, ...]]]] = {}
    for reference, (base, rates) in known:
        found = _placed(base, rates, pitches)
        if found is not None:
            groups.setdefault(found[0], []).append((reference, found[1]))
    return tuple(_box(base, members, pitches, ranges) for base, members in groups.items())


def _split(
    index: Polynomial, ranges: Mapping[str, tuple[int, int]], uniform: frozenset[str]
) -> tuple[Polynomial, _Rates] | None:
    """An index as its uniform part and the rates of what varies; None if it is not linear in that."""
    rates, rest = [], index
    for name in sorted(index.names & set(ranges)):
        rate = rest.coefficient(name)
        if rate is None or rate.names & set(ranges):
            return None
        rates.append((name, rate))
        rest = rest.without(name)
    names = rest.names.union(*(rate.names for _, rate in rates))
    return (rest, tuple(rates)) if names <= uniform else None


def _constant_rates(base: Polynomial, rates: _Rates, ranges: Mapping[str, tuple[int, int]]) -> list[Polynomial]:
    """The constant distances by which uniform symbols move an index, but where they go on with what varies.

    So does ``64*blockIdx.x`` with threadIdx.x in blocks of 64 threads.
    """
    ends = [(rate.constant_value, *ranges[name]) for name, rate in rates]
    on = {value * (last - first + 1) for value, first, last in ends if value is not None}
    steps = (factor for monomial, factor in base.terms if len(monomial) == 1)
    return [Polynomial.constant(step) for step in steps if step not in on]


def _pitches(rates: Sequence[Polynomial]) -> tuple[Polynomial, ...]:
    """The distances of rows and planes that rates are multiples of, the greatest first, then 1."""
    found: list[Polynomial] = []
    for rate in sorted(set(rates), key=_simplicity):
        value = rate.constant_value
        if any(_along(rate, pitch) for pitch in found):
            continue
        if value is None:
            primitive = rate.divided_by(rate.content)
            assert primitive is not None
            found.append(primitive)
        elif abs(value) >= SHORTEST_ROW:
            found.append(Polynomial.constant(abs(value)))
    return (*reversed(found[: MOST_DIMENSIONS - 1]), Polynomial.constant(1))


def _simplicity(rate: Polynomial) -> tuple[int, int, int]:
    """The key that puts a row's length in front of what is made of it: its multiples, diagonals, planes."""
    return rate.total_degree, len(rate.terms), abs(rate.constant_value or 0)


def _along(rate: Polynomial, pitch: Polynomial) -> tuple[int, int] | None:
    """How many times a pitch and how many elements a rate is, if these are constants and few: a row, or a diagonal."""
    times = _multiple(rate, pitch)
    if times is not None:
        return times, 0
    value, size = rate.constant_value, pitch.constant_value
    if value is not None and size is not None:
        off = (value + size // 2) % size - size // 2
    else:
        off = rate.constant_term - pitch.constant_term
    times = _multiple(rate - off, pitch) if 0 < abs(off) < DIAGONAL else None
    return (times, off) if times else None


def _multiple(rate: Polynomial, pitch: Polynomial) -> int | None:
    """How many times a pitch a rate is, if that is a constant, and of constants a small one."""
    quotient = rate.divided_by(pitch)
    value = quotient.constant_value if quotient is not None else None
    is_far = value is not None and pitch.constant_value is not None and abs(value) >= SHORTEST_ROW
    return None if is_far and pitch.constant_value != 1 else value


def _placed(
    base: Polynomial, rates: _Rates, pitches: tuple[Polynomial, ...]
) -> tuple[Polynomial, tuple[Place, ...]] | None:
    """A reference's place in each dimension, and the part of its index that is no constant multiple of a pitch."""
    terms: list[list[tuple[str, int]]] = [[] for _ in pitches]
    for name, rate in rates:
        for number, pitch in enumerate(pitches):
            found = _along(rate, pitch)
            if found is not None:
                times, off = found
                terms[number].append((name, times))
                terms[-1] += [(name, off)] if off else []
                break
        else:
            return None
    constants = []
    for pitch in pitches[:-1]:
        times = _times(base, pitch)
        constants.append(times)
        base = base - pitch * times
    constants.append(base.constant_term)
    base = base - base.constant_term
    return base, tuple(Place(tuple(sums), value) for sums, value in zip(terms, constants, strict=True))


def _times(base: Polynomial, pitch: Polynomial) -> int:
    """How many times a pitch is in the part of an index that does not vary: by its constant, or its leading term."""
    size = pitch.constant_value
    if size is not None:
        return (2 * base.constant_term + size) // (2 * size)
    monomial, factor = pitch.terms[0]
    found = dict(base.terms).get(monomial, 0)
    return found // factor if found % factor == 0 else 0


def _box(
    base: Polynomial,
    members: Sequence[tuple[Reference, tuple[Place, ...]]],
    pitches: tuple[Polynomial, ...],
    ranges: Mapping[str, tuple[int, int]],
) -> Box:
    lows, lengths = [], []
    for number in range(len(pitches)):
        ends = [_ends(places[number], ranges) for _, places in members]
        low = min(first for first, _ in ends)
        lows.append(low)
        lengths.append(max(last for _, last in ends) - low + 1)
    start = base + sum((pitch * low for pitch, low in zip(pitches, lows, strict=True)), ZERO)
    shifted = tuple(
        tuple(Place(place.terms, place.constant - low) for place, low in zip(places, lows, strict=True))
        for _, places in members
    )
    keep = [number for number, length in enumerate(lengths) if length > 1 or number == len(lengths) - 1]
    return Box(
        tuple(reference for reference, _ in members),
        tuple(tuple(places[number] for number in keep) for places in shifted),
        tuple(pitches[number] for number in keep),
        tuple(lengths[number] for number in keep),
        start,
    )


def _ends(place: Place, ranges: Mapping[str, tuple[int, int]]) -> tuple[int, int]:
    """The least and the greatest place."""
    low = high = place.constant
    for name, rate in place.terms:
        first, last = sorted(rate * end for end in ranges[name])
        low, high = low + first, high + last
    return low, high
