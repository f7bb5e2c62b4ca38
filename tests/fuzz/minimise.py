"""Make a failing program smaller: with fewer decisions, and simpler ones, as long as it still fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from matrix.builder import Program

from fuzz.choices import Choices
from fuzz.grammar import program

TRIES = 150


def smaller(name: str, decisions: Sequence[int], fails: Callable[[Program], bool]) -> Program:
    """The smallest program found that ``fails``."""
    best = list(decisions)
    made = program(name, Choices(noted=best))
    tries = 0
    improved = True
    while improved and tries < TRIES:
        improved = False
        for candidate in _simpler(best):
            again = Choices(noted=candidate)
            other = program(name, again)
            if tries >= TRIES or not (len(other.text), again.made) < (len(made.text), best):
                continue
            tries += 1
            if fails(other):
                best, made, improved = again.made, other, True
                break
    return made


def _simpler(decisions: Sequence[int]) -> Iterator[list[int]]:
    """Decisions with a part left out, the largest parts first, or with one made simpler."""
    size = len(decisions) // 2
    while size:
        for start in range(0, len(decisions), size):
            yield [*decisions[:start], *decisions[start + size :]]
            yield [*decisions[:start], *[0] * size, *decisions[start + size :]]
        size //= 2
    for index, value in enumerate(decisions):
        if value:
            yield [*decisions[:index], 0, *decisions[index + 1 :]]
