"""Bytes that move from L2 to L1 for subsets of the loads, from one trace."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launches import BASE, LINE, masked_traces

from accache.l1.gpus import Gpu
from accache.l1.policies import WRITES
from accache.l1.tools import PLAIN, compiled_tools
from accache.l1.trace import Site, Trace, trace_of
from accache.l1.traffic import BYPASSED, Traffic, traffic

TOOLS = compiled_tools() or PLAIN
TWO_LINES = Gpu("two lines", sets=1, ways=2, sector_bytes=32)


def kernel(*rows: tuple[int, int]) -> Trace:
    """One warp whose lane 0 loads at each (site, line)."""
    site, line = np.array(rows).T
    count = len(rows)
    columns = (np.zeros(count), np.zeros(count), BASE + LINE * line, np.full(count, 4))
    trace = trace_of((32, 1, 1), tuple(column.astype(np.int64) for column in columns))
    return Trace(trace.block, *trace.columns, site=site.astype(np.uint32))


@pytest.mark.parametrize(("policy", "hits"), [("ca", 3), ("cg", 0)])
def test_a_load_that_may_be_cached_keeps_its_own_policy(policy: str, hits: int) -> None:
    trace = replace(kernel(*[(0, 0)] * 4), sites=(Site("x", policy=policy),))
    assert [counts.hits for counts in Traffic(trace, TWO_LINES).counts([0])] == [hits]


def test_by_hand() -> None:
    """Load 0 uses a line again after load 1 took two others: it hits if load 1 passes L1 by."""
    trace = kernel(*[(0, 0), (1, 1), (1, 2)] * 4)
    assert traffic(trace, TWO_LINES, ()) == 12 * 32
    assert traffic(trace, TWO_LINES, {0}) == 9 * 32
    assert traffic(trace, TWO_LINES, {1}) == 6 * 32
    assert traffic(trace, TWO_LINES, {0, 1}) == 12 * 32
    pairs = Traffic(trace, TWO_LINES).pairs([frozenset({0}), frozenset({1})])
    assert pairs.access.tolist() == [4, 8]
    assert pairs.hit.tolist() == [3, 6]
    assert pairs.hit_both.tolist() == [[3, 0], [0, 6]]
    assert (pairs.none, pairs.alone.tolist(), pairs.both[0, 1]) == (384, [288, 192], 384)


def test_a_load_that_keeps_nothing_profits_from_one_that_does() -> None:
    trace = kernel((0, 0), (1, 0), (1, 0))
    assert traffic(trace, TWO_LINES, {0}, "no_allocate") == 32
    assert traffic(trace, TWO_LINES, {0}, "cg") == 96


def test_a_line_without_sectors_costs_all_of_it_unless_bypassed() -> None:
    whole = Gpu("lines", sets=1, ways=2)
    trace = kernel((0, 0), (0, 0), (1, 5))
    assert traffic(trace, whole, {0, 1}) == 2 * LINE
    assert traffic(trace, whole, {0}) == LINE + 32


@settings(max_examples=25, deadline=None)
@given(masked_traces(), st.sampled_from(BYPASSED), st.sampled_from(WRITES), st.sampled_from([None, 32]))
def test_pairs_are_what_subsets_say(trace: Trace, bypassed: str, writes: str, sector_bytes: int | None) -> None:
    gpu = Gpu("small", sets=2, ways=2, sector_bytes=sector_bytes, writes=writes)
    ready = Traffic(trace, gpu, TOOLS)
    assert set(ready.loads) == set(trace.site[trace.direction == 0].tolist())
    groups = [frozenset({0, 3}), frozenset({1}), frozenset({2})]
    pairs = ready.pairs(groups, bypassed, workers=2)
    assert pairs.none == ready.bytes((), bypassed)
    for i, j in combinations(range(3), 2):
        counts = ready.counts(groups[i] | groups[j], bypassed)
        assert pairs.both[i, j] == pairs.both[j, i] == sum(count.bytes for count in counts)
        assert pairs.hit_both[i, j] == sum(counts[site].hits for site in groups[i] | groups[j])
    for i, group in enumerate(groups):
        assert pairs.alone[i] == ready.bytes(group, bypassed)
        assert pairs.hit[i] == sum(ready.counts(group, bypassed)[site].hits for site in group)


def test_an_unknown_way_to_bypass_is_a_bug() -> None:
    with pytest.raises(AssertionError):
        traffic(kernel((0, 0)), TWO_LINES, (), "cs")
