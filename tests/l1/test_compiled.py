"""The compiled tools give what the plain ones give, on any trace and under any conventions; large golden counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launches import equal, gemm, masked_traces, row, traces

from accache.l1.compiled.latencies import next_latency, start_of
from accache.l1.gpus import GPUS, Gpu, gpu_named
from accache.l1.latencies import latencies
from accache.l1.model import Counts, predict
from accache.l1.modes import PAPER, REFERENCE, Conventions
from accache.l1.requests import make_requests
from accache.l1.sets import INDEXES
from accache.l1.setups import setup_of
from accache.l1.text_traces import read_text, write_text
from accache.l1.tools import PLAIN, compiled_tools
from accache.l1.trace import Trace

pytest.importorskip("numba")
FAST = compiled_tools()
assert FAST is not None
FERMI = gpu_named("fermi-16k")

conventions = st.builds(Conventions, *[st.booleans()] * len(Conventions.__dataclass_fields__))
limits = st.sampled_from([None, 1, 2, 6, 64])
gpus = st.builds(
    Gpu,
    st.just("any"),
    sets=st.sampled_from([1, 2, 32, 64]),
    ways=st.integers(1, 6),
    mshrs=limits,
    warp_mshrs=limits,
    latency=st.integers(0, 30),
    deviation=st.sampled_from([0.0, 0.5, 5.0]),
    hit_latency=st.integers(0, 3),
    warp_threads=st.sampled_from([1, 8, 32]),
    splits_wide=st.booleans(),
    sector_bytes=st.sampled_from([None, 32]),
    index=st.sampled_from(INDEXES),
    blocks=st.integers(1, 8),
)


@settings(max_examples=200, deadline=None)
@given(traces() | masked_traces(), gpus, conventions, st.integers(0, (1 << 32) - 1), st.booleans())
def test_both_engines_measure_the_same_distances(
    trace: Trace, gpu: Gpu, how: Conventions, seed: int, stores: bool
) -> None:
    assert FAST is not None
    plain, fast = (make_requests(trace, gpu, tools.coalesce, tools.order, stores=stores) for tools in (PLAIN, FAST))
    for name, column in vars(plain).items():
        assert np.array_equal(column, vars(fast)[name]), name
    setup = setup_of(gpu, how, trace.block_threads)
    assert PLAIN.prepare(plain)(setup, seed) == FAST.prepare(fast)(setup, seed)


@pytest.mark.parametrize("how", [PAPER, REFERENCE], ids=["paper", "reference"])
@pytest.mark.parametrize("gpu", GPUS, ids=lambda gpu: gpu.name)
def test_both_predict_the_same_of_a_launch_that_fills_the_registers(gpu: Gpu, how: Conventions) -> None:
    assert FAST is not None
    trace = row(2, 1024)
    assert predict(trace, gpu, how, 3, tools=FAST) == predict(trace, gpu, how, 3)


@pytest.mark.parametrize("deviation", [0.0, 5.0, 1e5])
def test_both_draw_the_same_latencies_ahead_and_one_by_one(deviation: float) -> None:
    plain, (now, drawn) = latencies(7, 100, deviation), start_of(7, deviation, 1001)
    assert len(drawn) == (1001 if deviation == 5.0 else 0)
    assert [next_latency(now, drawn, 100, deviation) for _ in range(3000)] == [next(plain) for _ in range(3000)]


@settings(max_examples=50, deadline=None)
@given(traces(), st.sampled_from([b"\n", b"\r\n", b" \t\r\n", b"\n\n"]))
def test_both_read_the_same_text(tmp_path_factory: pytest.TempPathFactory, trace: Trace, end: bytes) -> None:
    assert FAST is not None
    path: Path = tmp_path_factory.getbasetemp() / "text"
    path.write_bytes(write_text(trace).encode().replace(b"\n", end, 10).replace(b" ", b" \t", 50))
    read = read_text(path, FAST.parse)
    assert equal(read, read_text(path))
    assert equal(read, trace)


@pytest.mark.parametrize(
    ("make", "depth", "gpu", "counts"),
    [
        (gemm, 64, "fermi-16k", Counts(1056, 13289, 0, 2493, 0, 15930)),
        pytest.param(gemm, 640, "fermi-16k", Counts(10560, 132840, 0, 24639, 0, 159641), marks=pytest.mark.thorough),
        (row, 64, "fermi-16k", Counts(16386, 287246, 121972, 0, 0, 115068)),
        (row, 64, "fermi-48k", Counts(16386, 56529, 260031, 0, 0, 207726)),
        pytest.param(
            row, 640, "fermi-16k", Counts(163860, 2872961, 1006276, 1, 0, 1363622), marks=pytest.mark.thorough
        ),
    ],
)
def test_counts_are_those_of_the_published_program(
    make: Callable[[int], Trace], depth: int, gpu: str, counts: Counts
) -> None:
    assert FAST is not None
    assert predict(make(depth), gpu_named(gpu), REFERENCE, 1, tools=FAST) == counts


@pytest.mark.parametrize(("changes", "percent"), [({}, 79.56), ({"clips": True, "merges": True}, 83.14)])
def test_rates_on_the_way_to_the_papers_mode(changes: dict[str, bool], percent: float) -> None:
    assert FAST is not None
    how = replace(REFERENCE, edge_hits=False, **changes)
    assert round(100 * predict(row(64), FERMI, how, 1, tools=FAST).miss_rate(how), 2) == percent


@pytest.mark.parametrize(("without", "percent"), [((), 98.46), (("warp-mshr",), 86.09)])
def test_rates_that_the_document_names(without: tuple[str, ...], percent: float) -> None:
    assert FAST is not None
    assert round(100 * predict(row(64), FERMI, PAPER, 1, without=without, tools=FAST).miss_rate(PAPER), 2) == percent
