"""How an estimate agrees with what was measured: the order of configurations, the one that is chosen, go or no-go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LEAST_CORRELATION, LEAST_SHARE = 0.8, 90.0
"""What the estimate should reach: Spearman's correlation, and the part of the best configuration's speed in %."""


@dataclass(frozen=True)
class Estimated:
    """Clocks as estimated, milliseconds as measured, whether it uses shared memory; None where none does."""

    clocks: float
    milliseconds: float
    is_shared: bool | None


@dataclass(frozen=True)
class Agreement:
    """Spearman's rank correlation; the best time in parts of that of the configuration that is chosen, in %."""

    count: int
    correlation: float
    share: float


def agreement(found: Sequence[Estimated]) -> Agreement | None:
    """How well configurations agree; None where there are fewer than three, which have no order to speak of."""
    if len(found) < 3:
        return None
    chosen = min(found, key=lambda each: each.clocks).milliseconds
    from scipy.stats import spearmanr  # a second of CPU, which who only imports this need not wait for

    order = spearmanr([each.clocks for each in found], [each.milliseconds for each in found])[0]
    return Agreement(len(found), float(order), 100 * min(each.milliseconds for each in found) / chosen)


@dataclass(frozen=True)
class Go:
    """Whether the best configuration uses shared memory, as estimated and as measured, and the ratio of the best times.

    ``ratio`` is the measured time without shared memory for one with it: above 1 it pays.
    """

    estimated: bool
    measured: bool
    ratio: float


def go(found: Sequence[Estimated]) -> Go | None:
    """Go or no-go of shared memory; None where not both kinds are there."""
    kinds = [[each for each in found if each.is_shared is kind] for kind in (True, False)]
    if not all(kinds):
        return None
    clocks, times = (
        [min(getattr(each, name) for each in kind) for kind in kinds] for name in ("clocks", "milliseconds")
    )
    return Go(clocks[0] < clocks[1], times[0] < times[1], times[1] / times[0])
