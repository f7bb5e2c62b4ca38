"""The solvers by name, and what they find."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from accache.base.diagnostics import Reporter
from accache.bypass.graph import Graph
from accache.bypass.heuristic import search

MAX_LOADS = 22

DEFAULT_SECONDS = 60.0


@dataclass(frozen=True)
class Solution:
    """The loads to cache, the bytes of the graph that it saves, and what no subset can exceed, if that is known."""

    solver: str
    cached: frozenset[int]
    value: float
    bound: float | None

    @property
    def gap(self) -> float | None:
        """How much more, as a share of the bound, the best subset may save: 0 is proved best, None is unknown."""
        if self.bound is None:
            return None
        missing = self.bound - self.value
        return 0.0 if missing <= 1e-9 * abs(self.bound) else missing / abs(self.bound)


def _heuristic(graph: Graph, seconds: float) -> Solution:
    cached = search(graph)
    return Solution("heuristic", cached, graph.value(cached), None)


def _exact(graph: Graph, seconds: float) -> Solution:
    if len(graph.loads) > MAX_LOADS:
        raise Reporter().fail("ACC960", count=len(graph.loads), limit=MAX_LOADS)
    cached = exact(graph)
    return Solution("exact", cached, graph.value(cached), graph.value(cached))


def _ilp(graph: Graph, seconds: float) -> Solution:
    """The program's solution, or the heuristic's where that is better when the time is over."""
    try:
        import_module("scipy.optimize")
    except ImportError as error:
        raise Reporter().fail("ACC961") from error
    found = import_module("accache.bypass.ilp").ilp(graph, seconds)
    candidates = [search(graph)] if found.cached is None else [found.cached, search(graph)]
    cached = max(candidates, key=graph.value)
    value = graph.value(cached)
    return Solution("ilp", cached, value, max(value, found.bound) if math.isfinite(found.bound) else None)


SOLVERS: dict[str, Callable[[Graph, float], Solution]] = {"heuristic": _heuristic, "exact": _exact, "ilp": _ilp}


def solve(graph: Graph, solver: str | None = None, seconds: float = DEFAULT_SECONDS) -> Solution:
    """The loads to cache, by one of SOLVERS; by default exactly where the loads are few enough, else heuristically.

    ``seconds`` limits the integer linear program. Whatever the solver, the result saves no less than bypassing all
    loads, caching all, and Algorithm 1.

    Raises:
        CompileError: the solver takes fewer loads, or needs a package that is not installed.
    """
    few = len(graph.loads) <= MAX_LOADS
    return SOLVERS[solver or ("exact" if few else "heuristic")](graph, seconds)


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
