"""Reuse distances in a fixed order: both ways to measure them, and what one pass says of all associativities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launches import BASE, LINE, gemm, loads, masked_traces, traces

from accache.l1.gpus import Gpu, gpu_named
from accache.l1.histograms import histogram
from accache.l1.model import predict
from accache.l1.modes import PAPER
from accache.l1.sets import INDEXES
from accache.l1.tables import movement
from accache.l1.tools import PLAIN, Tools, compiled_tools
from accache.l1.trace import Trace

TOOLS = compiled_tools() or PLAIN
ONE_SET = Gpu("one set", sets=1, ways=1)


@settings(max_examples=30, deadline=None)
@given(traces() | masked_traces(), st.sampled_from([1, 2, 32, 64]), st.sampled_from(INDEXES))
def test_both_measure_the_same_and_agree_with_the_timed_engine(trace: Trace, sets: int, index: str) -> None:
    # one line an instruction: the timed engine looks up all of its lines before it inserts them
    trace = replace(trace, bytes=np.ones_like(trace.bytes))
    gpu = replace(ONE_SET, sets=sets, index=index, warp_threads=1)
    found, plain = histogram(trace, gpu, TOOLS), histogram(trace, gpu)
    assert np.array_equal(found.counts, plain.counts)
    assert found.never == plain.never
    for ways in (1, 2, 3, 8):
        counts = predict(
            trace, replace(gpu, ways=ways, mshrs=None, warp_mshrs=None), PAPER, 1, without=["latency"], tools=TOOLS
        )
        assert counts.hits == found.hits(ways)
    assert counts.requests == found.requests


@settings(max_examples=30, deadline=None)
@given(traces() | masked_traces(), st.sampled_from([1, 2, 32]))
def test_more_ways_never_lose_hits(trace: Trace, sets: int) -> None:
    """For a fixed order and LRU: of requests, and of each sector; and one pass finds what each run of its own does."""
    gpu = replace(ONE_SET, sets=sets, sector_bytes=32)
    trace = plain_loads(trace)
    caches = [movement(trace, replace(gpu, ways=ways), TOOLS).total for ways in range(1, 6)]
    assert [row.hits for row in caches] == sorted(row.hits for row in caches)
    assert [row.in_l1 for row in caches] == sorted(row.in_l1 for row in caches)
    found = histogram(trace, gpu, TOOLS)
    hits = [found.hits(ways) for ways in range(1, 6)]
    assert hits == sorted(hits)
    assert all(row.hits <= of_lines for row, of_lines in zip(caches, hits, strict=True))


def plain_loads(trace: Trace) -> Trace:
    """The same accesses, all of them plain loads."""
    sites = tuple(replace(site, policy="ca") for site in trace.sites)
    return replace(trace, sites=sites, direction=np.zeros_like(trace.direction))


@pytest.mark.parametrize("tools", [PLAIN, TOOLS], ids=["plain", "compiled"])
def test_by_hand(tools: Tools) -> None:
    """Lines a b c a a b: infinite three times, then 2, 0, 2."""
    trace = loads({0: [BASE + LINE * i for i in (0, 1, 2, 0, 0, 1)]}, block=1)
    found = histogram(trace, ONE_SET, tools)
    assert (found.counts.tolist(), found.never, found.requests) == ([1, 0, 2], 3, 6)
    assert [found.hits(ways) for ways in (1, 2, 3, 4)] == [1, 1, 3, 3]
    assert found.ranges() == ((0, 0, 1), (1, 1, 0), (2, 3, 2))


def test_a_trace_that_never_loads_twice_has_no_finite_distance() -> None:
    found = histogram(loads({0: [BASE, BASE + LINE]}), ONE_SET, TOOLS)
    assert (found.counts.tolist(), found.never, found.ranges()) == ([], 2, ())


def test_a_launch_of_many_blocks() -> None:
    found = histogram(gemm(4), gpu_named("fermi-16k"), TOOLS)
    assert found.never == 16 * 4 * 4 // LINE + 4 * 16
    assert found.requests == 2 * 4 * 8192 // 32
