"""Small selections of a product in which every pair of values occurs."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations

Row = dict[str, str]
TRIES = 30


def pairs_of(row: Iterable[tuple[str, str]]) -> frozenset[tuple[tuple[str, str], tuple[str, str]]]:
    """All pairs of (factor, value) in a row."""
    return frozenset(combinations(sorted(row), 2))


def covering(factors: Mapping[str, Sequence[str]], legal: Callable[[Row], bool] = lambda row: True) -> list[Row]:
    """Rows in which every pair of values of two factors occurs, unless no legal row was found for it."""
    chance = random.Random(1)
    missing = {
        pair
        for first, second in combinations(sorted(factors), 2)
        for pair in (((first, a), (second, b)) for a in factors[first] for b in factors[second])
    }
    rows: list[Row] = []
    while missing:
        wanted = chance.choice(sorted(missing))
        tries = [_row_with(wanted, factors, chance) for _ in range(TRIES)]
        best = max(
            (row for row in tries if legal(row)), key=lambda row: len(missing & pairs_of(row.items())), default={}
        )
        missing -= pairs_of(best.items()) | {wanted}
        rows += [best] if best else []
    return rows


def _row_with(
    pair: tuple[tuple[str, str], tuple[str, str]], factors: Mapping[str, Sequence[str]], chance: random.Random
) -> Row:
    """A random row that holds a pair."""
    return {name: chance.choice(list(values)) for name, values in factors.items()} | dict(pair)
