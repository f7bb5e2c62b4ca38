"""Inner loops that stride through memory: which nests lanes take crosswise, and that results are the program's."""

from __future__ import annotations

from pathlib import Path

import pytest
from families import parts
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache import explain
from accache.base.options import Options
from accache.driver import translate

FUNCTION = """
void {name}_f(int n, int m, const {type} *restrict a, const {type} *restrict x, {type} *y, {type} *z)
{{
#pragma acc parallel loop {outer} copyin(a[0:n*m], x[0:n+m]) copy(y[0:m], z[0:n*m])
    for (int j = 0; j < m; ++j) {{
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
    {type} *a = malloc(sizeof *a * (n*m + 1)), *x = malloc(sizeof *x * (n + m)), *y = malloc(sizeof *y * m);
    {type} *z = malloc(sizeof *z * (n*m + 1));
    for (int i = 0; i < n*m; ++i)
        a[i] = (i * 7 + seed) % 11 - 4, z[i] = i % 13;
    for (int i = 0; i < n + m; ++i)
        x[i] = i % 3;
    for (int i = 0; i < m; ++i)
        y[i] = i % 5;
    {name}_f(n, m, a, x, y, z);
    for (int i = 0; i < m; ++i)
        printf("%g ", (double)y[i]);
    for (int i = 0; i < n*m; ++i)
        printf("%g ", (double)z[i]);
    return 0;
}}
"""
SUM = "\n#pragma acc loop {inner} reduction(+:sum)\nfor (int i = 0; i < n; ++i)\nsum += a[i*m + j] * x[i];\n"
CROSSWISE = {
    "sum": "float sum = 0;" + SUM + "y[j] = sum;",
    "added": "float sum = y[j];" + SUM + "y[j] += 2 * sum;",
    "several": "int most = -9, count = 0; double sum = 1;\n#pragma acc loop {inner} reduction(max:most) "
    "reduction(+:count, sum)\n"
    "for (int i = 0; i < n; ++i) {{ count += a[i*m + j] > 2; most = a[i*m + j] > most ? a[i*m + j] : most; "
    "sum += z[i*m + j]; }}\ny[j] = most + 100 * count; y[j] += sum;",
    "centred": "float sum = 0;" + SUM + "const float mean = sum > 0 ? 3 : 5;\n#pragma acc loop {inner}\n"
    "for (int i = 0; i < n; ++i)\nz[i*m + j] = a[i*m + j] - mean;\ny[j] = mean;",
    "through_memory": "y[j] = 2; float sum = 0;\n#pragma acc loop {inner} reduction(+:sum)\n"
    "for (int i = 0; i < n; ++i)\nsum += a[i*m + j] * y[j];\ny[j] = sum;\n"
    "#pragma acc loop {inner}\nfor (int i = 0; i < n; ++i)\nz[i*m + j] += y[j];",
    "written_then_read": "float sum = 0, other = 0;" + SUM + "\n#pragma acc loop {inner}\nfor (int i = 0; i < n; ++i)\n"
    "z[i*m + j] = sum + i;\n#pragma acc loop {inner} reduction(+:other)\nfor (int i = 0; i < n; ++i)\n"
    "other += z[(n - 1 - i)*m + j];\ny[j] = other;",
    "triangle": "float sum = 0;\n#pragma acc loop {inner} reduction(+:sum)\n"
    "for (int i = j % 7; i < n - j % 3; i += 2)\n"
    "sum += a[i*m + j];\ny[j] = sum;",
    "inside": "float sum = 0;\n#pragma acc loop {inner} reduction(+:sum)\nfor (int i = 0; i < n; ++i)\n"
    "for (int k = i; k < n; k += 9)\nsum += a[k*m + j] * a[i*m + j];\ny[j] = sum;",
}
LEFT = {
    "rows": "float sum = 0;\n#pragma acc loop {inner} reduction(+:sum)\nfor (int i = 0; i < n; ++i)\n"
    "sum += a[j*n + i] * x[i];\ny[j] = sum;",
    "array": "float own[64], sum = 0;\n#pragma acc loop {inner}\nfor (int i = 0; i < 64; ++i)\nown[i] = x[i % n] + j;"
    + SUM
    + "y[j] = sum + own[j % 64];",
    "few": "float sum = 0;\n#pragma acc loop {inner} reduction(+:sum)\nfor (int i = 0; i < 8; ++i)\n"
    "sum += i < n ? a[i*m + j] : 0;\ny[j] = sum;",
    "captured": "float sum = 0;"
    + SUM
    + "const float before = y[j]++; z[j] = before;\n#pragma acc loop {inner} reduction(+:sum)\n"
    "for (int i = 0; i < n; ++i)\nsum += a[i*m + j] + before;\ny[j] += sum;",
    "condition": "float sum = 0; if (j % 2) {{" + SUM + "}}\ny[j] = sum;",
}


