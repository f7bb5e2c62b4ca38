"""Weights of the traffic reduction graph: from the traffic of subsets of loads, and by the paper's formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from accache.bypass.graph import Edge, Graph

# (the loads that are cached while all others bypass) -> bytes that come from L2 to L1
Traffic = Callable[[frozenset[int]], int]
# (the loads that are cached while all others bypass) -> hits of these
Hits = Callable[[frozenset[int]], int]


def byte_graph(loads: Sequence[str], traffic: Traffic) -> Graph:
    """Weights that are right for every subset of up to two loads.

    With B the traffic, caching load i alone saves ``B({}) - B({i})``, and the edge of two loads has what caching
    both saves beyond that. ``traffic`` is asked once for each subset of up to two loads.
    """
    nothing = traffic(frozenset())
    weights = tuple(nothing - traffic(frozenset({load})) for load in range(len(loads)))
    edges = (
        Edge(i, j, nothing - traffic(frozenset({i, j})) - weights[i] - weights[j])
        for i, j in combinations(range(len(loads)), 2)
    )
    return Graph(tuple(loads), weights, tuple(edge for edge in edges if edge.weight))


def paper_graph(
    loads: Sequence[str], accesses: Sequence[int], hits: Hits, ratio: float, *, line_bytes: int = 128
) -> Graph:
    """The paper's weights (sections 4.3 and 5.1).

    ``accesses`` has the requests of each load for lines when it alone is cached. Cached, a load fetches a line for
    each that does not hit; bypassing, it is taken to fetch ``ratio`` of the lines of all its requests: E_on / E_off,
    the load efficiency of the whole program with all loads cached over that with all bypassing. The edge of two loads
    has a line for each hit that they have together and neither has alone. ``hits`` is asked once for each subset of
    one and of two loads.
    """
    alone = [hits(frozenset({load})) for load in range(len(loads))]
    weights = tuple(
        accessed * line_bytes * ratio - (accessed - hit) * line_bytes
        for accessed, hit in zip(accesses, alone, strict=True)
    )
    edges = (
        Edge(i, j, (hits(frozenset({i, j})) - alone[i] - alone[j]) * line_bytes)
        for i, j in combinations(range(len(loads)), 2)
    )
    return Graph(tuple(loads), weights, tuple(edge for edge in edges if edge.weight))
