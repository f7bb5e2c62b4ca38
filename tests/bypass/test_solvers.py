"""The solvers on the paper's example, where Algorithm 1 loses, and on random graphs against enumeration."""

from __future__ import annotations

import sys
from itertools import combinations

import pytest
from graphs import FIGURE_4, LOSING, best_value, random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

from accache.base.diagnostics import CompileError
from accache.bypass.graph import Edge, Graph
from accache.bypass.heuristic import Step, algorithm_1, cached_by_algorithm_1, search
from accache.bypass.solvers import MAX_LOADS, SOLVERS, Solution, exact, solve

WEIGHTS = st.integers(-1000, 1000)


@st.composite
def graphs(draw: st.DrawFn, most: int = 9) -> Graph:
    count = draw(st.integers(0, most))
    pairs = list(combinations(range(count), 2))
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    edges = tuple(Edge(*pair, draw(WEIGHTS)) for pair in chosen)
    return Graph(tuple(map(str, range(count))), tuple(draw(WEIGHTS) for _ in range(count)), edges)


def test_algorithm_1_goes_the_way_of_figure_4() -> None:
    assert algorithm_1(FIGURE_4) == (Step(2, -14, -13), Step(3, 5, 4), Step(1, 8, 10), Step(0, 9, 12))
    assert cached_by_algorithm_1(FIGURE_4) == {0, 1, 3}
    assert FIGURE_4.value({0, 1, 3}) == best_value(FIGURE_4) == 15


def test_algorithm_1_takes_the_last_of_equal_loads() -> None:
    graph = Graph(("a", "b", "c"), (1, 0, 1), ())
    assert [step.load for step in algorithm_1(graph)] == [2, 1, 0]
    assert cached_by_algorithm_1(graph) == {0, 2}, "a load that saves nothing bypasses"


def test_algorithm_1_can_lose_to_bypassing_all_and_the_search_does_not() -> None:
    assert cached_by_algorithm_1(LOSING) == {1}
    assert LOSING.value({1}) == -1
    assert search(LOSING) == frozenset()


@given(graphs())
@settings(max_examples=25, deadline=None)
def test_the_search_never_loses(graph: Graph) -> None:
    everything = frozenset(range(len(graph.loads)))
    found = search(graph)
    value = graph.value(found)
    rivals = (frozenset[int](), everything, cached_by_algorithm_1(graph))
    assert all(value >= graph.value(rival) for rival in rivals)
    assert all(value >= graph.value(found ^ {load}) for load in everything), "one flip betters it"
    assert value <= best_value(graph)


@given(graphs())
@settings(max_examples=25, deadline=None)
def test_exact_is_enumeration(graph: Graph) -> None:
    assert graph.value(exact(graph)) == best_value(graph)


@pytest.mark.parametrize(
    ("seed", "loads", "density"), [(1, 14, 1.0), (2, 14, 0.4), (3, 11, 1.0), (4, 12, 0.1), (5, 1, 1.0)]
)
def test_heuristic_at_most_ilp_which_is_enumeration(seed: int, loads: int, density: float) -> None:
    pytest.importorskip("scipy")
    graph = random_graph(seed, loads, density)
    found = solve(graph, "ilp")
    assert found.value == graph.value(found.cached) == best_value(graph)
    assert found.gap == 0
    assert graph.value(cached_by_algorithm_1(graph)) <= solve(graph, "heuristic").value <= found.value


@pytest.mark.parametrize("sign", [1, -1])
def test_the_ilp_of_edges_of_one_sign(sign: int) -> None:
    pytest.importorskip("scipy")
    edges = tuple(Edge(i, j, sign * 3) for i, j in combinations(range(6), 2))
    graph = Graph(tuple("abcdef"), tuple(-sign * 4 for _ in range(6)), edges)
    assert solve(graph, "ilp").value == best_value(graph) > 0


def test_a_program_out_of_time_gives_the_heuristic_and_a_gap() -> None:
    pytest.importorskip("scipy")
    graph = random_graph(7, 60)
    found = solve(graph, "ilp", seconds=0.0)
    assert found.value >= solve(graph, "heuristic").value
    assert found.gap is not None
    assert 0 < found.gap < 1


def test_the_gap_is_a_share_of_the_bound() -> None:
    assert Solution("ilp", frozenset(), 75, 100).gap == 0.25
    assert Solution("ilp", frozenset(), 100, 100 + 1e-8).gap == 0
    assert Solution("heuristic", frozenset(), 75, None).gap is None


def test_an_empty_graph_has_nothing_to_cache() -> None:
    for solver in SOLVERS:
        if solver == "ilp":
            pytest.importorskip("scipy")
        bound = None if solver == "heuristic" else 0
        assert solve(Graph((), (), ()), solver) == Solution(solver, frozenset(), 0, bound)


def test_the_default_is_exact_for_few_loads() -> None:
    assert solve(random_graph(1, MAX_LOADS)).solver == "exact"
    assert solve(random_graph(1, MAX_LOADS + 1)).solver == "heuristic"


def test_exact_refuses_many_loads() -> None:
    with pytest.raises(CompileError, match=r"23 .*\[ACC960\]"):
        solve(random_graph(1, 23), "exact")


def test_the_ilp_refuses_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(CompileError, match="ACC961"):
        solve(FIGURE_4, "ilp")


@pytest.mark.parametrize(
    ("loads", "weights", "edges", "message"),
    [
        (("a",), (), (), "1 loads have 0 weights"),
        (("a", "b"), (1, 2), (Edge(1, 0, 1),), "in program order"),
        (("a", "b"), (1, 2), (Edge(0, 2, 1),), "in program order"),
        (("a", "b"), (1, 2), (Edge(0, 1, 1), Edge(0, 1, 2)), "each pair has one"),
        (("a",), (float("inf"),), (), "is not finite"),
    ],
)
def test_what_is_no_graph(
    loads: tuple[str, ...], weights: tuple[float, ...], edges: tuple[Edge, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Graph(loads, weights, edges)
