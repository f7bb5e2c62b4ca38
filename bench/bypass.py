"""How near decisions come to the best of all subsets of loads: ``python bench/bypass.py [--kernels 60]``.

Each kernel is a synthetic trace with eight loads; the model of L1 runs it for all 256 subsets. A line of the table has,
for one way to decide, the mean and the largest traffic from L2 to L1 in excess of the best subset's.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "bypass"))

from random_kernels import random_kernel  # the tests' kernels

from accache.bypass.decisions import How, Load, Outcome, decide
from accache.bypass.heuristic import cached_by_algorithm_1
from accache.bypass.solvers import exact
from accache.bypass.weights import byte_graph, paper_graph
from accache.l1.gpus import Gpu, gpu_named, with_shared
from accache.l1.tools import PLAIN, compiled_tools
from accache.l1.traffic import Traffic

LOADS = 8
SEARCHED = 24
OURS = "accache bypass"
MEAN, MOST = 0.002, 0.05
"""What accache bypass may exceed the best subset by, on the average and at most."""
CACHES = (
    replace(gpu_named("fermi-16k"), name="128-B fills, 16 KB"),
    replace(gpu_named("fermi-48k"), name="128-B fills, 48 KB"),
    Gpu("32-B sectors, 48 KB", sets=96, ways=4, sector_bytes=32, index="modulo"),
    replace(with_shared(gpu_named("v100"), 96 << 10), name="v100, 32 KB"),
    replace(with_shared(gpu_named("h100"), 228 << 10), name="h100, 28 KB"),
)


def main() -> None:
    """Print the table; the exit status is 1 if accache bypass is further from the best than it may be."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kernels", type=int, default=60, help="how many random kernels")
    kernels = options.parse_args().kernels
    tables = [excesses(gpu, kernels) for gpu in CACHES]
    print(f"{'mean / largest excess over the best subset':<44}" + "".join(f"{gpu.name:>24}" for gpu in CACHES))
    for way in tables[0]:
        cells = (f"{100 * sum(found[way]) / kernels:.2f} % / {100 * max(found[way]):.1f} %" for found in tables)
        print(f"{way:<44}" + "".join(f"{cell:>24}" for cell in cells))
    far = any(max(table[OURS]) > MOST or sum(table[OURS]) / kernels > MEAN for table in tables)
    sys.exit(far)


def excesses(gpu: Gpu, kernels: int) -> dict[str, list[float]]:
    """The excess traffic of each way to decide, kernel by kernel, as a share of the best subset's."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    tools = compiled_tools() or PLAIN
    for seed in range(kernels):
        model = Traffic(random_kernel(seed, LOADS), gpu, tools)
        measured = cache(model.bytes)
        best = min(measured(frozenset(subset)) for subset in subsets())
        for way, chosen in choices(model, measured, gpu).items():
            found[way].append(measured(chosen) / best - 1)
    return found


def subsets() -> list[tuple[int, ...]]:
    """All subsets of the loads."""
    return [subset for size in range(LOADS + 1) for subset in combinations(range(LOADS), size)]


def choices(model: Traffic, measured: Callable[[frozenset[int]], int], gpu: Gpu) -> dict[str, frozenset[int]]:
    """The loads that each way to decide caches."""
    names = tuple(f"ld{number}" for number in range(LOADS))
    none = model.counts(())
    ratio = sum(each.sectors for each in none) * 32 / (sum(each.requests for each in none) * gpu.line_bytes)

    def hits(cached: frozenset[int]) -> int:
        counts = model.counts(cached)
        return sum(counts[load].hits for load in cached)

    paper = paper_graph(names, [each.requests for each in none], hits, ratio, line_bytes=gpu.line_bytes)
    weighed = byte_graph(names, measured)
    loads = tuple(Load(name, 0, 0, 0) for name in names)
    ours, searched = (decide(loads, weighed, measured, How(passes=passes)) for passes in (1 << LOADS, SEARCHED))
    return {
        "bypassing all": frozenset(),
        "caching all": frozenset(range(LOADS)),
        "Algorithm 1, the paper's weights": cached_by_algorithm_1(paper),
        "exact, the paper's weights": exact(paper),
        "Algorithm 1, byte weights": cached_by_algorithm_1(weighed),
        "exact, byte weights": exact(weighed),
        OURS: _cached(ours),
        f"its local search, {SEARCHED} subsets": _cached(searched),
    }


def _cached(outcome: Outcome) -> frozenset[int]:
    return frozenset(number for number, decision in enumerate(outcome.decisions) if decision.cached)


if __name__ == "__main__":
    main()
