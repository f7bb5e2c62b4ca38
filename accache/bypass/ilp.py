"""The paper's integer linear program (section 5.2), solved by HiGHS through scipy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from accache.bypass.graph import Graph


@dataclass(frozen=True)
class Found:
    """What the solver found in its time: the loads to cache, None if it found nothing, and what nothing can exceed."""

    cached: frozenset[int] | None
    bound: float


def ilp(graph: Graph, seconds: float) -> Found:
    """Maximise what caching saves, for so many seconds.

    One variable of 0 or 1 stands for each load and one for each edge, the product of those of its loads. What only
    pushes such a product to where it is anyway is left out: products that save need no lower bound, those that cost no
    upper one, and with loads that are 0 or 1 they need not be declared as integers.
    """
    count = len(graph.loads)
    edges = [edge for edge in graph.edges if edge.weight]
    at_most = sum(weight for weight in (*graph.weights, *(edge.weight for edge in edges)) if weight > 0)
    if not count:
        return Found(frozenset(), 0.0)
    weights = np.array([*graph.weights, *(edge.weight for edge in edges)], np.float64)
    scale = float(np.abs(weights).max()) or 1.0  # HiGHS has absolute tolerances
    result: Any = milp(
        -weights / scale,
        integrality=np.array([1] * count + [0] * len(edges)),
        bounds=Bounds(0, 1),
        constraints=_products(graph) or None,
        options={"time_limit": seconds, "mip_rel_gap": 0.0},
    )
    bound = at_most if result.mip_dual_bound is None else min(at_most, -float(result.mip_dual_bound) * scale)
    if result.x is None:
        return Found(None, bound)
    return Found(frozenset(np.flatnonzero(result.x[:count] > 0.5).tolist()), bound)


def _products(graph: Graph) -> list[LinearConstraint]:
    """The rows that make each edge's variable the product of its loads' variables, each at most its right side."""
    count = len(graph.loads)
    rows: list[tuple[tuple[int, float], ...]] = []
    limits: list[float] = []
    for place, edge in enumerate((edge for edge in graph.edges if edge.weight), count):
        if edge.weight > 0:
            rows += [((place, 1.0), (edge.first, -1.0)), ((place, 1.0), (edge.second, -1.0))]
            limits += [0.0, 0.0]
        else:
            rows.append(((edge.first, 1.0), (edge.second, 1.0), (place, -1.0)))
            limits.append(1.0)
    if not rows:
        return []
    entries = [(row, column, factor) for row, entry in enumerate(rows) for column, factor in entry]
    row, column, factor = zip(*entries, strict=True)
    variables = count + sum(1 for edge in graph.edges if edge.weight)
    matrix = csr_array((np.array(factor), (np.array(row), np.array(column))), shape=(len(rows), variables))
    return [LinearConstraint(matrix, -np.inf, np.array(limits))]
