"""Whether a tile saves accesses of global memory: what a block makes with it and without it.

A reference that reads is a load and one that writes a store. A tile takes a load for each element it fetches
and, under write-back, at most a store for each it holds: dense writes pay, single ones do not (paper 004,
section 5.3). Where the data decide, the counts are the most there may be.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from accache.caching.survey import Survey
from accache.counting.formulas import Count, Sum, as_count, least, plus
from accache.counting.loads import LoadCounter
from accache.counting.tallies import FETCHED, HELD, OWN, SERVED, STORED, Loads, Tally
from accache.ir.simt import Tile
from accache.ir.tree import Stmt

SIZES = (2, 16, 1024)
"""What names in formulas are taken to be when two counts are compared."""


class Traffic(Struct, frozen=True):
    """Accesses of global memory that a block makes without a tile and with it; ``kind`` says of which kind."""

    before: Tally
    after: Tally
    kind: str

    def __str__(self) -> str:
        return f"a block makes {_text(self.before)} global {self.kind} without a tile, {_text(self.after)} with one"


def traffic_of(tile: Tile, loads: Loads) -> Traffic:
    """What a tile does to the accesses counted in ``loads``."""
    before = loads.total(SERVED, tile.name)
    after = loads.total(FETCHED, tile.name) + loads.total(OWN, tile.name)
    if not tile.policy:
        return Traffic(before, after, "loads")
    stores = written = loads.total(STORED, tile.name)
    if tile.policy == "back":
        held = loads.total(HELD, tile.name)
        written = Tally(least((stores.count, held.count)), stores.bound, stores.notes)
    return Traffic(before + stores, after + written, "loads and stores" if tile.is_read else "stores")


def traffic(survey: Survey, body: Stmt, tiles: tuple[Tile, ...]) -> Iterator[tuple[Tile, Traffic]]:
    """The accesses of a full block that the tiles in a planned ``body`` save or cost.

    What an emulated cache saves only the data tell, so nothing is said of it.
    """
    counter = LoadCounter(survey.kernel, body, False, as_count(1), survey.gang_arrays())
    loads = counter.count()
    return ((tile, traffic_of(tile, loads)) for tile in tiles if not tile.entries)


def is_useless(found: Traffic, factor: int) -> bool:
    """Whether a tile does not save enough, whatever sizes the names in the counts stand for.

    Enough is that fewer accesses remain, and at most one ``factor``-th of them.
    """
    before, after = found.before.count, found.after.count
    return before == after or not any(_saves(before, after, factor, values) for values in _samples(before, after))


def _saves(before: Count, after: Count, factor: int, values: dict[str, int]) -> bool:
    remaining, all_of_them = after.evaluate(values), before.evaluate(values)
    return 0 <= remaining < all_of_them and factor * remaining <= all_of_them


def _samples(before: Count, after: Count) -> Iterator[dict[str, int]]:
    """Sizes for all names, each as the smallest and as the largest, so that no difference is always negative."""
    names = sorted(before.names | after.names)
    sizes = SIZES[:-1] if _adds_up(plus(before, after)) else SIZES
    for size in sizes:
        for order in (names, names[::-1]):
            yield {name: size * (position + 1) for position, name in enumerate(order)}


def _adds_up(count: Count) -> bool:
    """Whether evaluating a count walks through a loop."""
    return any(isinstance(factor, Sum) for factors, _ in count.terms for factor in factors)


def _text(tally: Tally) -> str:
    return str(tally.count) if tally.bound == "exact" else f"{tally.bound} {tally.count}"
