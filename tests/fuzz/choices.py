"""Random decisions that are noted, so that a program can be made again, and a smaller one from fewer of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Choices:
    """Decisions below some bound each: drawn at random, or those of ``noted``, and 0 where there are no more.

    The first alternative of every decision should be the simplest.
    """

    def __init__(self, seed: int | str | None = None, noted: Sequence[int] = ()) -> None:
        """Draw from a seed; None replays only."""
        self.random = random.Random(seed) if seed is not None else None
        self.noted = list(noted)
        self.made: list[int] = []

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound`` - 1."""
        if len(self.made) < len(self.noted):
            value = min(self.noted[len(self.made)], bound - 1)
        else:
            value = self.random.randrange(bound) if self.random else 0
        self.made.append(value)
        return value

    def one_of(self, alternatives: Sequence[T]) -> T:
        """One of several."""
        return alternatives[self.below(len(alternatives))]

    def percent(self, chance: int) -> bool:
        """True so many times of a hundred; no is the simpler answer."""
        return self.below(100) >= 100 - chance
