"""Nests that reduce: which iterations of the outer loop get a warp each, and that results are the program's."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from families import parts
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache import explain
from accache.base.options import Options
from accache.driver import translate

FUNCTION = """
void {name}_f(int n, int m, const int *first, const {type} *restrict a, const {type} *restrict x, {type} *y, {type} *z)
{{
#pragma acc parallel loop {outer} copyin(first[0:n+1], a[0:n*m], x[0:m]) copy(y[0:n], z[0:n*m])
    for (int i = 0; i < n; ++i) {{
{body}
    }}
}}
"""
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
{function}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), m = atoi(argv[2]), seed = atoi(argv[3]);
    {type} *a = malloc(sizeof *a * (n*m + 1)), *x = malloc(sizeof *x * m), *y = malloc(sizeof *y * n);
    {type} *z = malloc(sizeof *z * (n*m + 1));
    int *first = malloc(sizeof *first * (n + 1));
    for (int i = 0; i < n*m; ++i)
        a[i] = (i * 7 + seed) % 11 - 4, z[i] = i % 13;
    for (int i = 0; i < m; ++i)
        x[i] = i % 3;
    first[0] = 0;
    for (int i = 0; i < n; ++i)
        y[i] = i % 5, first[i + 1] = first[i] + i % m;
    {name}_f(n, m, first, a, x, y, z);
    for (int i = 0; i < n; ++i)
        printf("%g ", (double)y[i]);
    for (int i = 0; i < n*m; ++i)
        printf("%g ", (double)z[i]);
    return 0;
}}
"""
SUM = "\n#pragma acc loop {inner} reduction(+:sum)\nfor (int j = 0; j < m; ++j)\nsum += a[i*m + j] * x[j];\n"
WARPS = {
    "sum": "float sum = 0;" + SUM + "y[i] = sum;",
    "added": "float sum = y[i];" + SUM + "y[i] += 2 * sum;",
    "several": "int most = -9, count = 0; double sum = 1;\n#pragma acc loop {inner} reduction(max:most) "
    "reduction(+:count, sum)\n"
    "for (int j = 0; j < m; ++j) {{ count += a[i*m + j] > 2; most = a[i*m + j] > most ? a[i*m + j] : most; "
    "sum += z[i*m + j]; }}\ny[i] = most + 100 * count; y[i] += sum;",
    "centred": "float sum = 0;" + SUM + "const float mean = sum > 0 ? 3 : 5;\n#pragma acc loop {inner}\n"
    "for (int j = 0; j < m; ++j)\nz[i*m + j] = a[i*m + j] - mean;\ny[i] = mean;",
    "written_then_read": "float sum = 0, other = 0;" + SUM + "\n#pragma acc loop {inner}\nfor (int j = 0; j < m; ++j)\n"
    "z[i*m + j] = sum + j;\n#pragma acc loop {inner} reduction(+:other)\nfor (int j = 0; j < m; ++j)\n"
    "other += z[i*m + m - 1 - j];\ny[i] = other;",
    "sparse": "float sum = 0;\n#pragma acc loop {inner} reduction(+:sum)\n"
    "for (int k = first[i]; k < first[i + 1]; ++k)\nsum += a[k] * x[k % m];\ny[i] = sum;",
    "normalised": "float sum = 0;\n#pragma acc loop {inner} reduction(+:sum)\nfor (int j = 0; j < m; ++j) "
    "{{ z[i*m + j] = x[j]; sum += z[i*m + j]; }}\n#pragma acc loop {inner}\nfor (int j = 0; j < m; ++j) "
    "z[i*m + m - 1 - j] += sum;\ny[i] = sum;",
    "conditions": "float sum = 0; int count = 0; if (i % 3) {{" + SUM + "if (sum > 3) {{ z[i*m] = 1;\n"
    "#pragma acc loop {inner} reduction(+:count)\nfor (int j = 0; j < m; ++j) count += z[i*m + j] > 1; }} else {{\n"
    "#pragma acc loop {inner}\nfor (int j = 0; j < m; ++j) z[i*m + j] = sum + j; }} }}\ny[i] = sum + 100 * count;",
    "cached": "float sum = 0;\n#pragma acc cache(x[0:m])\n" + SUM + "y[i] = sum;",
}
LEFT = {
    "array": "float own[64], sum = 0;\n#pragma acc loop {inner}\nfor (int j = 0; j < 64; ++j)\nown[j] = x[j % m] + i;"
    + SUM
    + "y[i] = sum + own[i % 64];",
    "changing_condition": "float sum = 0; int k = first[i]; if ((k += 2) % 3) {{" + SUM + "}}\ny[i] = sum + k;",
    "far": "float sum = 0;\n#pragma acc loop {inner} reduction(+:sum)\nfor (int j = 0; j < 5000; ++j)\n"
    "sum += j < m ? a[i*m + j] : 0;\ny[i] = sum;",
}


