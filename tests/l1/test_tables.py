"""Tables 1 to 5 of the paper, number by number, each with the conventions it assumes.

All have lines of four elements of one byte, warps of one thread, one set, no warp divergence (``waits``, section 4.5)
and no clipping (introduced after Table 4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from launches import loads

from accache.l1.engine import NEVER, Event, simulate
from accache.l1.gpus import Gpu
from accache.l1.modes import PAPER, Conventions
from accache.l1.requests import make_requests
from accache.l1.setups import Distances, setup_of

GPU = Gpu("table", sets=1, ways=8, line_bytes=4, mshrs=None, latency=0, deviation=0.0, warp_threads=1)
TABLES = replace(PAPER, waits=False, clips=False)
FOUR_THREADS = {thread: [2 * thread, 2 * thread + 1] for thread in range(4)}


def run(
    of_thread: Mapping[int, Sequence[int]], gpu: Gpu, conventions: Conventions = TABLES
) -> tuple[list[Event], Distances]:
    trace = loads(of_thread, block=4, size=1)
    log: list[Event] = []
    counts = simulate(make_requests(trace, gpu), setup_of(gpu, conventions, trace.block_threads), 1, log)
    return log, counts


def distances(log: list[Event]) -> list[int]:
    return [event.distance for event in log]


def test_table_1_addresses_and_lines_of_one_thread() -> None:
    accesses = {0: [0, 5, 3, 9, 3, 3, 5]}
    log, _ = run(accesses, replace(GPU, line_bytes=1))
    assert distances(log) == [NEVER, NEVER, NEVER, NEVER, 1, 0, 2]
    log, _ = run(accesses, GPU)
    assert distances(log) == [NEVER, NEVER, 1, NEVER, 1, 0, 2]


def test_table_1_in_a_cache_of_two_lines_has_three_compulsory_misses_and_one_of_capacity() -> None:
    _, counts = run({0: [0, 5, 3, 9, 3, 3, 5]}, replace(GPU, ways=2))
    assert counts == Distances(near=3, edge=1, far=0, never=3)


def test_table_2_threads_take_turns() -> None:
    log, _ = run(FOUR_THREADS, GPU)
    assert [event.warp for event in log] == [0, 1, 2, 3, 0, 1, 2, 3]
    assert [event.line for event in log] == [0, 0, 1, 1, 0, 0, 1, 1]
    assert distances(log) == [NEVER, 0, NEVER, 0, 1, 0, 1, 0]


def test_table_3_fixed_latencies_lookup_before_the_arrivals_of_its_tick() -> None:
    log, _ = run(FOUR_THREADS, replace(GPU, latency=2, hit_latency=2))
    assert distances(log) == [NEVER, NEVER, NEVER, NEVER, 0, 1, 0, 1]
    assert [event.hit for event in log] == [False] * 4 + [True] * 4
    assert [event.effect for event in log] == [2, 3, 4, 5, 6, 7, 8, 9]


def test_table_4_conditional_latencies_effects_of_a_tick_in_the_order_issued() -> None:
    gpu = replace(GPU, latency=2, ways=2)
    log, _ = run(FOUR_THREADS, gpu)
    assert distances(log) == [NEVER, NEVER, NEVER, NEVER, 0, 0, 1, 0]
    assert [event.hit for event in log] == [False] * 4 + [True] * 4
    assert [event.effect for event in log] == [2, 3, 4, 5, 4, 5, 6, 7]
    hits_first, _ = run(FOUR_THREADS, gpu, replace(TABLES, hits_first=True))
    assert distances(hits_first) != distances(log)


def test_table_4_clipped_to_the_request_in_flight() -> None:
    log, _ = run(FOUR_THREADS, replace(GPU, latency=2, ways=2), replace(TABLES, clips=True))
    assert [event.effect for event in log][:4] == [2, 2, 4, 4]


def test_table_5_one_register_arrivals_before_the_lookup_of_their_tick() -> None:
    gpu = replace(GPU, latency=2, ways=2, mshrs=1)
    two_threads = {0: [0, 1], 2: [4, 5]}
    log, _ = run(two_threads, gpu, replace(TABLES, arrivals_first=True))
    assert [event.warp for event in log] == [0, 2, 0, 2, 2]
    assert [event.line for event in log] == [0, 1, 0, 1, 1]
    assert distances(log) == [NEVER, NEVER, 0, NEVER, NEVER]
    assert [event.used for event in log] == [0, 1, 0, 0, 1]
    assert [event.effect for event in log] == [2, None, 2, 5, 6]
    late, _ = run(two_threads, gpu, TABLES)
    assert distances(late) != distances(log)
