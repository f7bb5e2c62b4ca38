"""Loops without a directive inside of a parallel one get lanes where that is proved right and worth it."""

from __future__ import annotations

from pathlib import Path

import pytest
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

LOOP = """
void f(int n, int m, const float *restrict a, const int *restrict at, float *restrict b)
{{
#pragma acc parallel loop {clauses} copyin(a[0:n*m], at[0:n]) copy(b[0:n*m])
    for (int i = 1; i < n - 1; ++i) {{
        {body}
    }}
}}
"""
COPY = "b[i*m + j] = a[i*m + j];"


def loops(folder: Path, body: str, clauses: str = "") -> tuple[str, ...]:
    """The loops of a kernel that are spread over blocks or threads."""
    path = folder / "a.c"
    path.write_text(LOOP.format(body=body, clauses=clauses))
    return translate(str(path), Options()).report.kernels[0].loops


@pytest.mark.parametrize(
    "body",
    [
        f"for (int j = 0; j < m; ++j) {COPY}",
        "float s = a[i*m]; for (int j = 0; j < m; ++j) b[i*m + j] = s;",
        f"for (int j = 0; j < m; ++j) {COPY} for (int j = 1; j < m; ++j) b[i*m + j] += 1;",
        "for (int j = 1; j < m - 1; ++j) { float s = 0; for (int k = 0; k < m; ++k) s += a[i*m + k]; b[i*m + j] = s; }",
        "float *row = b + i*m; for (int j = 0; j < m; ++j) row[j] = a[i*m + j];",
        f"\n#pragma acc cache(a[i*m:1])\nfor (int j = 0; j < m; ++j) {COPY}",
        f"int j; for (j = 0; j < m; ++j) {COPY}",
    ],
)
def test_independent_loops_get_lanes(body: str, tmp_path: Path) -> None:
    assert loops(tmp_path, body) == ("i", "j")


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("for (unsigned j = 1; j < m - 1; ++j) b[i*m + j] = a[(i - 1)*m + j];", ("i", "j")),  # also modulo 2**32
        ("for (unsigned j = 1; j < m - 1; ++j) b[i*m - j] = a[(i - 1)*m + j];", ("i", "j")),
        ("for (unsigned j = 1; j < m - 1; ++j) b[i*m + j] = b[i*m + j - 1];", ("i",)),
        ("for (unsigned long j = 1; j < m - 1; ++j) b[i*m + (unsigned)j] = a[j];", ("i",)),  # j + 2**32 is another one
        ("for (unsigned j = 1; j < m - 1; ++j) for (unsigned k = 0; k < m; ++k) b[i*m + j + k] = a[j];", ("i",)),
    ],
)
def test_unsigned_subscripts_that_may_wrap_part_iterations(body: str, found: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(LOOP.format(body=body, clauses="").replace("int n, int m", "unsigned n, unsigned m"))
    path.write_text(path.read_text().replace("int i = 1", "unsigned i = 1"))
    assert translate(str(path), Options()).report.kernels[0].loops == found


@pytest.mark.parametrize(
    ("body", "clauses"),
    [
        ("for (int j = 1; j < m; ++j) b[i*m + j] = b[i*m + j - 1];", ""),  # one iteration needs another
        ("for (int j = 0; j < m; ++j) b[at[i] + j] = a[j];", "worker"),  # the levels are the user's
        (f"for (int j = 0; j < m; ++j) {COPY}", "gang vector"),
        (f"for (int j = 0; j < m; ++j) {COPY}", "vector"),
        (f"for (int j = 0; j < 4; ++j) {COPY}", ""),  # few iterations
        (f"for (int j = 0; j < m; ++j) {{ if (a[j] > 2) break; {COPY} }}", ""),
        (f"float s = 0; for (int j = 0; j < m; ++j) {COPY} for (int j = 0; j < m; ++j) s += a[j]; b[i*m] = s;", ""),
        ("float s = 0; for (int j = 0; j < m; ++j) s += a[i*m + j]; b[i*m] = s;", ""),
        ("for (int j = 0; j < m; ++j) b[j*n + i] = a[j*n + i];", ""),  # neighbours are in the outer loop
        (f"while (n > m) for (int j = 0; j < m; ++j) {COPY}", ""),
        (f"\n#pragma acc loop seq\nfor (int j = 0; j < m; ++j) {COPY}", ""),
        ("for (int j = 0; j < m; ++j) b[at[j] + i] = a[i*m + j];", ""),
    ],
)
def test_others_stay_with_one_thread(body: str, clauses: str, tmp_path: Path) -> None:
    assert loops(tmp_path, body, clauses) == ("i",)


def test_loops_of_arrays_that_overlap_stay_with_one_thread(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(LOOP.format(body=f"for (int j = 0; j < m; ++j) {COPY}", clauses="").replace("restrict", ""))
    found = translate(str(path), Options(runtime=False))
    assert found.report.kernels[0].loops == ("i", "j")
    assert found.report.kernels[0].otherwise == "overlapping"
    assert "for (int j = 0; j < m; ++j)" in found.device.partition("_kernel_overlapping(")[2]


def test_nothing_is_said_of_loops_nobody_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(LOOP.format(body="for (int j = 1; j < m; ++j) b[i*m + j] = b[i*m + j - 1];", clauses=""))
    assert not translate(str(path), Options()).diagnostics


BODIES = {
    "rows": "for (int j = 1; j < m - 1; ++j) b[i*m + j] = a[i*m + j - 1] + a[i*m + j + 1] + a[(i-1)*m + j];",
    "scalars": "float s = a[i*m], t = 0; t += s; for (int j = 0; j < m; ++j) { float u = t + j; b[i*m + j] = u * s; }",
    "two": f"for (int j = 0; j < m; ++j) {COPY} for (int j = 1; j < m; ++j) b[i*m + j] *= 3;",
    "counter": f"int j; for (j = 0; j < m; ++j) {COPY}",
    "down": f"for (int j = m - 1; j >= 0; --j) {COPY}",
    "inner": "for (int j = 0; j < m; ++j) { float s = 0; for (int k = 0; k <= j; ++k) s += a[i*m + k]; "
    "b[i*m + j] = s; }",
    "triangle": f"for (int j = i; j < m; ++j) {COPY}",
    "branch": f"if (i % 2) {{ b[i*m] = 9; }} for (int j = 1; j < m; ++j) {COPY}",
}
MAIN = """
#include <stdio.h>
#include <stdlib.h>
{function}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), m = atoi(argv[2]), seed = atoi(argv[3]);
    float *a = malloc(sizeof(float) * (n*m + 1)), *b = malloc(sizeof(float) * (n*m + 1));
    int *at = malloc(sizeof(int) * (n + 1));
    for (int i = 0; i < n*m; ++i) {{
        a[i] = (i * 7 + seed) % 11 - 4;
        b[i] = i % 5;
    }}
    for (int i = 0; i < n; ++i)
        at[i] = i;
    {name}_f(n, m, a, at, b);
    for (int i = 0; i < n*m; ++i)
        printf("%g%c", b[i], i % m == m - 1 ? '\\n' : ' ');
    return 0;
}}
"""


@pytest.mark.parametrize("check", [pytest.param(False, marks=pytest.mark.thorough), True])
def test_results_are_those_of_plain_c(check: bool, tmp_path: Path) -> None:
    cases = []
    for name, body in BODIES.items():
        function = LOOP.format(body=body, clauses="").replace("void f(", f"void {name}_f(")
        program = Program(
            name, MAIN.format(name=name, function=function), ((4, 5), (9, 40), (35, 131)), (), cached=False
        )
        cases.append(Case(program, Options()))
    assert Batch(tmp_path, cases).differences(check=check) == []
