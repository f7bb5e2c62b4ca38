"""The paper's heuristic, Algorithm 1, and the local search that finishes what it leaves."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accache.bypass.graph import Graph

_STARTS = 200
_SEED = 1


@dataclass(frozen=True)
class Step:
    """One iteration of Algorithm 1: the load it looks at, its traffic with the others, and with its own."""

    load: int
    others: float
    total: float

    @property
    def cached(self) -> bool:
        """Whether the load is cached."""
        return self.total > 0


def algorithm_1(graph: Graph) -> tuple[Step, ...]:
    """Algorithm 1 as printed, iteration after iteration; a load is in one of them.

    Each looks at the remaining load that saves least together with the loads that are cached or remain, the last one
    of several in program order, and caches it if that and its own weight save anything. A load that bypasses leaves
    the graph.
    """
    weights, pairs = graph.weights, graph.matrix()
    others = pairs.sum(axis=1)
    remaining = list(range(len(weights)))
    steps = []
    while remaining:
        load = min(reversed(remaining), key=lambda candidate: float(others[candidate]))
        step = Step(load, float(others[load]), float(others[load]) + weights[load])
        steps.append(step)
        remaining.remove(load)
        if not step.cached:
            others -= pairs[load]
    return tuple(steps)


def cached_by_algorithm_1(graph: Graph) -> frozenset[int]:
    """The loads that Algorithm 1 caches."""
    return frozenset(step.load for step in algorithm_1(graph) if step.cached)


def search(graph: Graph) -> frozenset[int]:
    """The best of local searches from what Algorithm 1 caches, from nothing, from all loads, and from random subsets.

    The result never saves less than any of the first three, nor can it be bettered by changing one load. It is the
    same on every machine.
    """
    count = len(graph.loads)
    bits = random.Random(_SEED).getrandbits
    starts = [cached_by_algorithm_1(graph), frozenset[int](), frozenset(range(count))]
    starts += [frozenset(load for load in range(count) if bits(1)) for _ in range(_STARTS)]
    weights, pairs = np.array(graph.weights, np.float64), graph.matrix()
    return max((_climb(weights, pairs, start) for start in starts), key=graph.value)


def _climb(weights: NDArray[np.float64], pairs: NDArray[np.float64], start: frozenset[int]) -> frozenset[int]:
    """Change the one load that saves most, as long as one saves more than rounding errors are: so the search ends."""
    chosen = np.zeros(len(weights), bool)
    chosen[list(start)] = True
    least = 1e-12 * (float(np.abs(weights).sum()) + float(np.abs(pairs).sum()))
    while len(weights):
        gain = weights + pairs @ chosen
        gain[chosen] *= -1
        best = int(gain.argmax())
        if gain[best] <= least:
            break
        chosen[best] = not chosen[best]
    return frozenset(np.flatnonzero(chosen).tolist())
