"""Reuse distances of requests in a fixed order (Mattson et al., 1970).

In a set managed by LRU, a request hits with w ways exactly if fewer than w other lines of the set were asked for since
its own was. So one pass gives the hits of all associativities, and more ways never lose any.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from accache.l1.requests import Integers

# (lines in the order of requests, the set of each) -> how many requests have each distance, how many an infinite one
Measure = Callable[[Integers, Integers], tuple[Integers, int]]


def measure(line: Integers, index: Integers) -> tuple[Integers, int]:
    """The reuse distances of requests, each in its set: the count of each distance, and of infinite ones."""
    stacks: dict[int, list[int]] = {}
    found: Counter[int] = Counter()
    for wanted, own in zip(line.tolist(), index.tolist(), strict=True):
        stack = stacks.setdefault(own, [])
        distance = stack.index(wanted) if wanted in stack else -1
        if distance >= 0:
            stack.remove(wanted)
        stack.insert(0, wanted)
        found[distance] += 1
    never = found.pop(-1, 0)
    counts = np.zeros(max(found, default=-1) + 1, np.int64)
    for distance, count in found.items():
        counts[distance] = count
    return counts, never
