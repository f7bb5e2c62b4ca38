"""What ``distances`` measures, compiled: a tree of counts finds each distance in a logarithmic number of steps.

The requests of a set stand one behind the other. A mark stands at the latest request for each line, so a distance is
the number of marks since the line's own (Bennett and Kruskal, 1975; the tree is Fenwick's).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from accache.l1.compiled.jit import compiled, inlined
from accache.l1.compiled.memory import NONE, Integers
from accache.l1.compiled.requests import number_lines


@inlined
def add(tree: NDArray[np.int32], at: int, change: int) -> None:
    """Change the marks at a place, counted from 1."""
    while at < len(tree):
        tree[at] += change
        at += at & -at


@inlined
def marks(tree: NDArray[np.int32], at: int) -> int:
    """How many marks there are up to a place."""
    total = 0
    while at > 0:
        total += tree[at]
        at -= at & -at
    return total


@compiled
def count_distances(numbers: NDArray[np.int32], latest: Integers, tree: NDArray[np.int32], counts: Integers) -> int:
    """Count each distance; returns how many are infinite."""
    never = 0
    for i in range(len(numbers)):
        line = numbers[i]
        before = latest[line]
        if before == NONE:
            never += 1
        else:
            counts[marks(tree, i) - marks(tree, before)] += 1
            add(tree, before, -1)
        add(tree, i + 1, 1)
        latest[line] = i + 1
    return never


def measure_fast(line: Integers, index: Integers) -> tuple[Integers, int]:
    """What ``distances.measure`` does."""
    numbers, lines = number_lines(line[np.argsort(index, kind="stable")])
    counts = np.zeros(len(lines) + 1, np.int64)
    latest, tree = np.full(len(lines), NONE, np.int64), np.zeros(len(numbers) + 1, np.int32)
    never = count_distances(numbers, latest, tree, counts)
    return counts[: counts.nonzero()[0].max(initial=-1) + 1], never
