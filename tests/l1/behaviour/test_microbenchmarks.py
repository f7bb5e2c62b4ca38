"""The paper's experiments run on the model: sets (section 5.1), registers (5.2), and a copy by rows (4.4).

samples/micro/ has the same experiments for a GPU.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from launches import BASE, LINE, loads

from accache.l1.engine import Event, simulate
from accache.l1.gpus import Gpu, gpu_named
from accache.l1.model import predict
from accache.l1.modes import PAPER, Conventions
from accache.l1.requests import make_requests
from accache.l1.setups import setup_of
from accache.l1.tools import compiled_tools
from accache.l1.trace import Trace, trace_of

FERMI = gpu_named("fermi-16k")
COUNTING = replace(PAPER, counts_now=True)
COUNTS = (4, 8, 16, 32, 64, 128)
FIGURE_7 = """
stride    4    8   16   32   64  128  bits
2^7      50   50   50   50   50   50     5
2^8      50   50   50   50   50   50     5
2^9      50   50   50   50   50   50     5
2^10     50   50   50   50   50   50     5
2^11     50   50   50   50   50   50     5
2^12     50   50   50   50   50  100     4
2^13     50   50   50   50   50   50     5
2^14     50   50   50   50   50  100     4
2^15     50   50   50   50  100  100     3
2^16     50   50   50  100  100  100     2
2^17     50   50   50  100  100  100     2
2^18     50   50  100  100  100  100     1
2^19     50   50  100  100  100  100     1
2^20     50  100  100  100  100  100     0
"""


def test_figure_7_strided_loads_twice_miss_half_or_all() -> None:
    """A warp loads the same lines in two loops: half of the loads miss, or all do where the lines do not fit.

    The number of rates of 50 % less one is the number of address bits that choose the set, of those that vary.
    """
    rows = ["stride" + "".join(f"{count:>5}" for count in COUNTS) + "  bits"]
    for bit in range(7, 21):
        rates = [100 * miss_rate([i << bit for i in range(count)] * 2, FERMI) for count in COUNTS]
        numbers = "".join(f"{rate:>5g}" for rate in rates)
        rows.append(f"2^{bit:<4}{numbers}{rates.count(50) - 1:>6}")
    assert rows == FIGURE_7.strip().splitlines()


@pytest.mark.parametrize(
    ("gpu", "bits"),
    [
        ("fermi-16k", {(7, 13), (8, 14), (9, 15), (10, 17), (11, 19)}),
        ("fermi-48k", {(7, 13), (8, 14), (9, 15), (10, 17), (11, 19), (12,)}),
    ],
)
def test_figure_6_address_bits_and_their_pairs_are_found(gpu: str, bits: set[tuple[int, ...]]) -> None:
    """Lines that differ in one bit, or in two, share a set if enough of them evict each other."""
    found = set()
    choosing = [bit for bit in range(7, 21) if not share_a_set((bit,), gpu_named(gpu))]
    for pair in combinations(choosing, 2):
        if share_a_set(pair, gpu_named(gpu)):
            found.add(pair)
    alone = {(bit,) for bit in choosing if not any(bit in pair for pair in found)}
    assert found | alone == bits


@pytest.mark.parametrize("line", [0, 1, 31, 32, 100, 5000, 123456])
def test_figure_5_one_load_between_evicts_lines_of_its_set(line: int) -> None:
    """Filling the cache in order, one other line, and again: only its set has misses, all of its four ways by LRU."""
    lines = list(range(FERMI.sets * FERMI.ways))
    trace = loads({0: [BASE + LINE * i for i in (*lines, len(lines) + line, *lines)]}, block=1)
    counts = predict(trace, FERMI, PAPER, 1)
    assert counts.misses - counts.compulsory == FERMI.ways
    assert counts.compulsory == len(lines) + 1


@pytest.mark.parametrize(
    ("warps", "most"), [(1, 6), (2, 6), (8, 6), (10, 6), (11, 5), (12, 5), (13, 4), (16, 4), (17, 3), (21, 3), (22, 2)]
)
def test_figure_9_loads_of_a_warp_that_one_latency_serves(warps: int, most: int) -> None:
    """As measured, with at most 64 in use and six for a warp: 5 loads from 11 warps on, 4 from 13 on, 3 from 17 on."""
    fit = [count for count in range(1, 9) if ticks(warps, count, COUNTING) < 2 * FERMI.latency]
    assert fit == list(range(1, most + 1))
    assert most == min(6, 64 // warps)


@pytest.mark.parametrize(("warps", "most"), [(1, 6), (11, 6), (13, 5), (16, 4), (17, 3), (21, 3), (23, 2)])
def test_figure_9_a_warp_that_finds_a_register_gets_up_to_six(warps: int, most: int) -> None:
    """By the text, registers are counted before a warp's turn: its lines may be more than there were registers left."""
    fit = [count for count in range(1, 9) if ticks(warps, count, PAPER) < 2 * FERMI.latency]
    assert fit == list(range(1, most + 1))
    assert most == max(count for count in range(1, 7) if (warps - 1) * count < 64)


