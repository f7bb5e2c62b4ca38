"""Graphs for tests, and the best value of a small one by plain enumeration."""

from __future__ import annotations

import random
from itertools import combinations

from accache.bypass.graph import Edge, Graph

# completes the weights that the prose around the paper's Figure 4 gives
FIGURE_4 = Graph(
    ("V1", "V2", "V3", "V4"),
    (3, 2, 1, -1),
    (Edge(0, 2, -5), Edge(1, 2, -5), Edge(2, 3, -4), Edge(0, 1, 6), Edge(0, 3, 3), Edge(1, 3, 2)),
)
# here Algorithm 1 saves less than bypassing both loads
LOSING = Graph(("V1", "V2"), (-2, -1), (Edge(0, 1, 2),))


def random_graph(seed: int, loads: int, density: float = 1.0) -> Graph:
    """Weights from -100 to 100."""
    draw = random.Random(seed)
    edges = tuple(
        Edge(i, j, draw.randint(-100, 100)) for i, j in combinations(range(loads), 2) if draw.random() < density
    )
    return Graph(tuple(f"ld{i}" for i in range(loads)), tuple(draw.randint(-100, 100) for _ in range(loads)), edges)


def best_value(graph: Graph) -> float:
    """What the best of all subsets saves."""
    everything = range(len(graph.loads))
    return max(graph.value(subset) for size in range(len(graph.loads) + 1) for subset in combinations(everything, size))
