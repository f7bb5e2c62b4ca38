"""Whether a cache directive pays: bytes with tiles and without them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from launches import BASE, LINE, loads

from accache.base.diagnostics import CompileError
from accache.cli.main import main
from accache.l1.binary_traces import write_binary_trace
from accache.l1.carving import Directive, Tile, Tiled, _of_lines, judged, verdict
from accache.l1.gpus import KB, gpu_named
from accache.l1.tables import Row
from accache.l1.trace import Site, Trace

VOLTA = gpu_named("v100")


def sweep_twice(kilobytes: int) -> Trace:
    """A thread that reads array b from end to end, twice, and after each of its lines the one element of array a."""
    lines = kilobytes * KB // LINE
    addresses = [address for i in range(2 * lines) for address in (BASE + LINE * (i % lines), 0)]
    trace = loads({0: addresses}, block=32)
    site = np.tile(np.array([1, 0], np.uint32), 2 * lines)
    return replace(trace, site=site, sites=(Site(array="a"), Site(array="b")))


@pytest.mark.parametrize(
    ("kilobytes", "shared", "again"),
    [
        (16, 8, False),  # b stays in L1 whatever is carved out
        (40, 90, True),  # with 96 KB carved out, 32 are left: b is fetched twice
        (100, 8, True),  # 64 blocks could be active, so that 8 KB each carve out all they can
    ],
)
def test_what_others_lose_by_the_carve_out(kilobytes: int, shared: int, again: bool) -> None:
    trace = sweep_twice(kilobytes)
    found = verdict(trace, VOLTA, [Tile("a", 32, shared * KB)], "t")
    sectors = kilobytes * KB // LINE * 32
    assert (found.served, found.fetched, found.others) == (32, 32, sectors)
    assert found.others_then == sectors * (2 if again else 1)
    assert found.saved == -sectors * again
    assert found.l1_bytes_then == found.l1_bytes - (96 * KB)


def test_without_other_arrays_nothing_is_lost() -> None:
    trace = sweep_twice(4)
    found = verdict(trace, VOLTA, [Tile("a", 0, KB), Tile("b", 0, KB)], "t")
    assert (found.arrays, found.others, found.others_then) == (("a", "b"), 0, 0)
    assert found.saved == found.served == 32 + 4 * KB // LINE * 32


@pytest.mark.parametrize(("fetched", "end"), [(0, "go: tiles save 32 bytes"), (64, "no-go: tiles cost 32 bytes")])
def test_the_report_ends_with_go_or_no_go(fetched: int, end: str, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with path.open("wb") as stream:
        write_binary_trace(sweep_twice(4), stream)
    options = ["model", "--trace", str(path), "--gpu", "v100", "--tile", f"a={fetched}:1k"]
    result = CliRunner().invoke(main, options, catch_exceptions=False)
    assert end in result.stdout
    assert "L1 gets for others now, 128 KB and 32 blocks" in result.stdout
    record = json.loads(CliRunner().invoke(main, [*options, "--json"], catch_exceptions=False).stdout)
    assert record["tiles"]["saved"] == 32 - fetched


def directive(array: str, shared: int) -> Directive:
    """A part of a directive that is kept in so much shared memory, or not at all."""
    return Directive(7, f"{array}[i:1]", array, "rbi" if shared else "none", "because", shared)


def test_each_directive_is_judged_alone() -> None:
    """The launch with tiles reads b once: its tiles fetch half of what L1 got, as it is too small for b."""
    trace = sweep_twice(200)
    half = len(trace.thread) // 2
    once = {name: getattr(trace, name)[:half] for name in ("thread", "direction", "address", "bytes", "site")}
    tiled = Tiled("k", replace(trace, **once), (directive("b", KB), directive("a", 0), directive("c", KB)))
    b, a, c = judged(trace, VOLTA, tiled, "t")
    lines = 200 * KB // LINE
    assert (b.requests, b.requests_then) == (2 * lines, lines)
    assert b.verdict is not None
    assert (b.verdict.arrays, b.verdict.served, b.verdict.fetched) == (("b",), 2 * 32 * lines, 32 * lines)
    assert b.verdict.saved == 32 * lines
    assert (a.verdict, a.requests) == (None, 2 * lines)
    assert (c.verdict, c.requests, c.requests_then) == (None, 0, 0)


def test_lines_are_judged_together() -> None:
    """The launch with lines reads both arrays once; shared memory leaves L1 too little for the second time, if any."""
    trace = sweep_twice(100)
    half = len(trace.thread) // 2
    once = {name: getattr(trace, name)[:half] for name in ("thread", "direction", "address", "bytes", "site")}
    parts = tuple(replace(directive(array, 0), method="private", by_lines=True) for array in "ab")
    a, b = judged(trace, VOLTA, Tiled("k", replace(trace, **once), parts, 2 * KB), "t")
    assert (a.verdict, a.requests) == (None, 2 * 100 * KB // LINE)
    assert b.verdict is not None
    sectors = 32 * (100 * KB // LINE + 1)
    assert (b.verdict.arrays, b.verdict.served, b.verdict.fetched) == (("a", "b"), sectors, sectors)
    assert (b.verdict.others, b.verdict.others_then, b.verdict.l1_bytes - b.verdict.l1_bytes_then) == (0, 0, 64 * KB)


def stores(threads: int, apart: int) -> Trace:
    """Threads that store eight words, one after the other, into array a: each so many bytes from the next one."""
    addresses = {thread: [BASE + apart * thread + 4 * i for i in range(8)] for thread in range(threads)}
    trace = loads(addresses, block=256, stores=True)
    return replace(trace, site=np.zeros(len(trace.thread), np.uint32), sites=(Site(array="a"),))


@pytest.mark.parametrize(("threads", "apart", "pays"), [(1280, 128, True), (1024, 128, False), (1024, 64, False)])
def test_lines_that_save_stores_pay_where_threads_fill_l1(threads: int, apart: int, pays: bool) -> None:
    """1024 threads, each in a line, just fill the 128 KB of a V100; eight stores to a sector become one."""
    trace = stores(threads, apart)
    rows = {"a": Row("a", 0, 0, 0, 0, 0, 0, 0, 8 * threads, 32 * 8 * threads)}
    then = {"a": Row("a", 0, 0, 0, 0, 0, 0, 0, threads, 32 * threads)}
    found = _of_lines(("a",), (rows, then), (VOLTA, VOLTA), trace, size=16)
    assert (found.saved, found.filled) == (32 * 7 * threads, threads * apart)
    assert found.pays == pays
    by_sectors = _of_lines(("a",), (rows, then), (VOLTA, VOLTA), trace, size=32)
    assert by_sectors.pays == (threads * apart >= VOLTA.size)


def test_lines_that_the_launch_left_out_are_not_judged() -> None:
    trace = sweep_twice(4)
    (found,) = judged(trace, VOLTA, Tiled("k", trace, (replace(directive("a", 0), by_lines=True),)), "t")
    assert found.verdict is None


def test_tiles_that_do_not_fit_are_refused() -> None:
    trace = sweep_twice(4)
    tiled = Tiled("k", trace, (directive("a", 60 * KB), directive("b", 60 * KB)))
    with pytest.raises(CompileError, match=r"tiles are not possible.*ACC815"):
        judged(trace, VOLTA, tiled, "t")
    judged(trace, VOLTA, replace(tiled, reused=60 * KB), "t")  # one lies in the place of the other