def source(name: str, body: str, outer: str = "", inner: str = "", element: str = "float") -> str:
    """A function with one nest."""
    return FUNCTION.format(name=name, body=body.format(inner=inner), outer=outer, type=element)


def text(body: str, folder: Path, outer: str = "", inner: str = "", wide: str = "auto") -> str:
    """What is emitted for a nest."""
    path = folder / "a.c"
    path.write_text(source("t", body, outer, inner))
    return translate(str(path), Options(runtime=False, wide=wide)).device


@pytest.mark.parametrize(("outer", "inner"), [("", ""), ("gang", "vector"), ("gang", "")])
def test_each_warp_has_a_row(outer: str, inner: str, tmp_path: Path) -> None:
    found = text(WARPS["sum"], tmp_path, outer, inner, wide="off")
    kernel, _, other = found.partition("_kernel_lengthwise(")
    assert "const int i = 4*blockIdx.x + threadIdx.y;" in kernel
    assert "for (int j = threadIdx.x; j < m; j += 32)" in kernel
    assert "accache_reduce_x<accache_plus<float>, 32, 4>(sum)" in kernel
    assert "for (int j = threadIdx.x; j < m; j += 128)" in other
    assert "if (m <= 4096 && (size_t)grid.x >= 64) {" in other


@pytest.mark.parametrize(
    ("again", "longest"),
    [
        ("z[i*m + j] = a[i*m + j] - sum;", 1024),
        ("z[i*m + j] = (a + i*m)[j] - sum;", 1024),
        ("z[i*m + j] = a[j] - sum;", 4096),
        ("z[i*m + j] = x[j] - sum;", 4096),
        ("z[i*m + j] = a[i*m + m - 1 - j] - sum;", 4096),
    ],
)
def test_rows_that_are_walked_again_stay_in_registers(again: str, longest: int, tmp_path: Path) -> None:
    body = "float sum = 0;" + SUM + f"\n#pragma acc loop\nfor (int j = 0; j < m; ++j) {again}"
    found = text(body, tmp_path, wide="off")
    assert f"if (m <= {longest} && (size_t)grid.x >= 64) {{" in found
    wide = text(body.replace("sum += a", "sum += 2*a"), tmp_path)
    assert len(re.findall(rf"&& m <= {longest} &&|\(m <= {longest} &&", wide)) >= 1
    assert "4096" not in wide or longest == 4096
    for length in (600, 1000, 2000):
        known = text(body.replace("m; ++j", f"{length}; ++j"), tmp_path)
        assert ("_lengthwise(" in known) == (length <= longest), length


