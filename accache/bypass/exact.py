"""The best subset of up to 22 loads, by looking at all of them."""

from __future__ import annotations

import numpy as np

from accache.bypass.graph import Graph

MAX_LOADS = 22


def exact(graph: Graph) -> frozenset[int]:
    """The loads whose caching saves most; of several such subsets one with the lowest loads missing.

    The values of the subsets of the first i + 1 loads are those of the first i, and the same with load i; with N
    loads that takes 2^N numbers of 8 bytes three times.

    Raises:
        ValueError: there are more than MAX_LOADS loads.
    """
    if len(graph.loads) > MAX_LOADS:
        raise ValueError(f"{len(graph.loads)} loads have too many subsets")
    pairs = graph.matrix()
    values = np.zeros(1)
    for load, weight in enumerate(graph.weights):
        with_load = np.array([float(weight)])
        for other in range(load):
            with_load = np.concatenate((with_load, with_load + pairs[load, other]))
        values = np.concatenate((values, values + with_load))
    best = int(values.argmax())
    return frozenset(load for load in range(len(graph.loads)) if best >> load & 1)
