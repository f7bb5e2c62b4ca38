"""The paper's experiments on the mapping of addresses to sets (section 5.1), run on the model."""

from __future__ import annotations

import pytest
from launches import BASE, LINE, loads

from accache.l1.gpus import gpu_named
from accache.l1.model import predict
from accache.l1.modes import PAPER

FERMI = gpu_named("fermi-16k")
INDEX_BITS = (7, 8, 9, 10, 11, 13, 14, 15, 17, 19)
COUNTS = (4, 8, 16, 32, 64, 128)


@pytest.mark.parametrize("stride", range(7, 21))
def test_figure_7_strided_loads_twice_miss_half_or_all(stride: int) -> None:
    """A warp loads the same lines in two loops: half of the loads miss, or all do where the lines do not fit.

    The number of rates of 50 % less one is the number of address bits that choose the set, of those that vary.
    """
    rates = [miss_rate([i << stride for i in range(count)] * 2) for count in COUNTS]
    assert set(rates) <= {0.5, 1.0}
    assert rates == sorted(rates)
    varied = sum(stride <= bit < stride + 7 for bit in INDEX_BITS)
    assert rates.count(0.5) - 1 == min(varied, 5)


def test_section_5_1_names_four_bits_for_a_stride_of_4096() -> None:
    rates = [miss_rate([i << 12 for i in range(count)] * 2) for count in COUNTS]
    assert rates == [0.5, 0.5, 0.5, 0.5, 0.5, 1.0]


@pytest.mark.parametrize("line", [0, 1, 31, 32, 100, 5000, 123456])
def test_figure_5_one_load_between_evicts_lines_of_its_set(line: int) -> None:
    """Filling the cache in order, one other line, and again: only its set has misses, all of its four ways by LRU."""
    lines = list(range(FERMI.sets * FERMI.ways))
    trace = loads({0: [BASE + LINE * i for i in (*lines, len(lines) + line, *lines)]}, block=1)
    counts = predict(trace, FERMI, PAPER, 1)
    assert counts.misses - counts.compulsory == FERMI.ways
    assert counts.compulsory == len(lines) + 1


def miss_rate(addresses: list[int]) -> float:
    trace = loads({0: addresses}, block=1)
    return predict(trace, FERMI, PAPER, 1).miss_rate(PAPER)
