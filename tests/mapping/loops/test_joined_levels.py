"""Loops over gangs that hold nothing but a loop over vectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
void f(int n, int m, const float *restrict a, float *restrict b)
{{
#pragma acc parallel loop {outer} copyin(a[0:n*m]) copy(b[0:n*m])
    {nest}
}}
"""
ROWS = "for (int i = 0; i < n; ++i) {"
LANES = "\n#pragma acc loop vector\n for (int j = "
LANES_OF_32 = LANES.replace("vector", "vector(32)")
ROW = "b[i * m + j] = 2 * a[i * m + j]; }"
SQUARES = """
#pragma acc loop vector collapse(2)
    for (int j = 0; j < 8; ++j)
        for (int k = 0; k < 8; ++k)
            b[i * m + j * 8 + k] = 2 * a[i * m + j * 8 + k]; }"""
STRIPS = "for (int k = 0; k < m; k += 64) {"
STRIP = "b[j] = 2 * a[j]; }"


def grid(outer: str, nest: str, folder: Path) -> str:
    source = folder / "a.c"
    source.write_text(PROGRAM.format(outer=outer, nest=nest))
    device = translate(str(source), Options()).device
    return next(line.strip() for line in device.splitlines() if "const dim3 grid(" in line)


@pytest.mark.parametrize(
    ("outer", "nest", "expected"),
    [
        ("gang", f"{ROWS}{LANES}0; j < m; ++j) {ROW}", "(j_count + 31) / 32, (i_count + 7) / 8"),
        ("", f"{ROWS}{LANES}0; j < m; ++j) {ROW}", "(j_count + 31) / 32, (i_count + 7) / 8"),
        (
            "gang",
            f"{ROWS}\n#pragma acc loop\nfor (int j = 0; j < m; ++j) {ROW}",
            "(j_count + 31) / 32, (i_count + 7) / 8",
        ),
        ("gang", f"{ROWS}\n#pragma acc loop seq\nfor (int j = 0; j < m; ++j) {ROW}", "(i_count + 255) / 256"),
        ("gang worker", f"{ROWS}{LANES}0; j < m; ++j) {ROW}", "(j_count + 31) / 32, (i_count + 7) / 8"),
        ("gang worker num_workers(4)", f"{ROWS}{LANES}0; j < m; ++j) {ROW}", "(i_count + 3) / 4"),
        ("gang worker(4)", f"{ROWS}{LANES}0; j < m; ++j) {ROW}", "(i_count + 3) / 4"),
        ("gang vector_length(128)", f"{ROWS}{LANES}0; j < m; ++j) {ROW}", "(j_count + 31) / 32, (i_count + 3) / 4"),
        ("gang vector_length(64)", f"{ROWS}{LANES}0; j < m; ++j) {ROW}", "(j_count + 31) / 32, (i_count + 7) / 8"),
        ("gang vector_length(32)", f"{ROWS}{LANES}0; j < m; ++j) {ROW}", "(j_count + 31) / 32, (i_count + 7) / 8"),
        ("gang", f"{ROWS}{LANES_OF_32}0; j < m; ++j) {ROW}", "(j_count + 31) / 32, (i_count + 7) / 8"),
        ("gang vector_length(16)", f"{ROWS}{LANES}0; j < m; ++j) {ROW}", "(j_count + 31) / 32, i_count"),
        ("gang num_workers(1) vector_length(32)", f"{ROWS}{LANES}0; j < m; ++j) {ROW}", "(j_count + 31) / 32, i_count"),
        ("gang", f"{ROWS}{SQUARES}", "1, 2, (i_count + 7) / 8"),
        ("gang", f"{STRIPS}{LANES}k; j < (k + 64 < m ? k + 64 : m); ++j) {STRIP}", "(j_count + 255) / 256"),
        ("gang", f"{STRIPS}{LANES}k; j < (m < 64 + k ? m : k + 64); ++j) {STRIP}", "(j_count + 255) / 256"),
        (
            "gang",
            "for (int h = 0; h < n; ++h) {\n#pragma acc loop worker\n" + f"{ROWS}{LANES}0; j < m; ++j) {ROW} }}",
            "(j_count + 31) / 32, (i_count + 3) / 4, (h_count + 1) / 2",
        ),
        (
            "gang",
            f"{ROWS}{LANES.replace('vector', 'worker vector')}0; j < m; ++j) {ROW}",
            "(j_count + 31) / 32, (i_count + 7) / 8",
        ),
        (
            "gang",
            "for (int h = 0; h < n; ++h) {\n#pragma acc loop gang\n" + f"{ROWS}{LANES}0; j < m; ++j) {ROW} }}",
            "(j_count + 31) / 32, (i_count + 3) / 4, (h_count + 1) / 2",
        ),
        (
            "gang collapse(2)",
            f"{ROWS} {STRIPS}{LANES}k; j < (k + 64 > m ? m : k + 64); ++j) {ROW} }}",
            "(j_count + 31) / 32, (i_count + 7) / 8",
        ),
    ],
)
def test_both_are_one_nest(outer: str, nest: str, expected: str, tmp_path: Path) -> None:
    assert grid(outer, nest, tmp_path) == f"const dim3 grid({expected});"


