"""What is decided for each sample, pinned: method, rate, offset, width, extents and bytes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec import Struct, to_builtins
from sample_reports import NAMES, SAMPLES, report_of

from accache.cli.explain import command
from accache.report import records

Row = tuple[str, str, tuple[tuple[int | None, str, str, int], ...], tuple[int, ...], int]

PER_THREAD, CHUNK = (1, "0", "kernel-args", 256), (0, "t", "", 256)
# A subarray: method, scope, (rate, offset, width, extent) of each dimension, the tile's extents, bytes.
PINNED: dict[str, dict[str, Row]] = {
    "stencil": {"a[i-RADIUS:2*RADIUS+1]": ("rbi", "block", ((1, "-1", "kernel-args", 258),), (258,), 1032)},
    "jacobi": {
        "b[im1:3][jm1:3]": (
            "rbi",
            "block",
            ((1, "-1", "kernel-args", 18), (1, "-1", "kernel-args", 18)),
            (18, 18),
            1296,
        )
    },
    "gemm": {
        "a[i:1][l:TILE]": ("rbi", "block", ((1, "0", "kernel-args", 16), (0, "l", "", 16)), (16, 16), 1024),
        "b[l:TILE][j:1]": ("rbi", "block", ((0, "l", "", 16), (1, "0", "kernel-args", 16)), (16, 16), 1024),
    },
    "nbody": {f"{name}[t:CHUNK]": ("rbi", "block", (CHUNK,), (256,), 1024) for name in "xyzm"},
    "histogram": {"local[0:BINS]": ("scratch", "block", (), (), 256)},
    "transpose": {"tile": ("scratch", "block", (), (), 4224)},
    "lookup": {"table[start:TAPS]": ("none", "", (), (), 0)},
    "strided": {"a[RATE*i+OFFSET:LENGTH]": ("rbi", "block", ((3, "4", "kernel-args", 770),), (770,), 3080)},
    "records": dict.fromkeys(("a", "b", "out"), ("private", "thread", (), (), 0)),
    "write_dense": {"b[i:1]": ("rbi", "block", (PER_THREAD,), (256,), 1024)},
    "write_sparse": {"b[i:1]": ("rbi", "block", (PER_THREAD,), (256,), 1024)},
}
LOADS = {
    "stencil": ("768", "258"),
    "jacobi": ("2304", "324"),
    "strided": ("1280", "770"),
    "gemm": ("256*n", "256*ceil(n/16)"),
}


@pytest.mark.parametrize("name", NAMES)
def test_decisions(name: str) -> None:
    found = {
        item.written: (
            item.method,
            item.scope,
            tuple((part.rate, part.offset, part.width, part.extent) for part in item.dimensions),
            item.extents,
            item.shared_bytes,
        )
        for kernel in report_of(name).kernels
        for item in kernel.subarrays
    }
    assert found == PINNED[name]


@pytest.mark.parametrize("name", LOADS)
def test_loads_of_a_block(name: str) -> None:
    change = report_of(name).kernels[0].subarrays[0].loads
    assert change is not None
    assert (change.before.formula, change.after.formula) == LOADS[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_kernels_shared_memory_is_that_of_its_tiles_and_arrays(name: str) -> None:
    for kernel in report_of(name).kernels:
        assert kernel.shared_bytes == sum(item.shared_bytes for item in kernel.subarrays)


@pytest.mark.parametrize("name", NAMES)
def test_json_decides_every_directive(name: str) -> None:
    source = (SAMPLES / f"{name}.c").read_text()
    written = [
        (line, text)
        for line, pragma in enumerate(source.splitlines(), 1)
        if (found := re.match(r"#pragma acc cache\((.*)\)$", pragma))
        for text in re.split(r", ", found[1])
    ]
    report = json.loads(CliRunner().invoke(command, ["--tune", "off", "--json", str(SAMPLES / f"{name}.c")]).stdout)
    assert report["version"] == records.VERSION
    decided = [(item["line"], item["written"]) for kernel in report["kernels"] for item in kernel["subarrays"]]
    assert decided == written
    assert report == json.loads(json.dumps(to_builtins(report_of(name), enc_hook=str))) | {"file": report["file"]}


def test_every_field_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs" / "explain.md").read_text()
    types = [value for value in vars(records).values() if isinstance(value, type) and issubclass(value, Struct)]
    missing = {name for record in types for name in record.__struct_fields__ if f"`{name}`" not in page}
    assert not missing
