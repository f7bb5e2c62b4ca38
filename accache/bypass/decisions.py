"""From traffic to decisions: which loads to cache, why, and what that does to the traffic between L2 and L1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accache.bypass.graph import Edge, Graph
from accache.bypass.heuristic import cached_by_algorithm_1
from accache.bypass.solvers import DEFAULT_SECONDS, Solution, solve
from accache.bypass.trials import Trials
from accache.bypass.weights import Traffic

_NAMED = 3


@dataclass(frozen=True)
class Load:
    """A load that may bypass: what it does while it alone is cached.

    ``accesses`` are requests for lines, ``hits`` those that fetch nothing, and ``sectors`` the 32-byte sectors that all
    its requests ask for. Where a GPU measured that, only sectors that hit are known: ``hits``.
    """

    name: str
    accesses: int | None
    hits: int
    sectors: int | None


@dataclass(frozen=True)
class Decision:
    """What is to become of a load, and why; ``weight`` are the bytes that caching it alone saves."""

    load: Load
    weight: float
    cached: bool
    reason: str


@dataclass(frozen=True)
class Outcome:
    """The decisions, in the order of the loads, and the predicted bytes from L2 to L1 of four ways to decide.

    ``edges`` are those of the graph that was solved; its nodes are the loads with their weights.
    """

    decisions: tuple[Decision, ...]
    edges: tuple[Edge, ...]
    solution: Solution
    cache_all: int
    bypass_all: int
    algorithm_1: int
    ours: int


@dataclass(frozen=True)
class How:
    """Which solver, for how long if it is the integer linear program, and whether its result is tried on the model.

    That makes sense for weights that are bytes of the model; the paper's are left as they are. ``passes`` is how many
    subsets may be tried, beside those of up to two loads.
    """

    solver: str | None = None
    seconds: float = DEFAULT_SECONDS
    tried: bool = True
    passes: int = 256


def decide(loads: Sequence[Load], graph: Graph, traffic: Traffic, how: How = How()) -> Outcome:
    """Solve the graph, and take the best of its solution and of all subsets whose traffic is asked for.

    The graph is right for pairs of loads; three that share lines it counts twice. So the solution is compared by its
    traffic with caching all, bypassing all, Algorithm 1 and each subset of up to two loads, and ``Trials`` looks for
    less. Where it makes no difference, a load that saves bytes alone is cached: nothing is changed without a gain.

    Raises:
        CompileError: the solver cannot take this graph.
    """
    measured = Trials(traffic, len(loads), how.passes)
    everything = frozenset(range(len(loads)))
    solution = solve(graph, how.solver, how.seconds)
    rivals = (cached_by_algorithm_1(graph), frozenset[int](), everything)
    chosen = solution.cached
    if how.tried:
        chosen = measured.best(min((chosen, *rivals), key=measured))
        for load in range(len(loads)):
            if graph.weights[load] > 0 and measured(chosen | {load}) <= measured(chosen):
                chosen |= {load}
    return Outcome(
        tuple(_decision(load, number, graph, chosen, traffic=measured) for number, load in enumerate(loads)),
        graph.edges,
        solution,
        cache_all=measured(everything),
        bypass_all=measured(frozenset()),
        algorithm_1=measured(rivals[0]),
        ours=measured(chosen),
    )


def _decision(load: Load, number: int, graph: Graph, chosen: frozenset[int], *, traffic: Traffic) -> Decision:
    weight = graph.weights[number]
    saved = traffic(chosen - {number}) - traffic(chosen | {number})
    edges = [edge for edge in graph.edges if number in (edge.first, edge.second)]
    others = {edge.first if edge.second == number else edge.second: edge.weight for edge in edges}
    helping = sorted((other for other in chosen & others.keys() if others[other] > 0), key=lambda load: -others[load])
    hurting = sorted((other for other in chosen & others.keys() if others[other] < 0), key=lambda load: others[load])
    if number in chosen:
        return Decision(load, weight, True, _why_cached(weight, saved, _beside(graph, helping)))
    return Decision(load, weight, False, _why_not(weight, saved, _beside(graph, hurting)))


def _why_cached(weight: float, saved: int, helping: str) -> str:
    """Why a load is cached that saves some bytes beside the other cached loads, ``helping`` among them."""
    if saved <= 0 < weight:
        return "makes no difference beside the others"
    if saved <= 0:
        return "the weights say so, not the model"
    return f"saves {saved:,} bytes" + (f" with {helping}" if weight <= 0 else "")


def _why_not(weight: float, saved: int, hurting: str) -> str:
    """Why a load bypasses that would save some bytes, mostly less than none, beside the other cached loads."""
    if saved > 0:
        return "the weights say so, not the model"
    if weight < 0:
        return f"caching it fetches {-weight:,.0f} bytes more"
    cost = f"costs {-saved:,} bytes beside {hurting}" if saved else ""
    if weight == 0:
        return "caching it saves nothing" + (f", and {cost}" if cost else "")
    return f"caching it {cost}" if cost else f"caching it saves nothing beside {hurting}"


def _beside(graph: Graph, loads: Sequence[int]) -> str:
    """The first of some loads: ``a``, ``a and b``, ``a, b and c``, ``a, b, c and others``."""
    names = [graph.loads[load] for load in loads[:_NAMED]] + ["others"] * (len(loads) > _NAMED or not loads)
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
