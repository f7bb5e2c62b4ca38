"""Decisions, their reasons and their report, on traffic that can be followed by hand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

from graphs import random_graph
from hypothesis import given, settings
from hypothesis import strategies as st

from accache.bypass.decisions import How, Load, decide
from accache.bypass.graph import Edge, Graph
from accache.bypass.report import Left, as_record, as_text
from accache.bypass.weights import byte_graph

# bytes with the loads in the key cached: a and b share lines, c pushes those of both out, d reads all of a line once
TRAFFIC = {
    "": 10_000,
    "a": 9_000,
    "b": 9_500,
    "c": 9_900,
    "d": 11_000,
    "ab": 6_000,
    "ac": 9_800,
    "bc": 9_900,
    "abc": 8_500,
}


def traffic(cached: frozenset[int]) -> int:
    key = "".join("abcd"[load] for load in sorted(cached))
    return TRAFFIC[key.replace("d", "") if "d" in key and len(key) > 1 else key] + 1000 * ("d" in key and len(key) > 1)


LOADS = tuple(Load(name, 100, hits, 200) for name, hits in zip("abcd", (50, 30, 1, 0), strict=True))
GRAPH = byte_graph("abcd", traffic)


def test_loads_are_decided_on_with_reasons() -> None:
    outcome = decide(LOADS, GRAPH, traffic)
    assert [(decision.load.name, decision.cached, decision.reason) for decision in outcome.decisions] == [
        ("a", True, "saves 3,500 bytes"),
        ("b", True, "saves 3,000 bytes"),
        ("c", False, "caching it costs 2,500 bytes beside a and b"),
        ("d", False, "caching it fetches 1,000 bytes more"),
    ]
    assert (outcome.cache_all, outcome.bypass_all, outcome.ours) == (9_500, 10_000, 6_000)
    assert outcome.solution.value == 4_000


def test_the_report_has_it_all() -> None:
    outcome = decide(LOADS, GRAPH, traffic)
    left = (Left("e", "it is volatile"),)
    record = as_record(outcome, left, {"gpu": "some"})
    loads = record["loads"]
    assert isinstance(loads, list)
    assert loads[2] == {
        "load": "c",
        "accesses": 100,
        "hits": 1,
        "sectors": 200,
        "weight": 100,
        "decision": "bypass",
        "reason": "caching it costs 2,500 bytes beside a and b",
    }
    assert record["bytes"] == {"cache_all": 9500, "bypass_all": 10000, "algorithm_1": 6000, "ours": 6000}
    assert record["edges"] == [
        {"first": GRAPH.loads[edge.first], "second": GRAPH.loads[edge.second], "weight": edge.weight}
        for edge in GRAPH.edges
    ]
    assert record["unchanged"] == [{"load": "e", "reason": "it is volatile"}]
    assert (record["gpu"], record["solver"], record["gap"]) == ("some", "exact", 0)
    assert as_text(outcome, left, "kernel k") == (
        "kernel k\n"
        "  load  accesses  hits  sectors  weight  decision  reason\n"
        "  a          100    50      200   1,000  cache     saves 3,500 bytes\n"
        "  b          100    30      200     500  cache     saves 3,000 bytes\n"
        "  c          100     1      200     100  bypass    caching it costs 2,500 bytes beside a and b\n"
        "  d          100     0      200  -1,000  bypass    caching it fetches 1,000 bytes more\n"
        "  e                                      as it is  it is volatile\n"
        "\n"
        "  caching all                  9,500 bytes from L2 to L1\n"
        "  bypassing all               10,000 bytes from L2 to L1\n"
        "  Algorithm 1                  6,000 bytes from L2 to L1\n"
        "  these decisions              6,000 bytes from L2 to L1\n"
    )


def table_of(values: list[int]) -> Callable[[frozenset[int]], int]:
    return lambda cached: values[sum(1 << load for load in cached)]


@given(st.lists(st.integers(0, 1000), min_size=16, max_size=16), st.sampled_from(["exact", "heuristic"]))
@settings(max_examples=15, deadline=None)
def test_decisions_never_lose_whatever_the_traffic(values: list[int], solver: str) -> None:
    traffic = table_of(values)
    graph = byte_graph("abcd", traffic)
    outcome = decide(LOADS, graph, traffic, How(solver))
    chosen = frozenset(number for number, decision in enumerate(outcome.decisions) if decision.cached)
    assert outcome.ours == traffic(chosen)
    assert outcome.ours <= min(outcome.cache_all, outcome.bypass_all, outcome.algorithm_1)
    assert all(outcome.ours <= traffic(chosen ^ {load}) for load in range(4))


def test_what_a_graph_of_pairs_says_best_is_left_alone_if_asked() -> None:
    """Three loads share one line: each pair saves it once, so all three together save it twice too often."""
    values = {0: 384, 1: 256, 2: 128, 3: 300}
    outcome = decide(
        LOADS[:3],
        byte_graph("abc", lambda cached: values[len(cached)]),
        lambda cached: values[len(cached)],
        How(tried=False),
    )
    assert outcome.ours == values[3]
    tried = decide(LOADS[:3], byte_graph("abc", lambda cached: values[len(cached)]), lambda cached: values[len(cached)])
    assert tried.ours == values[2]


def test_no_loads_are_no_decisions() -> None:
    outcome = decide((), byte_graph((), lambda cached: 7), lambda cached: 7)
    assert outcome.decisions == ()
    assert outcome.ours == outcome.cache_all == 7


def test_a_graph_s_own_traffic_gives_its_solution() -> None:
    graph = random_graph(5, 8)
    loads = tuple(Load(name, 1, 0, 1) for name in graph.loads)
    outcome = decide(loads, graph, lambda cached: 10_000 - int(graph.value(cached)))
    subsets = [frozenset(found) for size in range(9) for found in combinations(range(8), size)]
    assert outcome.ours == 10_000 - max(map(graph.value, subsets)) == 10_000 - outcome.solution.value


def test_of_many_loads_that_lose_room_three_are_named() -> None:
    count = 6
    edges = tuple(Edge(0, other, -40 + other) for other in range(1, count))
    graph = Graph(tuple("abcdef"), (50, *[100] * (count - 1)), edges)
    loads = tuple(Load(name, 1, 0, 1) for name in "abcdef")
    outcome = decide(loads, graph, lambda cached: 10_000 - int(graph.value(cached)))
    assert outcome.decisions[0].reason == "caching it costs 135 bytes beside b, c, d and others"
    assert [decision.cached for decision in outcome.decisions] == [False] + [True] * 5


def test_ties_and_what_only_the_weights_say() -> None:
    """Whichever of a and b is cached, the other one hits; c and d save what they load only together."""
    values = {"a": 60, "b": 60, "ab": 60, "cd": 30}

    def traffic(cached: frozenset[int]) -> int:
        names = "".join("abcd"[load] for load in sorted(cached))
        return (
            200 - values.get(names.strip("cd"), 0) - values.get(names.strip("ab"), 0) + 5 * (names[-1:] in ("c", "d"))
        )

    graph = byte_graph("abcd", traffic)
    outcome = decide(LOADS, graph, traffic)
    reasons = [(decision.cached, decision.reason) for decision in outcome.decisions]
    assert reasons[:2] == [(True, "makes no difference beside the others")] * 2
    assert reasons[2:] == [(True, "saves 30 bytes with d"), (True, "saves 30 bytes with c")]
    wrong = Graph(tuple("abcd"), (-1, 10, -1, -1), (Edge(1, 2, 5),))
    outcome = decide(LOADS, wrong, traffic, How(tried=False))
    assert [(decision.cached, decision.reason) for decision in outcome.decisions] == [
        (False, "caching it fetches 1 bytes more"),
        (True, "saves 60 bytes"),
        (True, "the weights say so, not the model"),
        (False, "the weights say so, not the model"),
    ]


def test_a_pair_that_was_measured_is_taken_where_the_graph_misleads() -> None:
    """By pairs a with d and b with c would save most together; together they cost more than nothing cached."""

    def moved(cached: frozenset[int]) -> int:
        return {frozenset({0, 3}): 10, frozenset({1, 2}): 500}.get(cached, 1000 if len(cached) <= 2 else 2000)

    loads = tuple(Load(name, 1, 1, 1) for name in "abcde")
    outcome = decide(loads, byte_graph("abcde", moved), moved, How(passes=1))
    assert outcome.ours == 10
    assert [decision.cached for decision in outcome.decisions] == [True, False, False, True, False]
