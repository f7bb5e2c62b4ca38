"""Loops that take neighbouring iterations in groups: what is emitted, where it is not, that results stay right."""

from __future__ import annotations

from pathlib import Path

import pytest
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

ROWS = """
void f(int n, int m, const {type} *restrict a, const {type} *restrict x, {type} *restrict y)
{{
#pragma acc parallel loop gang copyin(a[0:n*m], x[0:m]) copyout(y[0:n*m])
    for (int i = 0; i < n; ++i) {{
{body}
    }}
}}
"""
SUM = """
        {type} sum = 0;
#pragma acc loop vector reduction(+:sum)
        for (int j = {first}; j < {limit}; ++j)
            {statement}
        y[i*m] = sum;
"""
TWICE = """
        int sum = 0, most = -1000;
#pragma acc loop vector reduction(max:most)
        for (int j = 0; j < m; ++j)
            most = a[i*m + j] > most ? a[i*m + j] : most;
#pragma acc loop vector reduction(+:sum)
        for (int j = 0; j < m; ++j) {
            if (a[i*m + j] < 0)
                continue;
            sum += most - a[i*m + j] * x[j];
        }
#pragma acc loop vector
        for (int j = 0; j < m; ++j)
            y[i*m + j] = sum + x[j];
"""
GANG = """
        int row[64];
#pragma acc loop vector
        for (int j = 0; j < 64; ++j)
            row[j] = a[i*m + j % m] + j;
        int sum = 0;
#pragma acc loop vector reduction(+:sum)
        for (int j = 0; j < m / 4 * 4; ++j)
            sum += row[j % 64] * a[i*m + j];
        y[i*m] = sum;
"""


def rows(body: str, ctype: str = "float") -> str:
    """A function that goes through the rows of a matrix."""
    return ROWS.format(body=body, type=ctype)


def row_sums(
    ctype: str = "float", first: str = "0", limit: str = "m", statement: str = "sum += a[i*m + j] * x[j];"
) -> str:
    """A function that reduces each row."""
    return rows(SUM.format(type=ctype, first=first, limit=limit, statement=statement), ctype)


def emitted(folder: Path, text: str, **options: str) -> str:
    """The kernels and the launch of a function."""
    path = folder / "a.c"
    path.write_text(text)
    return translate(str(path), Options(runtime=False, **options)).device


def test_lanes_load_sixteen_bytes_at_once(tmp_path: Path) -> None:
    found = emitted(tmp_path, row_sums())
    wide, _, rest = found.partition("_unaligned(")
    assert "for (int j_base = 4*threadIdx.x; j_base < m; j_base += " in wide
    assert "for (int dj = 0; dj < 4; ++dj) {" in wide
    assert "const int j = j_base + dj;" in wide
    assert "m = accache_multiple<4>(m);" in wide
    assert "for (int j = threadIdx.x; j < m; j += " in rest
    assert "if (accache_aligned({a_device, x_device}) && m % 4 == 0" in rest
    assert "The same without wide accesses of rows, for launches where these are not aligned." in found


def test_a_constant_length_needs_no_test(tmp_path: Path) -> None:
    found = emitted(tmp_path, row_sums(limit="512", statement="sum += a[512*i + j] * x[j];"))
    assert "if (accache_aligned({a_device, x_device})" in found
    assert "% 4 == 0" not in found


@pytest.mark.parametrize(
    "text",
    [
        row_sums(first="1"),
        row_sums(limit="i"),
        row_sums(limit="511", statement="sum += a[512*i + j] * x[j];"),
        row_sums(statement="sum += a[j*n + i];"),
        row_sums(statement="{ if (a[i*m + j] > 3) sum += x[j * n]; }"),
        row_sums("long double"),
    ],
)
def test_other_lanes_are_a_block_apart(text: str, tmp_path: Path) -> None:
    assert "_base" not in emitted(tmp_path, text.replace("long double", "double").replace("j] * x", "2*j] * x"))


@pytest.mark.parametrize("options", [{"wide": "off"}, {"tune": "off"}, {"coarsen": "off"}, {"method": "rbc"}])
def test_a_choice_of_the_users_stays(options: dict[str, str], tmp_path: Path) -> None:
    assert "_base" not in emitted(tmp_path, row_sums(), **options)


