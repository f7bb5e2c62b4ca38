"""The solvers by name, and what they find."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from accache.base.diagnostics import Reporter
from accache.bypass.exact import MAX_LOADS, exact
from accache.bypass.graph import Graph
from accache.bypass.heuristic import search

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
