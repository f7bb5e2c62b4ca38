"""Whether a tile saves accesses of global memory: what a block makes with it and without it.

A reference that reads is a load and one that writes a store. A tile takes a load for each element it fetches
and, under write-back, at most a store for each it holds: dense writes pay, single ones do not (paper 004,
section 5.3). Where the data decide, the counts are the most there may be. Sizes that only the caller knows stand in
the counts by name: a tile is given up where it is proved that it saves for none of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from accache.caching.survey import Survey
from accache.counting.closed_forms import closed_form, never_less
from accache.counting.formulas import as_count, least, plus, product
from accache.counting.loads import LoadCounter
from accache.counting.tallies import FETCHED, HELD, OWN, SERVED, STORED, Loads, Tally
from accache.ir.kernels.tiles import Tile
from accache.ir.polynomial import Polynomial
from accache.ir.tree import Stmt


class Traffic(Struct, frozen=True):
    """Accesses of global memory that a block makes without a tile and with it; ``kind`` says of which kind.

    Both counts hold for sizes for which all ``facts`` are positive.
    """

    before: Tally
    after: Tally
    kind: Literal["loads", "stores", "loads and stores"]
    facts: tuple[Polynomial, ...] = ()

    def __str__(self) -> str:
        return f"a block makes {_text(self.before)} global {self.kind} without a tile, {_text(self.after)} with one"


def traffic_of(tile: Tile, loads: Loads, facts: tuple[Polynomial, ...]) -> Traffic:
    """What a tile does to the accesses counted in ``loads``."""
    before = loads.total(SERVED, tile.name)
    after = loads.total(FETCHED, tile.name) + loads.total(OWN, tile.name)
    if not tile.policy:
        return Traffic(before, after, "loads", facts)
    stores = written = loads.total(STORED, tile.name)
    if tile.policy == "back":
        held = loads.total(HELD, tile.name)
        written = Tally(least((stores.count, held.count)), stores.bound, stores.notes)
    return Traffic(before + stores, after + written, "loads and stores" if tile.is_read else "stores", facts)


def traffic(survey: Survey, body: Stmt, tiles: tuple[Tile, ...]) -> Iterator[tuple[Tile, Traffic]]:
    """The accesses of a full block that the tiles in a planned ``body`` save or cost.

    What an emulated cache saves only the data tell, so nothing is said of it.
    """
    counter = LoadCounter(survey.kernel, body, False, as_count(1), survey.gang_arrays())
    loads = counter.count()
    facts = counter.facts()
    return ((tile, traffic_of(tile, loads, facts)) for tile in tiles if tile.has_range)


def is_useless(found: Traffic, factor: int) -> bool:
    """Whether it is proved that a tile does not save enough for any sizes the names in the counts stand for.

    Enough is that fewer accesses remain, and at most one ``factor``-th of them. What saves for some sizes only, and
    what cannot be decided, is kept.
    """
    before, after = found.before.count, found.after.count
    remaining = product(as_count(factor), after)
    return never_less(after, before, found.facts) or (
        factor > 1 and never_less(remaining, plus(before, as_count(1)), found.facts)
    )


def _text(tally: Tally) -> str:
    text = closed_form(tally.count)
    return text if tally.bound == "exact" else f"{tally.bound} {text}"
