"""Trying subsets of loads on the traffic itself: all of them where these are few, else a local search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from accache.bypass.weights import Traffic

Subset = frozenset[int]
_STARTS = 4
"""From how many of the best subsets known the local search starts."""


class Trials:
    """The traffic of subsets of so many loads, each asked for once; searches ask for ``passes`` more at most."""

    def __init__(self, traffic: Traffic, count: int, passes: int) -> None:
        self._traffic, self._passes = traffic, passes
        self.count = count
        self.known: dict[Subset, int] = {}

    def __call__(self, cached: Subset) -> int:
        """B(S)."""
        if cached not in self.known:
            self.known[cached] = self._traffic(cached)
        return self.known[cached]

    def best(self, chosen: Subset) -> Subset:
        """The subset with the least traffic of all known ones and of those searched for; ``chosen`` if none has less.

        Subsets of up to two loads are known already where their traffic made the weights, and are asked for in any
        case. All subsets are if there are as few as may be; else those that differ in a load, and then in two, from
        the best known ones, as long as that saves bytes.
        """
        self._ask(frozenset(few) for size in range(3) for few in combinations(range(self.count), size))
        if 1 << self.count <= self._passes:
            self._ask(
                frozenset(some) for size in range(self.count + 1) for some in combinations(range(self.count), size)
            )
            return self._least(chosen)
        self._passes += len(self.known)
        for start in sorted(self.known, key=self.known.__getitem__)[:_STARTS]:
            self._descend(start, 1)
        self._descend(self._least(chosen), 2)
        return self._least(chosen)

    def _ask(self, subsets: Iterable[Subset]) -> None:
        for subset in subsets:
            self(subset)

    def _least(self, chosen: Subset) -> Subset:
        found = min(self.known, key=self.known.__getitem__)
        return found if self(found) < self(chosen) else chosen

    def _descend(self, start: Subset, most: int) -> None:
        """Change up to ``most`` loads, those that save most, again and again while that saves and passes are left."""
        chosen = start
        while True:
            near = []
            for subset in self._near(chosen, most):
                if subset not in self.known and len(self.known) >= self._passes:
                    break
                near.append(subset)
            best = min(near, key=self, default=chosen)
            if self(best) >= self(chosen):
                return
            chosen = best

    def _near(self, chosen: Subset, most: int) -> Iterator[Subset]:
        for size in range(1, most + 1):
            for changed in combinations(range(self.count), size):
                yield chosen.symmetric_difference(changed)
