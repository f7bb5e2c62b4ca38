"""What is decided for random kernels comes near the best of all subsets of their loads."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import pytest
from random_kernels import random_kernel

from accache.bypass.decisions import Load, decide
from accache.bypass.weights import byte_graph
from accache.l1.gpus import Gpu
from accache.l1.tools import compiled_tools
from accache.l1.traffic import Traffic

LOADS = 6
CACHES = (Gpu("lines", sets=32, ways=4), Gpu("sectors", sets=96, ways=4, sector_bytes=32, index="modulo"))


@pytest.mark.parametrize("gpu", CACHES, ids=lambda gpu: gpu.name)
def test_decisions_stay_within_a_hundredth_of_the_best(gpu: Gpu) -> None:
    tools = compiled_tools()
    if tools is None:
        pytest.skip("needs numba")
    excess = []
    for seed in range(8):
        model = Traffic(random_kernel(seed, LOADS, threads=512, turns=16), gpu, tools)
        measured = cache(model.bytes)
        subsets = (frozenset(found) for size in range(LOADS + 1) for found in combinations(range(LOADS), size))
        best = min(map(measured, subsets))
        loads = tuple(Load(str(number), 0, 0, 0) for number in range(LOADS))
        outcome = decide(loads, byte_graph([load.name for load in loads], measured), measured)
        assert best <= outcome.ours <= min(outcome.cache_all, outcome.bypass_all, outcome.algorithm_1)
        excess.append(outcome.ours / best - 1)
    assert sum(excess) / len(excess) <= 0.01
