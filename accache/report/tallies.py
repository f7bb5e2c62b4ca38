"""Tallies: how often things are loaded, with a word on how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from accache.report.formulas import NOTHING, Count, as_count, plus, product

EXACT, AT_MOST, AT_LEAST, ESTIMATE = "exact", "at most", "at least", "estimate"


@dataclass(frozen=True)
class Tally:
    """A count; ``bound`` says whether it is exact, at most or at least that, or an estimate; ``notes`` say why."""

    count: Count = NOTHING
    bound: str = EXACT
    notes: tuple[str, ...] = ()

    def __add__(self, other: Tally) -> Tally:
        notes = tuple(dict.fromkeys(self.notes + other.notes))
        return Tally(plus(self.count, other.count), both_bounds(self.bound, other.bound), notes)

    def times(self, factor: Count) -> Tally:
        """The tally, so many times."""
        return replace(self, count=product(factor, self.count))

    def limited(self, bound: str, note: str) -> Tally:
        """The same count, known less surely."""
        if self == NONE:
            return self
        return replace(self, bound=both_bounds(self.bound, bound), notes=tuple(dict.fromkeys((*self.notes, note))))


NONE = Tally()
ONE = Tally(as_count(1))


def both_bounds(first: str, second: str) -> str:
    """How sure a sum is."""
    if EXACT in (first, second):
        return second if first == EXACT else first
    return first if first == second else ESTIMATE


def _empty() -> Mapping[str, Tally]:
    return MappingProxyType({})


@dataclass(frozen=True)
class Loads:
    """Loads from global memory: by the threads' ``own`` references, an entry an array; by fetches, an entry a tile."""

    own: Mapping[str, Tally] = field(default_factory=_empty)
    fetched: Mapping[str, Tally] = field(default_factory=_empty)

    def __add__(self, other: Loads) -> Loads:
        return Loads(_added(self.own, other.own), _added(self.fetched, other.fetched))

    def limited(self, bound: str, note: str) -> Loads:
        """The same counts, known less surely."""
        own = {name: tally.limited(bound, note) for name, tally in self.own.items()}
        return Loads(own, {name: tally.limited(bound, note) for name, tally in self.fetched.items()})

    def total_own(self, names: Iterable[str] | None = None) -> Tally:
        """All own loads, or those of some arrays."""
        return sum((self.own.get(name, NONE) for name in (self.own if names is None else names)), NONE)

    def total_fetched(self, names: Iterable[str] | None = None) -> Tally:
        """All fetches, or those of some tiles."""
        return sum((self.fetched.get(name, NONE) for name in (self.fetched if names is None else names)), NONE)


NO_LOADS = Loads()


def _added(first: Mapping[str, Tally], second: Mapping[str, Tally]) -> Mapping[str, Tally]:
    return {name: first.get(name, NONE) + second.get(name, NONE) for name in dict.fromkeys((*first, *second))}