def test_figure_9_a_seventh_and_a_thirteenth_load_of_one_warp_cost_a_latency_more() -> None:
    assert [ticks(1, count, PAPER) // FERMI.latency for count in (6, 7, 12, 13)] == [1, 2, 2, 3]


# percent of misses of a block that copies rows of 1024 floats, a row a thread: in an ordered round robin, and modelled
FIGURE_3 = {
    32: (3.1, 3.1),
    64: (3.1, 3.1),
    128: (3.1, 8.3),
    256: (100.0, 14.4),
    512: (100.0, 15.3),
    1024: (100.0, 20.8),
}


def test_figure_3_registers_let_threads_run_ahead_for_better_and_for_worse() -> None:
    """Round robin fits up to 128 rows, a line each. With registers 128 rows lose, and 256 to 1024 gain."""
    tools = compiled_tools()
    if tools is None:
        pytest.skip("numba is not installed")
    for rows, (ordered, modelled) in FIGURE_3.items():
        trace = copy_of_rows(rows)
        assert percent(trace, ("latency", "associativity")) == ordered
        assert percent(trace, ("warp-mshr",)) == modelled


def percent(trace: Trace, without: tuple[str, ...]) -> float:
    tools = compiled_tools()
    assert tools is not None
    return round(100 * predict(trace, FERMI, PAPER, 1, without=without, tools=tools).miss_rate(PAPER), 1)


def copy_of_rows(rows: int, width: int = 1024) -> Trace:
    thread, column = np.repeat(np.arange(rows), width), np.tile(np.arange(width), rows)
    address = BASE + 4 * (width * thread + column)
    return trace_of((rows, 1, 1), (thread, np.zeros_like(thread), address, np.full_like(thread, 4)))


def share_a_set(bits: tuple[int, ...], gpu: Gpu) -> bool:
    """Whether a line and that with some bits flipped are in one set: as many more as it has ways evict the first."""
    far = 1 << 21
    others = [sum(1 << bit for bit in bits) + far * i for i in range(gpu.ways)]
    trace = loads({0: [BASE * 4, *(BASE * 4 + other for other in others), BASE * 4]}, block=1)
    return predict(trace, gpu, PAPER, 1).hits == 0


def ticks(warps: int, count: int, how: Conventions) -> int:
    """How long warps take that make a number of loads without waiting between them.

    The model lets a warp wait after each instruction, so its loads are made by as many lanes instead of by one.
    """
    addresses = {
        32 * warp + lane: [BASE + LINE * (warp * count + lane)] for warp in range(warps) for lane in range(count)
    }
    trace = loads(addresses, block=32 * warps)
    log: list[Event] = []
    simulate(make_requests(trace, FERMI), replace(setup_of(FERMI, how, 32 * warps), deviation=0.0), 1, log)
    return max(event.effect for event in log if event.effect is not None)


def miss_rate(addresses: list[int], gpu: Gpu) -> float:
    trace = loads({0: addresses}, block=1)
    return predict(trace, gpu, PAPER, 1).miss_rate(PAPER)
