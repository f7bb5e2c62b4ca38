"""Elements that lanes walk again stay in registers, where nothing may change them and there are few."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate
from accache.report.text import kernel_paragraph

ROWS = """
enum {{ WIDE = {wide} }};
void f(int n, int m, const {ctype} *restrict in, {ctype} *restrict out)
{{
#pragma acc parallel loop gang copyin(in[0:n * WIDE]) copyout(out[0:n * WIDE])
    for (int r = 0; r < n; ++r) {{
        {ctype} sum = 0;
        int row = r;
        {guard}
#pragma acc loop vector reduction(+ : sum)
        for (int j = 0; j < WIDE; ++j)
            {first}
        {between}
        {again}
#pragma acc loop vector
        for (int j = 0; j < {end}; ++j)
            {second}
    }}
}}
"""
USUAL = {
    "wide": "512", "ctype": "float", "first": "sum += in[r * WIDE + j];", "guard": "", "between": "", "again": "",
    "end": "WIDE", "second": "out[r * WIDE + j] = in[r * WIDE + j] / sum;",
}  # fmt: skip


def kernels(folder: Path, **changed: str) -> list[str]:
    """The versions of a kernel that walks rows twice."""
    path = folder / "rows.c"
    path.write_text(ROWS.format(**USUAL | changed))
    device = translate(str(path), Options(runtime=False)).device
    return re.findall(r"__global__ [^;]*?f_L5_kernel\w*\(.*?\n}", device, re.DOTALL)


def test_each_version_loads_a_row_once(tmp_path: Path) -> None:
    found = kernels(tmp_path)
    assert found
    for kernel in found:
        assert kernel.count("in[r*WIDE + j]") == 1
        assert kernel.count("/sum") == 1
        assert re.search(r"float in_row\[\d+\]", kernel)
    assert "in_row[j_round][dj] = in[r*WIDE + j];" in found[0]
    assert "out[r*WIDE + j] = in_row[j_round2][dj]/sum;" in found[0]


@pytest.mark.parametrize(
    ("changed", "kept"), [({}, (("in", 16),)), ({"ctype": "short"}, (("in", 16),)), ({"wide": "8192"}, ())]
)
def test_what_is_kept_is_told(changed: dict[str, str], kept: tuple[tuple[str, int], ...], tmp_path: Path) -> None:
    path = tmp_path / "rows.c"
    path.write_text(ROWS.format(**USUAL | changed))
    (kernel,) = translate(str(path), Options(runtime=False)).report.kernels
    assert kernel.kept_rows == kept
    told = [line for line in kernel_paragraph(kernel).splitlines() if line.startswith("  kept ")]
    assert told == ["  kept        in registers, elements that lanes walk again: 16 of in a thread"] * bool(kept)


@pytest.mark.parametrize(
    "changed",
    [
        {"wide": "8192"},  # more than registers hold
        {"wide": "4096", "ctype": "double"},
        {"end": "WIDE - 1"},  # another part of the row
        {"end": "m"},
        {"second": "out[r * WIDE + j] = in[r * WIDE + WIDE - 1 - j] / sum;"},
        {"first": "if (j % m) sum += in[r * WIDE + j];"},  # some elements only
        {"first": "sum += j % m ? in[r * WIDE + j] : 1;"},
        {
            "first": "sum += in[row * WIDE + j];",
            "between": "row = (r + 1) % n;",
            "second": "out[r * WIDE + j] = in[row * WIDE + j] / sum;",
        },
        {"ctype": "volatile float"},
    ],
)
def test_what_stays_in_memory(changed: dict[str, str], tmp_path: Path) -> None:
    assert all("in_row" not in kernel for kernel in kernels(tmp_path, **changed))


def test_rows_that_the_kernel_writes(tmp_path: Path) -> None:
    path = tmp_path / "rows.c"
    text = ROWS.format(**USUAL).replace("restrict ", "")
    path.write_text(text)
    device = translate(str(path), Options(runtime=False)).device
    careful = device.partition("f_L5_kernel_overlapping(")[2].partition("\n}")[0]
    assert careful.count("in[r*WIDE + j]") == 2
    assert "in_row" in device
    path.write_text(text.replace("const float *in", "float *in").replace("out[r * WIDE + j] =", "in[r * WIDE + j] ="))
    assert "in_row" not in translate(str(path), Options(runtime=False)).device


def test_the_version_without_tiles_serves_arrays_that_overlap(tmp_path: Path) -> None:
    path = tmp_path / "rows.c"
    text = ROWS.format(**USUAL | {"first": "sum += in[r * WIDE + j] * w[j % m];"}).replace("restrict ", "")
    text = text.replace("float *out)", "float *out, const float *w)").replace("copyin(", "copyin(w[0:m], ")
    path.write_text(text.replace("float sum = 0;", "\n#pragma acc cache(w[0:m])\nfloat sum = 0;"))
    device = translate(str(path), Options(runtime=False, method="rbi")).device
    tiled, uncached = (device.partition(f"_kernel{name}(")[2].partition("\n}")[0] for name in ("", "_uncached"))
    assert "in_row" in tiled
    assert "in_row" not in uncached
    assert uncached.count("in[r*WIDE + j]") == 2


def test_rows_that_pointers_in_memory_may_lead_to(tmp_path: Path) -> None:
    path = tmp_path / "rows.c"
    struct = "struct box {{ float *rows; }};\nvoid f(int n, int m, float *in, struct box *out)"
    text = ROWS.replace("void f(int n, int m, const {ctype} *restrict in, {ctype} *restrict out)", struct)
    text = text.replace("copyout(out[0:n * WIDE])", "present(out[0:1])")
    second = "out->rows[r * WIDE + j] = in[r * WIDE + j] / sum;"
    path.write_text(text.format(**USUAL | {"second": second}))
    assert "in_row" not in translate(str(path), Options(runtime=False)).device


@pytest.mark.parametrize(
    ("changed", "is_kept"),
    [
        ({"again": "if (m > 1)"}, True),
        ({"guard": "if (m > 1)", "again": "if (m > 1)"}, True),
        ({"guard": "if (m > 1)"}, False),
        ({"guard": "if (m > 1)", "again": "if (m > 2)"}, False),
        ({"guard": "if (row > 1)", "between": "row += m;", "again": "if (row > 1)"}, False),
        ({"guard": "if (in[m] > 1)", "again": "if (in[m] > 1)"}, False),
    ],
)
def test_only_what_every_thread_has_loaded(changed: dict[str, str], is_kept: bool, tmp_path: Path) -> None:
    assert all(("in_row" in kernel) == is_kept for kernel in kernels(tmp_path, **changed))