def source(name: str, body: str, outer: str = "", inner: str = "", element: str = "float") -> str:
    """A function with one nest."""
    return FUNCTION.format(name=name, body=body.format(inner=inner), outer=outer, type=element)


def text(body: str, folder: Path, outer: str = "", inner: str = "") -> str:
    """What is emitted for a nest."""
    path = folder / "a.c"
    path.write_text(source("t", body, outer, inner))
    return translate(str(path), Options(runtime=False)).device


@pytest.mark.parametrize(("outer", "inner"), [("", ""), ("gang", "vector"), ("gang", "")])
def test_lanes_have_columns_and_warps_have_rows(outer: str, inner: str, tmp_path: Path) -> None:
    found = text(CROSSWISE["sum"], tmp_path, outer, inner)
    kernel, _, other = found.partition("_kernel_lengthwise(")
    assert "const int j = 32*blockIdx.x + threadIdx.x;" in kernel
    assert "for (int i = threadIdx.y; i < n; i += 16)" in kernel
    assert "accache_reduce_y<accache_plus<float>, 32, 16>(sum)" in kernel
    assert "for (int i = threadIdx.x; i < n; i += 128)" in other
    assert "if ((size_t)grid.x >= 16) {" in other


@pytest.mark.parametrize("name", LEFT)
def test_other_nests_are_spread_as_they_are_written(name: str, tmp_path: Path) -> None:
    assert "accache_reduce_y<" not in text(LEFT[name], tmp_path)


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ("gang vector", "seq"),
        ("num_gangs(7)", ""),
        ("vector_length(64)", ""),
        ("gang(static:1)", "vector(32)"),
        ("", "auto"),
    ],
)
def test_what_the_user_says_of_levels_and_sizes_counts(outer: str, inner: str, tmp_path: Path) -> None:
    body = CROSSWISE["sum"] if inner != "seq" else CROSSWISE["sum"].replace(" reduction(+:sum)", "")
    assert "accache_reduce_y<" not in text(body, tmp_path, outer, inner)


def test_a_length_that_is_known_decides_at_once(tmp_path: Path) -> None:
    long = text(CROSSWISE["sum"].replace("[j]", "[j % m]"), tmp_path)
    assert "_lengthwise" in long
    path = tmp_path / "a.c"
    for columns, is_crosswise in ((4096, True), (250, False)):
        path.write_text(source("t", CROSSWISE["sum"]).replace("j < m", f"j < {columns}"))
        found = translate(str(path), Options(runtime=False)).device
        assert ("accache_reduce_y<" in found) == is_crosswise
        assert "_lengthwise" not in found


def test_it_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(source("t", CROSSWISE["sum"]))
    found = explain(path).kernels[0]
    assert (found.block, found.fewest_blocks) == ((32, 16, 1), 16)


SIZES = ((0, 512), (1, 513), (17, 512), (70, 481), (3, 3))


@pytest.mark.parametrize("names", parts((*CROSSWISE, *LEFT), 2))
def test_results_are_those_of_the_program(names: list[str], tmp_path: Path) -> None:
    cases = []
    for name in names:
        body = {**CROSSWISE, **LEFT}[name]
        element = "double" if name == "sum" else "float"
        function = source(name, body, element=element)
        whole = PROGRAM.format(name=name, function=function, type=element)
        sizes = [(n, m) for n, m in SIZES if n > 0 or name in CROSSWISE]
        cases.append(Case(Program(name, whole, tuple(sizes), (), cached=False), Options()))
    batch = Batch(tmp_path, cases)
    crosswise = {member.case.program.name for member in batch.members if "accache_reduce_y<" in member.device}
    assert crosswise == {*CROSSWISE} & {*names}
    assert batch.differences(check=True) == []
