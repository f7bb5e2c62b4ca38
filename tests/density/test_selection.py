"""The knapsack is exact: as good as trying all, and never below the greedy first fit that compilers use."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from accache.density.selection import Candidate, Option, select


def worth(candidates: list[Candidate], taken: tuple[int | None, ...], limit: int) -> int | None:
    """The value of a choice; None if it does not fit."""
    loads: dict[int, int] = {}
    value = 0
    for candidate, number in zip(candidates, taken, strict=True):
        if number is not None:
            value += candidate.options[number].value
            for phase in candidate.phases:
                loads[phase] = loads.get(phase, 0) + candidate.options[number].weight
    return value if max(loads.values(), default=0) <= limit else None


def greedily(candidates: list[Candidate], limit: int) -> int:
    taken: list[int | None] = [None] * len(candidates)
    for at, candidate in enumerate(candidates):
        for number, option in enumerate(candidate.options):
            trial = [*taken[:at], number, *taken[at + 1 :]]
            if option.value > 0 and worth(candidates, tuple(trial), limit) is not None:
                taken = trial
                break
    found = worth(candidates, tuple(taken), limit)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(200))
def test_it_is_as_good_as_trying_all(seed: int) -> None:
    random = np.random.default_rng(seed)
    candidates = [
        Candidate(
            tuple(
                Option(int(random.integers(-5, 40)), int(random.integers(1, 30))) for _ in range(random.integers(1, 4))
            ),
            frozenset(random.choice(3, int(random.integers(1, 4)), replace=False).tolist()),
        )
        for _ in range(random.integers(1, 6))
    ]
    limit = int(random.integers(1, 80))
    choices = product(*([None, *range(len(candidate.options))] for candidate in candidates))
    best = max(value for taken in choices if (value := worth(candidates, taken, limit)) is not None)
    found = worth(candidates, select(candidates, limit), limit)
    assert found == best
    assert found >= greedily(candidates, limit)


def test_copies_that_are_not_alive_together_share_memory() -> None:
    one, other = (Candidate((Option(10, 4096),), frozenset({phase})) for phase in (0, 1))
    assert select([one, other], 4096) == (0, 0)
    assert select([one, one], 4096) in ((0, None), (None, 0))


def test_what_saves_nothing_is_not_taken() -> None:
    assert select([Candidate((Option(0, 0), Option(-3, 0)), frozenset({0}))], 100) == (None,)
    assert select([], 100) == ()
