"""What the model must say of traces small enough to work out by hand, and of any trace."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launches import BASE, LINE, gemm, loads, row, traces

from accache.l1.engine import Event, simulate
from accache.l1.gpus import GPUS, Gpu, gpu_named
from accache.l1.latencies import generator, latencies, normal_numbers
from accache.l1.model import Counts, classify, predict
from accache.l1.modes import MODES, PAPER, REFERENCE, Conventions
from accache.l1.requests import make_requests
from accache.l1.setups import ABLATIONS, Distances, setup_of
from accache.l1.trace import Trace

FERMI = gpu_named("fermi-16k")
FAR = 1 << 20  # bytes between lines of one set: no bit of the hash is in it
both_modes = pytest.mark.parametrize("mode", MODES.values(), ids=MODES)


def lines_of(trace: Trace) -> set[int]:
    ends = zip(trace.address.tolist(), trace.bytes.tolist(), strict=True)
    return {line for start, size in ends for line in range(start // LINE, (start + size - 1) // LINE + 1)}


@both_modes
@pytest.mark.parametrize(("threads", "depth"), [(1024, 32), (512, 64)])
def test_compulsory_misses_have_closed_forms(threads: int, depth: int, mode: Conventions) -> None:
    of_gemm = predict(gemm(depth, threads), FERMI, mode, 1).compulsory
    assert of_gemm == threads // 512 * depth // 32 + depth * 16
    of_rows = predict(row(depth, threads // 8), FERMI, mode, 1).compulsory
    assert of_rows == threads // 8 * depth // 32 + depth // 32


@pytest.mark.thorough  # test_compiled.py has it of the compiled engine, which counts as this one
def test_gemm_as_the_published_program_counts() -> None:
    assert predict(gemm(64), FERMI, REFERENCE, 1) == Counts(1056, 13289, 0, 2493, 0, 15930)


@settings(max_examples=60, deadline=None)
@given(traces(), st.sampled_from(list(MODES.values())), st.sampled_from(GPUS), st.integers(0, 9))
def test_what_holds_for_every_trace(trace: Trace, mode: Conventions, gpu: Gpu, seed: int) -> None:
    counts = predict(trace, gpu, mode, seed)
    requests = make_requests(trace, gpu)
    assert counts.compulsory == len(lines_of(trace))
    assert counts.requests == len(requests.line)
    assert min(vars(counts).values()) >= 0
    assert counts == predict(trace, gpu, mode, seed)
    assert predict(trace, gpu, mode, seed, without=["latency"]).latency == 0
    assert predict(trace, gpu, mode, seed, without=["associativity"]).associativity == 0
    assert predict(trace, gpu, mode, seed, without=["mshr"]).mshr == 0


LINES = st.lists(st.one_of(st.integers(0, 9), st.integers(0, 1 << 14)), min_size=1, max_size=60)


@settings(max_examples=60, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=6), st.sampled_from([(1, 4), (8, 2), (32, 2), (32, 4), (64, 1), (512, 1)]))
def test_without_latencies_the_cache_is_a_plain_lru(of_thread: list[list[int]], shape: tuple[int, int]) -> None:
    # warps of one thread, since requests of one instruction are all looked up before the first is inserted
    gpu = replace(FERMI, sets=shape[0], ways=shape[1], warp_threads=1, latency=0, deviation=0.0)
    trace = loads({thread: [LINE * line for line in lines] for thread, lines in enumerate(of_thread)}, block=8)
    requests = make_requests(trace, gpu)
    setup = setup_of(gpu, PAPER, trace.block_threads)
    log: list[Event] = []
    counts = simulate(requests, setup, 1, log)
    assert [event.hit for event in log] == plain_lru([event.line for event in log], *shape)
    assert counts.near == sum(event.hit for event in log)


def plain_lru(lines: list[int], sets: int, ways: int) -> list[bool]:
    """Which of the accesses hit; the index is written out here once more, bit by bit."""
    contents: list[OrderedDict[int, None]] = [OrderedDict() for _ in range(sets)]
    hits = []
    for line in lines:
        bits = [line >> bit & 1 for bit in range(13)]
        index = sum((bits[i] ^ bits[j]) << i for i, j in enumerate((6, 7, 8, 10, 12))) + line // 32 * 32
        cached = contents[index % sets]
        hits.append(line in cached)
        cached[line] = None
        cached.move_to_end(line)
        if len(cached) > ways:
            cached.popitem(last=False)
    return hits


@settings(max_examples=40, deadline=None)
@given(traces(), st.sampled_from([1, 4, 32]))
def test_more_ways_lose_no_hits_where_the_order_of_accesses_is_fixed(trace: Trace, sets: int) -> None:
    caches = [replace(FERMI, sets=sets, ways=ways) for ways in (1, 2, 4, 8)]
    hits = [predict(trace, cache, PAPER, 1, without=["latency"]).hits for cache in caches]
    assert hits == sorted(hits)


def test_five_lines_in_a_set_of_four_ways_always_miss_but_not_in_the_published_program() -> None:
    trace = loads({0: [BASE + FAR * (i % 5) for i in range(50)]}, block=1)
    paper, reference = (predict(trace, FERMI, mode, 1) for mode in (PAPER, REFERENCE))
    assert paper.miss_rate(PAPER) == 1
    assert paper == Counts(5, 0, 45, 0, 0, 0)
    assert reference.miss_rate(REFERENCE) == 0.1
    assert reference == Counts(5, 0, 0, 0, 0, 45)


@both_modes
def test_four_lines_in_a_set_of_four_ways_stay(mode: Conventions) -> None:
    trace = loads({0: [BASE + FAR * (i % 4) for i in range(40)]}, block=1)
    assert predict(trace, FERMI, mode, 1) == Counts(4, 0, 0, 0, 0, 36)


@both_modes
def test_lanes_with_fewer_loads_take_no_part_in_the_last_ones(mode: Conventions) -> None:
    # lane t loads t times, a line of its own each time: a line is asked for once, whoever has finished
    trace = loads({t: [BASE + LINE * (32 * i + t) for i in range(t)] for t in range(1, 32)})
    counts = predict(trace, replace(FERMI, mshrs=None, warp_mshrs=None), mode, 1)
    assert counts.requests == counts.compulsory == sum(range(32))


@both_modes
def test_a_load_over_the_end_of_a_line_asks_for_both(mode: Conventions) -> None:
    trace = loads({0: [(BASE + LINE - 2, 4), (BASE + LINE - 4, 4), (BASE + LINE, 4)]})
    assert predict(trace, FERMI, mode, 1) == Counts(2, 0, 0, 0, 0, 2)


@pytest.mark.parametrize(("size", "requests"), [(4, 1), (8, 2), (16, 4)])
def test_warps_halves_and_quarters_are_served_together(size: int, requests: int) -> None:
    trace = loads({t: [(BASE, size)] for t in range(32)})
    assert predict(trace, FERMI, PAPER, 1) == Counts(1, 0, 0, requests - 1, 0, 0)


@pytest.mark.parametrize("size", [4, 8, 16])
def test_since_volta_all_lanes_are_served_together(size: int) -> None:
    """One word for all lanes is one request; 32 lanes beside each other ask for as many lines as they fill."""
    same = loads({t: [BASE] * 10 for t in range(32)})
    same = replace(same, bytes=np.full_like(same.bytes, size))
    apart = loads({t: [(BASE + size * t, size)] for t in range(32)})
    for gpu in (gpu_named("v100"), gpu_named("h100")):
        assert predict(same, gpu, PAPER, 1).requests == 10
        assert predict(apart, gpu, PAPER, 1).requests == 32 * size // LINE


def test_steps_tell_which_lanes_go_together() -> None:
    """Lane 1 skips a load that lane 0 makes; both then load one line, together if the trace says so."""
    trace = loads({0: [BASE, BASE + LINE], 1: [BASE + LINE + 4]})
    masked = replace(trace, step=np.array([0, 1, 1], np.uint32))
    unlimited = replace(FERMI, mshrs=None, warp_mshrs=None)
    assert predict(masked, unlimited, PAPER, 1).requests == 2
    assert predict(trace, unlimited, PAPER, 1).requests == 3


def test_lanes_at_different_sites_are_not_served_together() -> None:
    trace = loads({0: [BASE], 1: [BASE + 4]})
    apart = replace(trace, site=np.array([0, 1], np.uint32))
    assert [predict(each, FERMI, PAPER, 1).requests for each in (trace, apart)] == [1, 2]


def test_a_line_that_is_there_without_a_sector_is_a_miss_of_its_own() -> None:
    trace = loads({0: [BASE, BASE + 32, BASE + 32, BASE]})
    assert predict(trace, replace(FERMI, sector_bytes=32), PAPER, 1) == Counts(1, 0, 0, 0, 0, 2, sector=1)
    assert predict(trace, FERMI, PAPER, 1) == Counts(1, 0, 0, 0, 0, 3)


def test_stores_do_not_count() -> None:
    trace = loads({0: [BASE, BASE + LINE, BASE]})
    second_stores = replace(trace, direction=np.array([0, 1, 0], np.uint8))
    assert predict(second_stores, FERMI, PAPER, 1) == Counts(1, 0, 0, 0, 0, 1)


def test_a_line_on_its_way_is_a_latency_miss_which_the_papers_rate_leaves_out() -> None:
    trace = loads({0: [BASE], 32: [BASE]}, block=64)
    counts = predict(trace, FERMI, PAPER, 1)
    assert counts == Counts(1, 0, 0, 1, 0, 0)
    assert (counts.miss_rate(PAPER), counts.miss_rate(REFERENCE)) == (0.5, 1.0)
    assert predict(trace, FERMI, PAPER, 1, without=["latency"]) == Counts(1, 0, 0, 0, 0, 1)


def test_threads_order_in_the_file_makes_no_difference() -> None:
    of_thread = {t: [BASE + 64 * t + 8192 * i for i in range(6)] for t in range(70)}
    backwards = dict(reversed(of_thread.items()))
    assert predict(loads(of_thread), FERMI, PAPER, 3) == predict(loads(backwards), FERMI, PAPER, 3)


def test_blocks_run_in_sets_that_fit_the_multiprocessor() -> None:
    # one block of a thread at a time: the next one finds what the last one left
    alone = replace(FERMI, blocks=1)
    trace = loads({0: [BASE], 1: [BASE]}, block=1)
    assert predict(trace, alone, PAPER, 1) == Counts(1, 0, 0, 0, 0, 1)
    assert predict(trace, FERMI, PAPER, 1) == Counts(1, 0, 0, 1, 0, 0)


def test_a_warp_has_six_registers_in_the_papers_mode_only() -> None:
    trace = loads({t: [BASE + LINE * t] for t in range(7)})
    *first, last = ticks(trace, PAPER)
    assert first == [0] * 6
    assert last > FERMI.latency
    assert len(events(trace, FERMI, PAPER)) == 8  # the seventh is refused once: its warp waits for the six
    assert ticks(trace, REFERENCE) == [0] * 7
    assert ticks(trace, PAPER, "warp-mshr") == [0] * 7
    assert ticks(trace, PAPER, "latency") == [0] * 7  # what arrives at once takes no register


def test_a_warp_without_a_register_goes_to_the_back_of_the_queue() -> None:
    gpu = replace(FERMI, mshrs=1)
    trace = loads({0: [BASE], 32: [BASE + LINE], 64: [BASE]}, block=96)
    log = events(trace, gpu, PAPER)
    assert [(event.warp, event.effect is None) for event in log[:3]] == [(0, False), (1, True), (2, False)]
    assert {event.warp for event in log[3:]} == {1}
    assert log[-1].effect is not None


@pytest.mark.parametrize(("thread", "refused"), [(32, True), (33, False)])
def test_the_published_program_refuses_first_lanes_only(thread: int, refused: bool) -> None:
    trace = loads({0: [BASE], thread: [BASE + LINE]}, block=64)
    log = events(trace, replace(FERMI, mshrs=1), REFERENCE)
    assert (log[1].effect is None) == refused
    assert events(trace, replace(FERMI, mshrs=1), PAPER)[1].effect is None


def test_classes_add_up_to_the_misses_whatever_the_four_runs_say() -> None:
    setup = setup_of(FERMI, PAPER, 32)
    # near, edge, far, never: of ten misses three are compulsory and one is of latency; each of two parts has six
    runs = {setup: Distances(5, 2, 4, 4), setup.without("latency"): Distances(5, 0, 7, 3)}
    fewer = Distances(11, 0, 1, 3)
    assert classify(setup, lambda variant: runs.get(variant, fewer)) == Counts(3, 0, 6, 1, 0, 5)
    more = Distances(0, 0, 12, 3)
    assert classify(setup, lambda variant: runs.get(variant, more)) == Counts(3, 6, 0, 1, 0, 5)


def ticks(trace: Trace, mode: Conventions, *without: str) -> list[int]:
    return [event.tick for event in events(trace, FERMI, mode, *without) if event.effect is not None]


def events(trace: Trace, gpu: Gpu, mode: Conventions, *without: str) -> list[Event]:
    setup = setup_of(gpu, mode, trace.block_threads)
    for part in without:
        setup = setup.without(part)
    log: list[Event] = []
    simulate(make_requests(trace, gpu), setup, 1, log)
    return log


def test_seeds_choose_latencies_and_nothing_else_is_random() -> None:
    trace = row(2, 1024)
    results = {seed: predict(trace, FERMI, REFERENCE, seed) for seed in (1, 2, 1, 3)}
    assert predict(trace, FERMI, REFERENCE, 2) == results[2]
    assert len(set(results.values())) > 1


def test_every_part_of_the_model_matters() -> None:
    trace = row(3, 1024)
    whole = predict(trace, FERMI, PAPER, 1)
    for part in ABLATIONS:
        assert predict(trace, FERMI, PAPER, 1, without=[part]) != whole, part


def test_the_random_words_are_those_of_cplusplus() -> None:
    # the C++ standard, [rand.predef]: the 10000th word of a mt19937 seeded 5489 is 4123659995
    words = generator(5489)
    assert [words.getrandbits(32) for _ in range(10_000)][-1] == 4123659995


def test_latencies_are_half_normal() -> None:
    numbers = normal_numbers(1)
    sample = [next(numbers) for _ in range(20_000)]
    assert abs(sum(sample)) / len(sample) < 0.03
    assert abs(sum(x * x for x in sample) / len(sample) - 1) < 0.03
    drawn = latencies(1, 100, 5.0)
    assert [next(drawn) for _ in range(20_000)] == [100 + int(abs(5 * x) + 0.5) for x in sample]
