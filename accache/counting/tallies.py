"""Tallies: how often things are loaded, with a word on how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from accache.counting.formulas import NOTHING, Count, as_count, greater, plus, product

Counted: TypeAlias = Literal["own", "fetched", "held", "served", "stored"]
Bound: TypeAlias = Literal["exact", "at most", "at least", "estimate"]

OWN: Final = "own"
FETCHED: Final = "fetched"
HELD: Final = "held"
SERVED: Final = "served"
STORED: Final = "stored"
Key = tuple[Counted, str]
"""What is counted, and the array or tile it is counted of."""
EXACT: Final = "exact"
AT_MOST: Final = "at most"
AT_LEAST: Final = "at least"
ESTIMATE: Final = "estimate"
LAZY = "some references are conditional"


class Tally(Struct, frozen=True):
    """A count; ``bound`` says whether it is exact, at most or at least that, or an estimate; ``notes`` say why."""

    count: Count = NOTHING
    bound: Bound = EXACT
    notes: tuple[str, ...] = ()

    def __add__(self, other: Tally) -> Tally:
        notes = tuple(dict.fromkeys(self.notes + other.notes))
        return Tally(plus(self.count, other.count), both_bounds(self.bound, other.bound), notes)

    def __or__(self, other: Tally) -> Tally:
        """What one of two ways makes: the greater count as a bound, unless they are alike."""
        if self == other:
            return self
        return replace(self + other, count=greater(self.count, other.count)).limited(AT_MOST, LAZY)

    def times(self, factor: Count) -> Tally:
        """The tally, so many times."""
        return replace(self, count=product(factor, self.count))

    def limited(self, bound: Bound, note: str) -> Tally:
        """The same count, known less surely."""
        if self == NONE:
            return self
        return replace(self, bound=both_bounds(self.bound, bound), notes=tuple(dict.fromkeys((*self.notes, note))))


NONE = Tally()
ONE = Tally(as_count(1))


def both_bounds(first: Bound, second: Bound) -> Bound:
    """How sure a sum is."""
    if EXACT in (first, second):
        return second if first == EXACT else first
    return first if first == second else ESTIMATE


def _empty() -> Mapping[Key, Tally]:
    return MappingProxyType({})


class Loads(Struct, frozen=True):
    """Tallies of one kind each, of an array or a tile.

    ``OWN`` are loads by the threads' references that no tile serves, of an array; a tile's are those that miss it.
    ``FETCHED`` are loads that fill a tile, ``HELD`` the elements for which it has room each time it is filled.
    ``SERVED`` and ``STORED`` count a tile's references that read and write: what memory would see without the tile.
    """

    tallies: Mapping[Key, Tally] = field(default_factory=_empty)

    @staticmethod
    def of(kind: Counted, name: str, tally: Tally) -> Loads:
        """One tally."""
        return Loads({(kind, name): tally})

    def __add__(self, other: Loads) -> Loads:
        keys = dict.fromkeys((*self.tallies, *other.tallies))
        return Loads({key: self.tallies.get(key, NONE) + other.tallies.get(key, NONE) for key in keys})

    def __or__(self, other: Loads) -> Loads:
        """What one of two ways loads, of which each thread takes one."""
        keys = dict.fromkeys((*self.tallies, *other.tallies))
        return Loads({key: self.tallies.get(key, NONE) | other.tallies.get(key, NONE) for key in keys})

    def each(self, change: Callable[[Key, Tally], Tally]) -> Loads:
        """Every tally changed; those that count nothing stay as they are."""
        return Loads({key: change(key, tally) if tally != NONE else tally for key, tally in self.tallies.items()})

    def limited(self, bound: Bound, note: str) -> Loads:
        """The same counts, known less surely."""
        return self.each(lambda _, tally: tally.limited(bound, note))

    def total(self, kind: Counted, name: str | None = None) -> Tally:
        """All tallies of a kind, or that of one array or tile."""
        found = (tally for key, tally in self.tallies.items() if key[0] == kind and name in (None, key[1]))
        return sum(found, NONE)


NO_LOADS = Loads()
