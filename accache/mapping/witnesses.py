"""Finds two iterations of loops that refer to one element, as evidence for a warning.

``a[i]`` and ``a[i - 1]`` meet in iterations whose numbers differ by one, ``x[i]`` and ``x[j]`` for all ``j`` where
``j`` is ``i``. The search tries to make unknown numbers equal to others but for a constant; what it does not find there
may be all the same (``analysis/dependence`` proves that there is none).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from accache.analysis.canonical import constant_trips
from accache.analysis.dependence import DISTANCE, OTHER, Reference
from accache.analysis.ranges import Facts, is_nonnegative, is_positive
from accache.ir.kernels.simt import CanonicalLoop
from accache.ir.polynomial import ZERO, Polynomial

MAX_TRIES = 2000
"""How many values are tried of all unknown numbers of a pair of references."""

Parts = tuple[Polynomial, ...]


def have_witness(loop: CanonicalLoop | None, first: Reference, second: Reference, inner: frozenset[str]) -> bool:
    """Whether two iterations of a loop are found in which two references of an array meet.

    The symbols in ``inner`` differ between the two. Without a loop the references stand in two of them, whose variables
    are ``inner``, too.
    """
    other = {name: Polynomial.symbol(name + OTHER) for name in inner}
    if loop is not None:
        other[loop.variable] = Polynomial.symbol(loop.variable) + Polynomial.symbol(DISTANCE)
    pairs = zip(first.subscripts, second.subscripts, strict=True)
    parts = tuple(a - b.substitute(other) for a, b in pairs if a is not None and b is not None)
    names = frozenset[str]().union(*(part.names for part in parts))
    marked = sorted(name for name in names if name.removesuffix(OTHER) in inner and name.endswith(OTHER))
    unknown = (*marked, *sorted(names & inner))
    search = _Search(loop, first.facts.joined(second.facts))
    return search.succeeds(parts, unknown)


class _Search(Struct):
    """One search; ``facts`` are of the symbols without a mark that they belong to the other iteration."""

    loop: CanonicalLoop | None
    facts: Facts
    tries: int = 0

    def succeeds(self, parts: Parts, unknown: tuple[str, ...]) -> bool:
        """Whether some values make all parts zero."""
        unknown = tuple(name for name in unknown if any(name in part.names for part in parts))
        if not unknown:
            return self.is_apart(parts)
        name, rest = unknown[0], unknown[1:]
        for target in self.targets(rest):
            moved = tuple(part.substitute({name: target}) for part in parts)
            for offset in _offsets(name, parts, moved):
                value = target + offset
                self.tries += 1
                if self.tries > MAX_TRIES:
                    return False
                if not self.is_outside(name, value):
                    found = tuple(part.substitute({name: value}) for part in parts)
                    if self.chosen(name, value).succeeds(found, rest):
                        return True
        return False

    def chosen(self, name: str, value: Polynomial) -> _Search:
        """The search for the other numbers, once one has a value: so there are that many iterations."""
        own = self.facts.interval(name.removesuffix(OTHER))
        is_known = not own.names & {item.removesuffix(OTHER) for item in value.names}
        return replace(self, facts=self.facts.assuming(*own.nonnegative(value))) if is_known else self

    def targets(self, rest: tuple[str, ...]) -> Iterator[Polynomial]:
        """What a number may be equal to."""
        yield from map(Polynomial.symbol, rest)
        if self.loop is not None:
            yield Polynomial.symbol(self.loop.variable)
            yield Polynomial.symbol(self.loop.variable) + Polynomial.symbol(DISTANCE)
        yield from (ZERO, Polynomial.constant(1))

    def is_outside(self, name: str, value: Polynomial) -> bool:
        """Whether a value is proved to be none that a symbol can have."""
        own = self.facts.interval(name.removesuffix(OTHER))
        parts = [own.low - value if own.low is not None else None, value - own.high if own.high is not None else None]
        return any(part is not None and is_positive(part, self.facts) for part in parts)

    def is_apart(self, parts: Parts) -> bool:
        """Whether all parts are zero where the iterations are some distance apart, by one value for all of them.

        What one iteration may be is one more unknown number, if it is not all that a part asks for.
        """
        loop, found = self.loop, set[int]()
        left = dict.fromkeys(part for part in parts if part.terms)
        if loop is not None and len(left) == 1 and self.has_iteration(loop, *left):
            return True
        for part in left:
            quotient = (-part.without(DISTANCE)).divided_by(part.coefficient(DISTANCE) or ZERO)
            if quotient is not None and len(left) == 1 and loop is not None and self.is_distance(loop, quotient):
                return True
            if quotient is None or quotient.constant_value is None:
                return False
            found.add(quotient.constant_value)
        if loop is None or not found:
            return not found
        distance, trips = min(found), constant_trips(loop)
        is_in_loop = not trips or abs(distance) < trips * abs(loop.step)
        return len(found) == 1 and distance != 0 and distance % loop.step == 0 and is_in_loop

    def is_distance(self, loop: CanonicalLoop, value: Polynomial) -> bool:
        """Whether iterations are proved to be apart by what sizes tell: rows of ``a[i*m + j]`` by m, of a[k]."""
        extent = self.facts.interval(loop.variable).extent
        if extent is None or abs(loop.step) != 1 or loop.variable in value.names:
            return False
        return any(
            is_positive(size, self.facts) and is_nonnegative(extent - 1 - size, self.facts) for size in (value, -value)
        )

    def has_iteration(self, loop: CanonicalLoop, part: Polynomial) -> bool:
        """Whether a part tells where the loop's iterations meet, by its own bounds: ``a[i]`` and ``a[n - 1 - i]``."""
        known = {loop.variable, DISTANCE} | self.facts.interval(loop.variable).names
        return loop.variable in part.names and part.names <= known and part.total_degree == 1


def _offsets(name: str, parts: Parts, moved: Parts) -> Iterator[int]:
    """What a number may differ by from one that it is tried to be equal to."""
    found = {0}
    for part, rest in zip(parts, moved, strict=True):
        rate = part.coefficient(name)
        if rate is None or not rate.terms:
            continue
        quotient = (-rest).divided_by(rate)
        if quotient is not None and quotient.constant_value is not None:
            found.add(quotient.constant_value)
        factor = rate.constant_value
        if factor is not None and rest.constant_term % factor == 0:
            found.add(-rest.constant_term // factor)
    yield from sorted(found, key=abs)
