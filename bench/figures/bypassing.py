"""Paper 000, cache bypassing: Figure 2's spread over all subsets of loads, and Figure 5's ways to decide, in bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations
from math import exp, log

from accache.bypass.decisions import How, Load, decide
from accache.bypass.heuristic import cached_by_algorithm_1
from accache.bypass.weights import byte_graph, paper_graph
from accache.l1.gpus import Gpu
from accache.l1.tools import PLAIN, compiled_tools
from accache.l1.traffic import Traffic
from figures.figure import Chart, Figure, Row, Settings
from figures.kernels import traced

MOST = 10
"""Kernels with more loads are left out of the spread: it takes all their subsets."""
CACHES = tuple(Gpu(f"{kb} KB", sets=sets, ways=ways) for kb, sets, ways in ((16, 32, 4), (32, 64, 4), (48, 64, 6)))
"""L1 as Fermi and Kepler have it, with lines that are fetched whole; 32 KB have the ways of 16."""
GAINS = {"16 KB": (4.4, 12.9), "32 KB": (10.6, 17.1), "48 KB": (18.3, 21.4)}
"""What caching all and Algorithm 1 gain over bypassing all in the paper's times, geometric means in %."""


def spread(settings: Settings) -> Figure:
    """Figure 2: the bytes from L2 to L1 of all subsets of a kernel's loads, in parts of caching all."""
    rows: list[Row] = []
    for name, model in _models(settings, CACHES[0]):
        loads = model.loads
        if not 2 <= len(loads) <= MOST:
            continue
        moved = [model.bytes(subset) for size in range(len(loads) + 1) for subset in combinations(loads, size)]
        for what, value in (("best", min(moved)), ("all bypass", moved[0]), ("worst", max(moved))):
            rows.append((name, len(loads), what, value, round(value / moved[-1], 3)))
    columns = ("kernel", "loads", "subset", "L2 to L1", "of caching all")
    said = "times of particle filter in a picture: 64 subsets of 6 loads, neither caching all nor bypassing all is best"
    return Figure("bytes of all subsets, 16 KB", said, columns, tuple(rows), Chart("kernel", columns[4], "subset"))


def decisions(settings: Settings) -> Figure:
    """Figure 5: bytes of caching all, Algorithm 1 with the paper's weights, and accache, in parts of bypassing all."""
    rows: list[Row] = []
    for gpu in CACHES:
        parts: dict[str, list[float]] = {}
        for name, model in _models(settings, gpu):
            for way, part in _ways(model, gpu).items():
                parts.setdefault(way, []).append(part)
                rows.append((gpu.name, name, way, round(part, 3), None))
        for (way, found), gain in zip(parts.items(), (*GAINS[gpu.name], None), strict=True):
            mean = exp(sum(map(log, found)) / len(found))
            rows.append((gpu.name, "geometric mean", way, round(mean, 3), gain))
    columns = ("cache", "kernel", "way", "of bypassing all", "the paper: gain in time, %")
    said = "times: the means in the last column, and 2.62 times as fast at the best"
    return Figure("ways to decide", said, columns, tuple(rows), Chart("kernel", columns[3], "way", "cache", log=True))


def _ways(model: Traffic, gpu: Gpu) -> dict[str, float]:
    """The bytes of each way in parts of those of bypassing all."""
    sites = model.loads
    names = tuple(f"ld{number}" for number in range(len(sites)))
    none = model.counts(())
    sectors = sum(none[site].sectors for site in sites) * 32
    ratio = sectors / (sum(none[site].requests for site in sites) * gpu.line_bytes)

    @cache
    def measured(cached: frozenset[int]) -> int:
        return model.bytes(sites[number] for number in cached)

    def hits(cached: frozenset[int]) -> int:
        counts = model.counts(sites[number] for number in cached)
        return sum(counts[sites[number]].hits for number in cached)

    paper = paper_graph(names, [none[site].requests for site in sites], hits, ratio, line_bytes=gpu.line_bytes)
    ours = decide(tuple(Load(name, 0, 0, 0) for name in names), byte_graph(names, measured), measured, How())
    everything = measured(frozenset())
    return {
        "caching all": measured(frozenset(range(len(sites)))) / everything,
        "Algorithm 1": measured(cached_by_algorithm_1(paper)) / everything,
        "accache": ours.ours / everything,
    }


def _models(settings: Settings, gpu: Gpu) -> Iterator[tuple[str, Traffic]]:
    for each in traced(settings):
        if each.trace is not None:
            trace = replace(each.trace, sites=tuple(replace(site, policy="ca") for site in each.trace.sites))
            yield each.name, Traffic(trace, gpu, compiled_tools(own_process=True) or PLAIN)