def test_explain_says_which_launches_access_several_elements_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(row_sums())
    report = str(translate(str(path), Options()).report)
    assert "in launches where a, x begin at multiples of 16 bytes and m is a multiple of 4" in report
    assert "without tiles, wide accesses of aligned rows, chosen" in report


WALK = """
void f(int n, int m, const {type} *restrict a, const {type} *restrict x, {type} *restrict y)
{{
#pragma acc parallel loop copyin(a[0:n*m], x[0:m]) copyout(y[0:n*m])
    for (int i = 0; i < n; ++i) {{
        {type} sum = 0;
        for (int j = {first}; j < {limit}; ++j) {{
            {statement}
        }}
        y[i*m] = sum;
    }}
}}
"""
SCAN = "sum += a[i*m + j]; y[i*m + j] = sum * x[j];"


def walk(ctype: str = "float", first: str = "0", limit: str = "m", statement: str = SCAN) -> str:
    """A function whose threads each walk along a row of their own."""
    return WALK.format(type=ctype, first=first, limit=limit, statement=statement)


def test_threads_walk_along_rows_of_their_own_by_sixteen_bytes(tmp_path: Path) -> None:
    found = emitted(tmp_path, walk())
    wide, _, rest = found.partition("_unaligned(")
    loop = "for (int j_base = 0; j_base < m; j_base += 4) {"
    assert f"#pragma unroll 1\n            {loop}" in wide or f"#pragma unroll 1\n        {loop}" in wide
    assert "const int j = j_base + dj;" in wide
    assert "for (int j = 0; j < m; ++j) {" in rest
    assert "j_base += 2" in emitted(tmp_path, walk("double"))


@pytest.mark.parametrize(
    "text",
    [
        walk(first="1"),
        walk(limit="i"),
        walk(limit="64", statement="sum += a[64*i + j]; y[64*i + j] = sum;"),  # which compilers unroll themselves
        walk(statement="sum += a[j*n + i]; y[j*n + i] = sum;"),
        walk(statement="if (a[i*m + j] > 9) break; sum += a[i*m + j]; y[i*m + j] = sum;"),
        walk(statement="sum += a[i*m + j]; y[i*m + j] = sum; for (int k = 0; k < j; ++k) sum += x[k];"),
    ],
)
def test_other_threads_walk_element_by_element(text: str, tmp_path: Path) -> None:
    assert "j_base" not in emitted(tmp_path, text)


PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
{function}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), m = atoi(argv[2]), skipped = atoi(argv[3]), seed = atoi(argv[4]);
    int *a = malloc(sizeof(int) * (n*m + 8)), *x = malloc(sizeof(int) * (m + 8)), *y = malloc(sizeof(int) * (n*m + 8));
    for (int i = 0; i < n*m + 8; ++i)
        a[i] = (i * 7 + seed) % 11 - 4;
    for (int i = 0; i < m + 8; ++i)
        x[i] = i % 5;
    for (int i = 0; i < n*m + 8; ++i)
        y[i] = 9;
    {name}_f(n, m, a + skipped, x, y);
    for (int i = 0; i < n; ++i)
        printf("%d %d\\n", y[i*m], y[i*m + m - 1]);
    return 0;
}}
"""
RUNS = tuple(
    (n, m, skipped) for n, m in ((1, 1), (2, 3), (3, 4), (2, 128), (3, 510), (2, 512), (1, 1030)) for skipped in (0, 1)
)


def test_results_are_those_of_the_sequential_program(tmp_path: Path) -> None:
    cases = []
    bodies = {"twice": rows(TWICE, "int"), "gang": rows(GANG, "int"), "scan": walk("int")}
    for name, text in {"sums": row_sums("int"), **bodies}.items():
        function = text.replace("void f(", f"void {name}_f(").replace("copyout(y", "copy(y")
        program = Program(name, PROGRAM.format(name=name, function=function), RUNS, (), cached=False)
        cases.append(Case(program, Options()))
    batch = Batch(tmp_path, cases)
    assert "_base" in batch.members[0].device
    assert batch.differences() == []
    assert batch.differences(check=True) == []