@pytest.mark.parametrize(
    ("outer", "nest"),
    [
        ("gang", f"{ROWS}{LANES}i; j < m; ++j) {ROW}"),
        ("gang", f"{ROWS} b[i * m] = 0; {LANES}0; j < m; ++j) {ROW}"),
        ("gang num_gangs(7)", f"{ROWS}{LANES}0; j < m; ++j) {ROW}"),
        (
            "gang num_workers(2)",
            "for (int h = 0; h < n; ++h) {\n#pragma acc loop worker\n" + f"{ROWS}{LANES}0; j < m; ++j) {ROW} }}",
        ),
        ("gang private(n)", f"{ROWS}{LANES}0; j < m; ++j) {ROW}"),
        ("gang", f"{STRIPS}{LANES}k; j < (k + 63 < m ? k + 63 : m); ++j) {STRIP}"),
        ("gang", f"{STRIPS}{LANES}k; j < (k + 64 < n ? k + 64 : n); ++j) {STRIP}"),
        ("gang", f"{STRIPS}{LANES}k; j < (k + 64 < m ? m : k + 64); ++j) {STRIP}"),
        ("gang", f"{STRIPS}{LANES}k + 1; j < (k + 64 < m ? k + 64 : m); ++j) {STRIP}"),
        ("gang", f"{STRIPS}{LANES}k; j < (k + 64 < m ? k + 64 : m); ++j) b[j] = a[k]; }}"),
    ],
)
def test_gangs_keep_what_depends_on_them(outer: str, nest: str, tmp_path: Path) -> None:
    assert "j_count" not in grid(outer, nest, tmp_path)


@pytest.mark.parametrize("clause", ["private", "firstprivate"])
@pytest.mark.parametrize("level", ["vector", ""])
@pytest.mark.parametrize("directive", ["", "#pragma acc cache(own[0:64])"])
def test_gangs_keep_arrays_of_their_own(clause: str, level: str, directive: str, tmp_path: Path) -> None:
    """A block with several rows would have one array for all of them."""
    source = tmp_path / "a.c"
    source.write_text(f"""
void f(int n, const float *restrict a, float *restrict b)
{{
    float own[64] = {{0}};
#pragma acc parallel {clause}(own) copyin(a[0:n*64]) copy(b[0:n*64])
#pragma acc loop gang
    for (int i = 0; i < n; ++i) {{
#pragma acc loop {level}
        for (int j = 0; j < 64; ++j) {{
{directive}
            own[j] = a[i*64 + j];
            b[i*64 + j] += own[j];
        }}
    }}
}}
""")
    assert "const dim3 grid(i_count);" in translate(str(source), Options(runtime=False)).device


def test_four_loops_are_more_than_there_are_axes(tmp_path: Path) -> None:
    found = grid("gang collapse(2)", "for (int h = 0; h < n; ++h)\n" + f"{ROWS}{SQUARES}", tmp_path)
    assert found == "const dim3 grid(i_count, h_count);"
