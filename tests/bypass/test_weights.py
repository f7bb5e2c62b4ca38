"""Weights from traffic and from hits, with numbers that can be followed by hand."""

from __future__ import annotations

import pytest

from accache.bypass.graph import Edge
from accache.bypass.weights import byte_graph, paper_graph


def test_byte_weights_are_right_for_every_pair() -> None:
    traffic = {(): 1000, (0,): 700, (1,): 1200, (2,): 1000, (0, 1): 400, (0, 2): 700, (1, 2): 1300}
    graph = byte_graph(("a", "b", "c"), lambda cached: traffic[tuple(sorted(cached))])
    assert graph.weights == (300, -200, 0)
    assert graph.edges == (Edge(0, 1, 500), Edge(1, 2, -100))
    for cached, bytes_ in traffic.items():
        assert graph.value(cached) == 1000 - bytes_


def test_the_paper_s_weights_of_an_aligned_16_byte_request() -> None:
    """Efficiency 12.5 % cached and 50 % bypassing: an access without a hit costs 128 bytes cached, 32 bypassing."""
    hits = {(0,): 0, (1,): 6, (0, 1): 4}
    graph = paper_graph(("a", "b"), (10, 8), lambda cached: hits[tuple(sorted(cached))], 0.125 / 0.5)
    assert graph.weights == (10 * 32 - 10 * 128, 8 * 32 - 2 * 128)
    assert graph.edges == (Edge(0, 1, -2 * 128),)


def test_the_paper_s_weights_need_accesses_of_each_load() -> None:
    with pytest.raises(ValueError, match="zip"):
        paper_graph(("a", "b"), (10,), lambda cached: 0, 1)
