"""Traces written and read back, as text and as archives."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launches import equal, loads, masked_traces

from accache.l1.binary_traces import write_binary_trace
from accache.l1.files import read_trace
from accache.l1.text_traces import write_text
from accache.l1.trace import MAX_ADDRESS, MAX_THREADS, Trace

ACCESSES = st.lists(st.tuples(st.integers(0, MAX_ADDRESS), st.integers(1, 16)), min_size=1, max_size=5)


@settings(max_examples=50, deadline=None)
@given(of_thread=st.dictionaries(st.integers(0, MAX_THREADS - 1), ACCESSES, min_size=1, max_size=9))
@pytest.mark.parametrize("form", ["text", "plain", "compressed"])
def test_what_was_written_is_read(
    form: str, of_thread: dict[int, list[tuple[int, int]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    trace = loads(of_thread, block=96)
    path: Path = tmp_path_factory.getbasetemp() / form
    if form == "text":
        path.write_text(write_text(trace))
    else:
        stream = io.BytesIO()
        write_binary_trace(trace, stream, compressed=form == "compressed")
        path.write_bytes(stream.getvalue())
    assert equal(read_trace(path), trace)


@settings(max_examples=30, deadline=None)
@given(masked_traces())
def test_archives_keep_steps_and_sites(tmp_path_factory: pytest.TempPathFactory, trace: Trace) -> None:
    path: Path = tmp_path_factory.getbasetemp() / "masked"
    named = tuple(
        replace(site, name=f"ld{i}", array="a\u00e9", file="k.cu", line=i) for i, site in enumerate(trace.sites)
    )
    with path.open("wb") as stream:
        write_binary_trace(replace(trace, sites=named), stream)
    read = read_trace(path)
    assert equal(read, trace)
    assert read.sites == named
    assert np.array_equal(read.site, trace.site)
    assert (read.step is None) == (trace.step is None)
    assert read.step is None or np.array_equal(read.step, trace.step)


def test_the_text_is_that_of_the_papers_tracer() -> None:
    assert write_text(loads({3: [4096, (8192, 8)]}, block=64)) == "blocksize: 64 1 1\n3 0 4096 4\n3 0 8192 8\n"
