"""L1 with L2 behind it: sectors, stores and policies by hand, and both engines on any trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launches import masked_traces, traces

from accache.l1.gpus import L2, Gpu
from accache.l1.hierarchy import (
    COLUMNS,
    FETCHED,
    FIRST,
    HITS,
    L2_HITS,
    SECTOR_HITS,
    Flow,
    Hierarchy,
    Level,
    hierarchy_of,
)
from accache.l1.modes import PAPER
from accache.l1.policies import POLICIES, WRITES
from accache.l1.requests import make_requests
from accache.l1.sets import INDEXES
from accache.l1.setups import setup_of
from accache.l1.streams import Stream, fixed_order
from accache.l1.tools import PLAIN, compiled_tools
from accache.l1.trace import Trace

TOOLS = [PLAIN, *filter(None, [compiled_tools()])]
Runner: TypeAlias = Callable[..., Flow]
SMALL = Hierarchy(Level(1, 2), None, line_mask=15, fills_lines=False, writes="through")
caches = st.builds(
    Gpu,
    st.just("any"),
    sets=st.sampled_from([1, 2, 32]),
    ways=st.integers(1, 4),
    sector_bytes=st.sampled_from([None, 32]),
    index=st.sampled_from(INDEXES),
    writes=st.sampled_from(WRITES),
    blocks=st.integers(1, 8),
    l2=st.builds(L2, size=st.sampled_from([128, 1024, 4096]), ways=st.integers(1, 4)),
)


@pytest.fixture(params=TOOLS, ids=["plain", "compiled"][: len(TOOLS)])
def run(request: pytest.FixtureRequest) -> Runner:
    """What sends (line, mask, site) loads, or (line, mask, site, True) stores, through caches."""

    def run(hierarchy: Hierarchy, accesses: list[tuple[int, ...]], *policies: str) -> Flow:
        rows = [(*access, False)[:4] for access in accesses]
        line, mask, site, store = (np.array(column) for column in zip(*rows, strict=True))
        stream = Stream(line.astype(np.int64), mask.astype(np.uint32), site.astype(np.int32), store.astype(np.bool_))
        chosen = np.array([POLICIES.index(policy) for policy in policies or ("ca", "ca")], np.int8)
        return request.param.prepare_hierarchy(stream)(hierarchy, chosen)

    return run


@settings(max_examples=60, deadline=None)
@given(traces() | masked_traces(), caches, st.booleans())
def test_both_engines_count_the_same(trace: Trace, gpu: Gpu, with_l2: bool) -> None:
    requests = make_requests(trace, replace(gpu, sector_bytes=32), stores=True)
    stream = fixed_order(requests, setup_of(gpu, PAPER, trace.block_threads).active_blocks)
    policies = np.array([POLICIES.index(site.policy) for site in trace.sites] or [0], np.int8)
    hierarchy = hierarchy_of(gpu, with_l2=with_l2)
    flows = [tools.prepare_hierarchy(stream)(hierarchy, policies) for tools in TOOLS]
    for flow in flows:
        assert np.array_equal(flow.counts, flows[0].counts)
        assert flow.written == flows[0].written
    totals = dict(zip(COLUMNS, flows[0].counts.sum(axis=0).tolist(), strict=True))
    assert totals["hits"] <= totals["requests"]
    assert totals["requests"] + totals["stores"] == len(requests.line)
    assert max(totals["first"], totals["sector_hits"]) <= totals["sectors"]
    if gpu.sector_bytes is not None and gpu.writes != "allocate":  # else L1 may have what no load has asked for yet
        assert totals["first"] + totals["sector_hits"] <= totals["sectors"]
    assert totals["l2_hits"] <= totals["fetched"]


def test_a_miss_fetches_the_sectors_asked_for_or_the_line(run: Runner) -> None:
    loads = [(7, 0b0001, 0), (7, 0b0011, 0), (7, 0b0011, 0), (7, 0b1000, 0)]
    sectors = run(SMALL, loads).counts[0]
    assert sectors[[HITS, SECTOR_HITS, FETCHED, FIRST]].tolist() == [1, 3, 3, 3]
    whole = run(replace(SMALL, fills_lines=True), loads).counts[0]
    assert whole[[HITS, SECTOR_HITS, FETCHED, FIRST]].tolist() == [3, 5, 4, 3]


@pytest.mark.parametrize(
    ("policy", "hits"),
    [
        ("ca", 1),  # 0 1 evicts nothing, 2 evicts 0, and 1 is there
        ("cg", 2),  # 2 leaves both where they are
        ("no_allocate", 2),
        ("evict_first", 1),  # 2 takes the place of 0, which was used before 1
        ("evict_last", 1),
    ],
)
def test_what_a_load_between_does_to_others(run: Runner, policy: str, hits: int) -> None:
    flow = run(SMALL, [(0, 1, 0), (1, 1, 0), (2, 1, 1), (1, 1, 0), (0, 1, 0)], "ca", policy)
    assert flow.counts[:, HITS].tolist() == [hits, 0]


@pytest.mark.parametrize(("policy", "hits"), [("ca", 1), ("cg", 0), ("no_allocate", 1), ("evict_first", 1)])
def test_only_cg_does_not_look_into_l1(run: Runner, policy: str, hits: int) -> None:
    flow = run(SMALL, [(0, 1, 0), (0, 1, 1)], "ca", policy)
    assert flow.counts[1, HITS] == hits
    assert flow.counts[1, FETCHED] == 1 - hits


@pytest.mark.parametrize(("policy", "hit"), [("evict_first", False), ("ca", True), ("evict_last", True)])
def test_priorities_choose_who_goes(run: Runner, policy: str, hit: bool) -> None:
    """Line 9 is normal and the oldest; 0, loaded after it, goes before it only if it is to be evicted first."""
    flow = run(SMALL, [(9, 1, 0), (0, 1, 1), (5, 1, 0), (0, 1, 1)], "ca", policy)
    assert flow.counts[1, HITS] == hit


def test_a_line_to_evict_last_stays_while_others_come(run: Runner) -> None:
    loads = [(0, 1, 1), *((line, 1, 0) for line in range(1, 20)), (0, 1, 1)]
    assert run(SMALL, loads, "ca", "evict_last").counts[1, HITS] == 1
    assert run(SMALL, loads, "ca", "ca").counts[1, HITS] == 0


def test_a_load_that_keeps_nothing_does_not_renew(run: Runner) -> None:
    loads = [(0, 1, 0), (1, 1, 0), (0, 1, 1), (2, 1, 0), (0, 1, 0)]
    assert run(SMALL, loads, "ca", "no_allocate").counts[0, HITS] == 0
    assert run(SMALL, loads, "ca", "ca").counts[0, HITS] == 1


@pytest.mark.parametrize(("writes", "hits"), [("around", 0), ("evict", 0), ("through", 1), ("allocate", 1)])
def test_a_store_renews_a_line_or_drops_it(run: Runner, writes: str, hits: int) -> None:
    accesses = [(0, 1, 0), (1, 1, 0), (0, 1, 1, True), (2, 1, 0), (0, 1, 0)]
    assert run(replace(SMALL, writes=writes), accesses).counts[0, HITS] == hits


@pytest.mark.parametrize("writes", WRITES)
def test_only_allocation_keeps_what_was_stored(run: Runner, writes: str) -> None:
    flow = run(replace(SMALL, writes=writes), [(0, 1, 0, True), (0, 1, 1)])
    assert flow.counts[1, HITS] == (writes == "allocate")
    dropped = run(replace(SMALL, writes=writes), [(0, 3, 0), (0, 1, 0, True), (0, 1, 1), (0, 2, 1)])
    assert dropped.counts[1, HITS] == (1 if writes == "evict" else 2)


def test_l2_serves_what_l1_lost_and_writes_what_it_evicts(run: Runner) -> None:
    both = replace(SMALL, l2=Level(1, 3))
    flow = run(both, [(0, 1, 0), (1, 1, 0), (2, 1, 0), (0, 1, 0)])
    assert flow.counts[0, [FETCHED, L2_HITS]].tolist() == [4, 1]
    assert flow.written == 0
    stored = run(both, [(0, 0b0110, 0, True), (1, 1, 0), (2, 1, 0), (3, 1, 0), (0, 0b0010, 0)])
    assert stored.counts[0, L2_HITS] == 0
    assert stored.written == 2
    assert run(both, [(0, 0b0110, 0, True), (0, 0b0010, 1)]).written == 2
    assert run(both, [(0, 0b0110, 0, True), (0, 0b0010, 1)]).counts[1, L2_HITS] == 1
