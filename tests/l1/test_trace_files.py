"""Traces written and read back, as text and as archives."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launches import equal, loads

from accache.l1.binary_traces import write_binary_trace
from accache.l1.files import read_trace
from accache.l1.text_traces import write_text
from accache.l1.trace import MAX_ADDRESS, MAX_THREADS

ACCESSES = st.lists(st.tuples(st.integers(0, MAX_ADDRESS), st.integers(1, 16)), min_size=1, max_size=5)


@settings(max_examples=50, deadline=None)
@given(of_thread=st.dictionaries(st.integers(0, MAX_THREADS - 1), ACCESSES, min_size=1, max_size=9))
@pytest.mark.parametrize("form", ["text", "plain", "compressed"])
def test_what_was_written_is_read(form: str, of_thread: dict[int, list[tuple[int, int]]], tmp_path_factory) -> None:  # type: ignore[no-untyped-def]
    trace = loads(of_thread, block=96)
    path: Path = tmp_path_factory.getbasetemp() / form
    if form == "text":
        path.write_text(write_text(trace))
    else:
        stream = io.BytesIO()
        write_binary_trace(trace, stream, compressed=form == "compressed")
        path.write_bytes(stream.getvalue())
    assert equal(read_trace(path), trace)


def test_the_text_is_that_of_the_papers_tracer() -> None:
    assert write_text(loads({3: [4096, (8192, 8)]}, block=64)) == "blocksize: 64 1 1\n3 0 4096 4\n3 0 8192 8\n"