@pytest.mark.parametrize(
    ("first", "again", "lengths"),
    [
        # it is written
        ("sum += z[i*m + j];", "for (int j = 0; j < m; ++j) z[i*m + j] = z[i*m + j] - sum;", "m <= 512"),
        # another part of it
        (
            "sum += a[i*m + j];",
            "for (int j = 0; j < m - 1; ++j) z[i*m + j] = a[i*m + j] - sum;",
            "m <= 512 && (long long)m - 1 <= 512",
        ),
    ],
)
def test_rows_that_registers_cannot_hold_stay_in_l1(first: str, again: str, lengths: str, tmp_path: Path) -> None:
    loop = "#pragma acc loop {inner}"
    loops = (f"{loop} reduction(+:sum)\nfor (int j = 0; j < m; ++j) {first}", f"{loop}\n{again}")
    found = text("\n".join(("float sum = 0;", *loops)), tmp_path, wide="off")
    assert f"if ({lengths} && (size_t)grid.x >= 64) {{" in found


def test_rows_that_begin_anywhere_stay_in_l1(tmp_path: Path) -> None:
    body = f"float sum = 0;{SUM}\n#pragma acc loop\nfor (int j = 0; j < m; ++j) z[i*m + j] = a[i*m + j] - sum;"
    found = text(body.replace("j = 0", "j = n"), tmp_path, wide="off")
    assert "if ((long long)m - n <= 512 && (size_t)grid.x >= 64) {" in found


def test_each_warp_has_a_row_that_it_sums_under_a_condition(tmp_path: Path) -> None:
    kernel, _, other = text(WARPS["conditions"], tmp_path, wide="off").partition("_kernel_lengthwise(")
    assert "const int i = 4*blockIdx.x + threadIdx.y;" in kernel
    assert "__syncthreads" not in kernel[kernel.index("t_f_L4_kernel(") :]
    assert "const int i = blockIdx.x;" in other


@pytest.mark.parametrize(("outer", "inner"), [("vector_length(32)", "vector"), ("gang", "vector(32)")])
def test_several_vectors_of_one_warp_share_a_block(outer: str, inner: str, tmp_path: Path) -> None:
    kernel, _, other = text(WARPS["sum"], tmp_path, outer, inner, wide="off").partition("_kernel_lengthwise(")
    assert "__launch_bounds__(128)" in kernel
    assert "const int i = 4*blockIdx.x + threadIdx.y;" in kernel
    assert "for (int j = threadIdx.x; j < m; j += 32)" in kernel
    assert "for (int j = threadIdx.x; j < m; j += 32)" in other
    assert "if ((size_t)grid.x >= 64) {" in other  # rows may have any length


def test_long_rows_keep_the_warp_that_is_asked_for(tmp_path: Path) -> None:
    found = text(LEFT["far"], tmp_path, "vector_length(32)", "vector")
    assert "const int i = 4*blockIdx.x + threadIdx.y;" in found
    assert "j < 5000" in found


def test_warps_that_have_rows_of_their_own_wait_for_no_others_before_a_sum(tmp_path: Path) -> None:
    found = text(WARPS["normalised"], tmp_path, wide="off")
    kernel = found[found.index("t_f_L4_kernel(") :].partition("\n}")[0]
    before, reduction, _ = kernel.partition("accache_reduce_x<")
    assert reduction
    assert "__syncthreads" not in before


def test_warps_that_share_a_tile_wait_for_each_other(tmp_path: Path) -> None:
    body = "float sum = 0; for (int l = 0; l < m; l += 32) {{ float part = 0;\n#pragma acc cache(x[l:32])\n"
    body += "\n#pragma acc loop vector reduction(+:part)\nfor (int k = l; k < (l + 32 < m ? l + 32 : m); ++k)\n"
    body += "part += a[i*m + k] * x[k];\nsum += part; }}\ny[i] = sum;"
    path = tmp_path / "a.c"
    path.write_text(source("t", body, "gang worker num_workers(4) vector_length(32)"))
    found = translate(str(path), Options(runtime=False, method="rbi", tune="off")).device
    kernel = found[found.index("t_f_L4_kernel(") :].partition("\n}")[0]
    fetch, reduction, behind = kernel.partition("accache_reduce_x<")
    assert reduction
    assert "__syncthreads" in fetch.partition("x_fetch(")[2]
    assert "__syncthreads" in behind


