"""The traffic reduction graph: how many bytes caching a load saves, alone and together with another one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Edge:
    """Two loads, the first before the second in program order, and the bytes that caching both saves besides."""

    first: int
    second: int
    weight: float


@dataclass(frozen=True)
class Graph:
    """A weighted graph over the loads of a kernel (Xie et al. 2013, definition 1).

    ``loads`` are names in program order and ``weights`` the bytes that caching each of them alone saves, both positive
    and negative. A pair without an edge has the weight 0.

    Raises:
        ValueError: names and weights differ in number, an edge joins no two loads in program order or a pair twice, or
            a weight is not finite.
    """

    loads: tuple[str, ...]
    weights: tuple[float, ...]
    edges: tuple[Edge, ...]

    def __post_init__(self) -> None:
        if len(self.loads) != len(self.weights):
            raise ValueError(f"{len(self.loads)} loads have {len(self.weights)} weights")
        pairs = [(edge.first, edge.second) for edge in self.edges]
        if any(not 0 <= first < second < len(self.loads) for first, second in pairs) or len(set(pairs)) < len(pairs):
            raise ValueError("an edge joins two loads in program order, and each pair has one")
        if not all(map(math.isfinite, (*self.weights, *(edge.weight for edge in self.edges)))):
            raise ValueError("a weight is not finite")

    def value(self, cached: Iterable[int]) -> float:
        """The bytes that caching these loads and bypassing the others saves, in comparison to bypassing all.

        >>> Graph(("a", "b"), (-2, -1), (Edge(0, 1, 5),)).value({0, 1})
        2
        """
        chosen = set(cached)
        alone = sum(self.weights[load] for load in chosen)
        return alone + sum(edge.weight for edge in self.edges if {edge.first, edge.second} <= chosen)

    def matrix(self) -> NDArray[np.float64]:
        """The weights of edges as a symmetric matrix with zeros on its diagonal."""
        matrix = np.zeros((len(self.loads), len(self.loads)))
        for edge in self.edges:
            matrix[edge.first, edge.second] = matrix[edge.second, edge.first] = edge.weight
        return matrix
