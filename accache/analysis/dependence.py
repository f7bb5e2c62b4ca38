"""Whether two different iterations of a loop may touch the same array element."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement

from msgspec import Struct, field

from accache.analysis.delinearise import delinearise, find_pitch
from accache.analysis.ranges import NO_FACTS, Facts, Interval, is_nonnegative, is_positive
from accache.base.properties import cached_property
from accache.base.text import Location
from accache.ir.polynomial import Polynomial

DISTANCE = "<distance>"
OTHER = "'"


class Reference(Struct, frozen=True):
    """One access of an array; a subscript that is no polynomial is None. A scalar has no subscripts.

    ``facts`` hold where the access stands: what the loops around it say of their variables, and that they are not
    empty. The ``residue`` is the last subscript modulo 2**32, where no more is known of it. Atomic updates of one
    ``order_class`` may be done in any order; '' is for all other accesses.
    """

    array: str
    subscripts: tuple[Polynomial | None, ...]
    is_write: bool
    location: Location
    order_class: str = ""
    facts: Facts = NO_FACTS
    residue: Polynomial | None = None


def carried_dependence(
    variable: str, step: int, references: Iterable[Reference], facts: Facts, *, inner: frozenset[str] = frozenset()
) -> tuple[Reference, Reference] | None:
    """Two references that may meet in one element in two different iterations of the loop over ``variable``.

    None: proved that no two iterations conflict. ``inner`` names the symbols that may differ from iteration to
    iteration (inner loop variables, temporaries assigned in the body: ``walk.varying_variables``); all others are
    taken as invariant. ``facts`` must hold at every reference, a reference's own only there; the interval of an
    inner symbol is used only for references that mention it. Arrays of different names are taken as distinct, and
    subscripts of declared dimensions as within their dimension, as C demands.
    """
    distinct = {(r.array, r.subscripts, r.residue, r.is_write, r.order_class, r.facts): r for r in [*references][::-1]}
    ordered = tuple(reversed(distinct.values()))
    intervals = dict.fromkeys(item for part in (facts, *(r.facts for r in ordered)) for item in part.intervals)
    loop = _Loop(variable, step, facts, inner, tuple(intervals))
    for first, second in combinations_with_replacement(ordered, 2):
        if first.array != second.array or not (first.is_write or second.is_write):
            continue
        if (not first.order_class or first.order_class != second.order_class) and loop.may_meet(first, second):
            return first, second
    return None


def may_meet(variable: str, step: int, first: Reference, second: Reference, *, inner: frozenset[str]) -> bool:
    """Whether two references of one array may name one element in two different iterations, whoever writes it.

    As in ``carried_dependence``; what the loop says of its variable is among the facts of the references. Where they
    stand in two loops that end at different numbers, iterations may be any distance apart.
    """
    intervals = dict.fromkeys((*first.facts.intervals, *second.facts.intervals))
    facts = first.facts
    if facts.interval(variable) != second.facts.interval(variable):
        facts = facts.with_interval(variable, Interval(facts.interval(variable).low, None))
    return _Loop(variable, step, facts, inner, tuple(intervals)).may_meet(first, second)


_Side = tuple[frozenset[str], Facts]
"""The symbols in the subscripts of one reference of a pair, and what holds where it stands."""


class _Loop(Struct, frozen=True, dict=True):
    """One loop. The other iteration of a pair runs at ``variable + DISTANCE``, its inner symbols carry a prime.

    ``intervals`` are all that are known at any of the references; one symbol may have several.
    """

    variable: str
    step: int
    facts: Facts
    inner: frozenset[str]
    intervals: tuple[tuple[str, Interval], ...]
    known_pairs: dict[object, Facts] = field(default_factory=dict)

    def may_meet(self, first: Reference, second: Reference) -> bool:
        """Whether the references may name one element in different iterations, whichever of the two comes first."""
        if len(first.subscripts) != len(second.subscripts):
            return True
        if self.differs_in_residue(first, second):
            return False
        both = zip(first.subscripts, second.subscripts, strict=True)
        pairs = [(a, b) for a, b in both if a is not None and b is not None]
        differences = [a - b.substitute(self.other) for a, b in pairs]
        mentioned = frozenset(name for a, _ in pairs for name in a.names)
        mentioned_other = frozenset(name for _, b in pairs for name in b.names)
        alike = (first.subscripts, first.facts) == (second.subscripts, second.facts)
        for sign in (1,) if alike else (1, -1):
            facts = self.pair_facts((mentioned, first.facts), (mentioned_other, second.facts), sign)
            if not any(self.never_zero(part, facts) for whole in differences for part in self.parts(whole, facts)):
                return True
        return False

    def differs_in_residue(self, first: Reference, second: Reference) -> bool:
        """Whether subscripts that count modulo 2**32 differ by how far the iterations are apart.

        That is no multiple of 2**32: residues hold no variables of more bits, whose conversion would change them.
        """
        if first.residue is None or second.residue is None:
            return False
        difference = first.residue - second.residue.substitute(self.other)
        return difference in (Polynomial.symbol(DISTANCE), -Polynomial.symbol(DISTANCE))

    def never_zero(self, difference: Polynomial, facts: Facts) -> bool:
        """Whether a difference of subscripts is proved to be different from zero."""
        return self.is_no_multiple(difference) or is_positive(difference, facts) or is_positive(-difference, facts)

    def is_no_multiple(self, difference: Polynomial) -> bool:
        """The GCD test: all terms but the constant have a common divisor that the constant does not have."""
        exact = difference.substitute({DISTANCE: Polynomial.symbol(DISTANCE) * self.step})
        constant = exact.constant_term
        divisor = (exact - constant).content
        return constant % divisor != 0 if divisor else constant != 0

    def parts(self, difference: Polynomial, facts: Facts) -> Iterator[Polynomial]:
        """Polynomials all of which are zero where the difference is: itself, or its rows and columns where proved."""
        yield difference
        pitch = find_pitch(difference, self.indices)
        split = None if pitch is None else delinearise(difference, (pitch,))
        if pitch is None or split is None:
            return
        row, column = split
        if row.terms and is_nonnegative(pitch - 1 - column, facts) and is_nonnegative(pitch - 1 + column, facts):
            yield from self.parts(row, facts)
            yield from self.parts(column, facts)

    def pair_facts(self, one: _Side, other: _Side, sign: int) -> Facts:
        """What holds of a pair of iterations, the second of which is later (sign 1) or earlier (-1) by value."""
        key = (one, other, sign)
        if key in self.known_pairs:
            return self.known_pairs[key]
        facts = Facts()
        for (names, own), renamed in ((one, {}), (other, self.other)):
            known = self.facts.joined(own)
            absent = self.varying - _reachable(names, known)
            for name, interval in known.intervals:
                place = renamed.get(name, Polynomial.symbol(name))
                if name == self.variable and renamed:
                    facts = facts.assuming(*interval.substitute(renamed).nonnegative(place))
                elif name not in absent:
                    facts = facts.with_interval(place.to_c(), interval.substitute(renamed))
            assumptions = (part.substitute(renamed) for part in known.assumptions if not part.names & absent)
            facts = facts.assuming(*assumptions)
        self.known_pairs[key] = facts.with_interval(DISTANCE, self.distance(sign))
        return self.known_pairs[key]

    def distance(self, sign: int) -> Interval:
        """The interval of the distance between two iterations: at least a step, at most the extent of the loop."""
        own = self.facts.interval(self.variable)
        changes = own.names & (self.varying | {self.variable})
        most = None if own.extent is None or changes else own.extent - 1
        least = Polynomial.constant(abs(self.step))
        return Interval(least, most) if sign > 0 else Interval(None if most is None else -most, -least)

    @cached_property
    def varying(self) -> frozenset[str]:
        """The symbols that have a value of their own in each iteration, the loop variable not counted."""
        names = self.inner | {self.variable}
        while True:
            more = names | {name for name, interval in self.intervals if interval.names & names}
            if more == names:
                return names - {self.variable}
            names = more

    @cached_property
    def other(self) -> dict[str, Polynomial]:
        """What each symbol is called in the other iteration."""
        moved = Polynomial.symbol(self.variable) + Polynomial.symbol(DISTANCE)
        return {self.variable: moved} | {name: Polynomial.symbol(name + OTHER) for name in self.varying}

    @cached_property
    def indices(self) -> frozenset[str]:
        """The symbols that move through an array within the two iterations."""
        return self.varying | {name + OTHER for name in self.varying} | {self.variable, DISTANCE}


def _reachable(names: frozenset[str], facts: Facts) -> frozenset[str]:
    """Names and the symbols in the intervals of those names, and so on."""
    while True:
        more = names.union(*(facts.interval(name).names for name in names))
        if more == names:
            return names
        names = more