def test_a_directive_that_does_not_pay_changes_nothing(tmp_path: Path) -> None:
    assert "accache_reduce_x<accache_plus<float>, 32, 4>(sum)" in text(WARPS["cached"], tmp_path)


@pytest.mark.parametrize("name", LEFT)
def test_other_nests_are_spread_as_they_are_written(name: str, tmp_path: Path) -> None:
    assert "32, 4>(sum)" not in text(LEFT[name], tmp_path)


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ("num_gangs(7)", ""),
        ("vector_length(64)", ""),
        ("num_gangs(7) vector_length(32)", "vector"),
        ("num_workers(1) vector_length(32)", "vector"),
        ("gang", "vector(64)"),
        ("gang(static:1)", "vector(64)"),
        ("gang worker", "vector(64)"),
    ],
)
def test_what_the_user_says_of_levels_and_sizes_counts(outer: str, inner: str, tmp_path: Path) -> None:
    assert "32, 4>(sum)" not in text(WARPS["sum"], tmp_path, outer, inner)


def test_a_number_of_rows_that_is_known_decides_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    body = WARPS["sum"].replace("j < m", "j < 64")
    for rows, has_warps in ((4096, True), (255, False)):
        path.write_text(source("t", body).replace("i < n", f"i < {rows}"))
        found = translate(str(path), Options(runtime=False)).device
        assert ("accache_reduce_x<" in found) == has_warps
        assert "_lengthwise" not in found
    path.write_text(source("t", WARPS["sum"]).replace("i < n", "i < 4096"))
    assert "if (m <= 4096 && " in translate(str(path), Options(runtime=False, wide="off")).device


def test_it_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(source("t", WARPS["sum"]))
    found = explain(path).kernels[0]
    assert (found.block, found.fewest_blocks) == ((32, 4, 1), 64)
    assert "each iteration of i has a warp; in launches of fewer than 64 blocks," in str(explain(path))
    assert "over i, j\n" in str(explain(path))


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
def test_nvcc_joins_the_accesses_of_neighbours(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    (tmp_path / "a.c").write_text(source("t", WARPS["sum"]))
    path.write_text(translate(str(tmp_path / "a.c"), Options()).device)
    subprocess.run(["nvcc", "-arch=sm_90", "-ptx", path, "-o", tmp_path / "a.ptx"], check=True, cwd=tmp_path)
    kernel = (tmp_path / "a.ptx").read_text().partition("t_f_L4_kernel")[2].partition("\n}")[0]
    assert kernel.count("ld.global") - kernel.count("ld.global.v4") == 0


def test_results_of_short_vectors_are_those_of_the_program(tmp_path: Path) -> None:
    cases = []
    for name in ("sum", "several", "written_then_read", "array"):
        function = source(name, {**WARPS, **LEFT}[name], "gang vector_length(32)", "vector")
        whole = PROGRAM.format(name=name, function=function, type="float")
        cases.append(Case(Program(name, whole, ((0, 8), *SIZES), (), cached=False), Options()))
    batch = Batch(tmp_path, cases)
    assert sum("32, 4>" in member.device for member in batch.members) == 3
    assert batch.differences(check=True) == []


SIZES = ((255, 8), (256, 64), (257, 33), (300, 5), (3, 3))


@pytest.mark.parametrize("names", parts((*WARPS, *LEFT), 2))
def test_results_are_those_of_the_program(names: list[str], tmp_path: Path) -> None:
    cases = []
    for name in names:
        body = {**WARPS, **LEFT}[name]
        element = "double" if name == "sum" else "float"
        function = source(name, body, element=element)
        whole = PROGRAM.format(name=name, function=function, type=element)
        cases.append(Case(Program(name, whole, SIZES, (), cached=False), Options()))
    batch = Batch(tmp_path, cases)
    warps = {member.case.program.name for member in batch.members if "32, 4>" in member.device}
    assert warps == {*WARPS} & {*names}
    assert batch.differences(check=True) == []
