"""From a trace to decisions: the model of L1 asked about subsets of loads, and the solvers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeAlias, get_args

from accache.base.choices import BypassMode
from accache.bypass.decisions import How, Load, Outcome, decide
from accache.bypass.graph import Graph
from accache.bypass.report import Left
from accache.bypass.weights import byte_graph, paper_graph
from accache.l1.gpus import Gpu
from accache.l1.tools import PLAIN, Tools
from accache.l1.trace import Site, Trace
from accache.l1.traffic import LoadCounts, Traffic
from accache.ptx.loads.loads import Place
from accache.workflows.bypass.matching import Matched

Weights: TypeAlias = Literal["bytes", "paper"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)
_SECTOR_BYTES = 32
_LEAST_PASSES = 32
_TRIED = 1 << 28
"""How many loads of threads subsets are tried with, at 6 ns each; _LEAST_PASSES subsets are in any case."""

# (candidates that are cached) -> counts of each site
Counts = Callable[[frozenset[int]], tuple[LoadCounts, ...]]


@dataclass(frozen=True)
class Settings:
    """The cache, how loads bypass it, which weights the graph has, and how it is solved."""

    gpu: Gpu
    mode: BypassMode = "no_allocate"
    weights: Weights = "bytes"
    solver: str | None = None
    seconds: float = How().seconds


@dataclass(frozen=True)
class Advice:
    """What was decided, what was left as it is, and the places of PTX whose loads are to bypass, or to be cached."""

    outcome: Outcome
    left: tuple[Left, ...]
    bypassing: frozenset[Place]
    cached: frozenset[Place] = frozenset()


def advise(trace: Trace, matched: Matched, settings: Settings, tools: Tools = PLAIN) -> Advice:
    """Decide on the candidates; all other loads of the trace are modelled as they are.

    Raises:
        CompileError: the solver cannot take so many loads, or is not installed; steps of the trace go back.
    """
    counts = _counts(trace, matched, settings, tools)
    names = tuple(candidate.name for candidate in matched.candidates)
    loads = tuple(_load(matched, number, counts) for number in range(len(names)))

    def traffic(cached: frozenset[int]) -> int:
        return sum(each.bytes for each in counts(cached))

    if settings.weights == "paper":
        graph = _paper_graph(matched, counts, settings.gpu.line_bytes)
    else:
        graph = byte_graph(names, traffic)
    accesses = max(1, int((trace.direction == 0).sum()))
    how = How(settings.solver, settings.seconds, settings.weights == "bytes", max(_LEAST_PASSES, _TRIED // accesses))
    outcome = decide(loads, graph, traffic, how)
    places: dict[bool, set[Place]] = {False: set(), True: set()}
    for candidate, decision in zip(matched.candidates, outcome.decisions, strict=True):
        places[decision.cached].update(candidate.places)
    return Advice(outcome, matched.left, frozenset(places[False]), frozenset(places[True]))


def _counts(trace: Trace, matched: Matched, settings: Settings, tools: Tools) -> Counts:
    """What the model says for a set of cached candidates, each set once."""
    sites = list(trace.sites or (Site(),) * (1 if trace.site is None else int(trace.site.max()) + 1))
    for site, policy in matched.policies:
        sites[site] = replace(sites[site], policy=policy)
    model = Traffic(replace(trace, sites=tuple(sites)), settings.gpu, tools)
    fixed = frozenset(model.loads).difference(*(candidate.sites for candidate in matched.candidates))

    def counts(cached: frozenset[int]) -> tuple[LoadCounts, ...]:
        own = (matched.candidates[number].sites for number in cached)
        return model.counts(fixed.union(*own), settings.mode)

    return cache(counts)


def _load(matched: Matched, number: int, counts: Counts) -> Load:
    """What a candidate does while it alone is cached."""
    candidate = matched.candidates[number]
    alone = counts(frozenset({number}))
    own = [alone[site] for site in candidate.sites]
    return Load(
        candidate.name,
        sum(each.requests for each in own),
        sum(each.hits for each in own),
        sum(each.sectors for each in own),
    )


def _paper_graph(matched: Matched, counts: Counts, line_bytes: int) -> Graph:
    """The paper's weights.

    Both efficiencies have the bytes that lanes ask for above the line; below it are lines with all loads cached, and
    sectors with all bypassing.
    """

    def hits(cached: frozenset[int]) -> int:
        found = counts(cached)
        return sum(found[site].hits for number in cached for site in matched.candidates[number].sites)

    everything = counts(frozenset())
    lines = sum(each.requests for each in everything) * line_bytes
    ratio = sum(each.sectors for each in everything) * _SECTOR_BYTES / lines
    accesses = [sum(everything[site].requests for site in candidate.sites) for candidate in matched.candidates]
    return paper_graph(
        [candidate.name for candidate in matched.candidates], accesses, hits, ratio, line_bytes=line_bytes
    )
