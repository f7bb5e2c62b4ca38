"""Loops without a directive inside of a parallel one get lanes where that is proved right and worth it."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import accache
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
        "for (int j = 0; j < 3; ++j) b[3*i + j] = a[3*i + j] - a[3*i - 3 + j];",
        "\n#pragma acc cache(a[3*i-3:6])\nfor (int j = 0; j < 3; ++j) b[3*i + j] = a[3*i + j] - a[3*i - 3 + j];",
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
        (f"for (int j = 0; j < 4; ++j) {COPY}", ""),  # few iterations, of which one access has the elements
        (f"for (int j = 0; j < 6; ++j) {COPY}", ""),
        (f"float s = a[at[i]]; for (int j = 0; j < 3; ++j) {COPY}", ""),  # the rest would be done thrice
        ("for (int j = 0; j < 3; ++j) b[j*n + i] = a[j*n + i];", ""),
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


LU = """
#include <stdio.h>
#include <stdlib.h>
typedef struct { int rows, cols; long count; } Size;
typedef struct { Size size; int n; double *data; } Matrix;

void f(int n, double *restrict a, Matrix *m, Matrix v)
{
    double *restrict d = m->data;
    INIT
#pragma acc data copy(a[0:n*n], d[0:n*n]) copyin(m[0:1])
    HEAD {
#pragma acc parallel loop present(a[0:n*n], d[0:n*n])
        for (int i = k + 1; i < n; ++i) {
            BODY
        }
    }
}
int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    double *a = malloc((n*n + 1) * sizeof *a), *b = malloc((n*n + 1) * sizeof *b);
    for (int i = 0; i < n*n; ++i) {
        a[i] = (i * 37 % 101) / 50. + (i % (n + 1) == 0) * n;
        b[i] = i % 7;
    }
    Matrix m = {{n, n, 0}, n, b};
    f(n, a, &m, m);
    for (int i = 0; i < n*n; ++i)
        printf("%g %g%c", a[i], b[i], i % n == n - 1 ? '\\n' : ' ');
    return 0;
}
"""
UP = "for (int k = 0; k < n; ++k)"
ROW = "a[i*n + k] /= a[k*n + k]; for (int j = k + 1; j < n; ++j) a[i*n + j] -= a[i*n + k] * a[k*n + j];"
SCALED = "for (int j = 0; j < m->size.cols; ++j) d[i*m->size.cols + j] += a[i*n + j] * (k + 1);"
BEFORE = {
    "lu": (UP, ROW),
    "declared before": ("for (k = 0; k < n; k++)", ROW),
    "behind a pointer": (UP, SCALED),
    "in a structure": (UP, SCALED.replace("m->", "v.")),
    "rows": (UP, "double *row = d + i*m->n; for (int j = 0; j < m->n; ++j) row[j] *= a[i*n + j] + k;"),
    "both": (UP, f"{ROW} {SCALED}"),
}
NOT_PROVED = {
    "from any number": ("for (int k = m->n - n; k < n; ++k)", ROW),
    "changed": ("for (int k = 0; k < n; ++k, k -= m->n - n)", ROW),
    "may be written": (UP, SCALED.replace("+= a[i*n + j]", "+= ((int *)d)[j]")),
    "written": (
        UP,
        "double *r = d + i*m->n; m->n = 2; for (int j = 0; j < n; ++j) r[j] += d[i*m->n + j];",
    ),
    "a row before": (UP, "for (int j = 1; j < m->n; ++j) d[i*m->n + j] += d[i*m->n + j - 1];"),
    "written in the loop": (UP, "for (int j = 0; j < m->n; ++j) { d[i*m->n + j] = 1; m->n = n; }"),
}


def lu(head: str, body: str, folder: Path) -> Path:
    """A program that goes through a matrix once for each row of it."""
    path = folder / "a.c"
    start = "int k;" if "int k" not in head else ""
    path.write_text(LU.replace("INIT", start).replace("HEAD", head).replace("BODY", body))
    return path


@pytest.mark.parametrize("name", BEFORE)
def test_what_the_host_and_structures_tell_proves_loops_independent(name: str, tmp_path: Path) -> None:
    path = lu(*BEFORE[name], tmp_path)
    assert translate(str(path), Options()).report.kernels[0].loops[:2] == ("i", "j")
    for n in (1, 3, 31, 33, 128, 129) if name in ("lu", "both") else (2, 33):
        for option in ("--check", "--compare") if n < 34 else ("--compare",):
            done = accache("run", option, path, "--", n)
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", NOT_PROVED)
def test_what_may_change_proves_nothing(name: str, tmp_path: Path) -> None:
    assert translate(str(lu(*NOT_PROVED[name], tmp_path)), Options()).report.kernels[0].loops == ("i",)


NESTS = """
#include <stdio.h>
#include <stdlib.h>
void handed(int n, const float *restrict a, float *restrict b, float *restrict sums)
{{
#pragma acc parallel copyin(a[0:3*n]) copy(b[0:3*n], sums[0:n])
    {{
#pragma acc loop {levels}
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < 3; ++k)
                b[3*i + k] += a[3*i + k];
#pragma acc loop {levels}
        for (int i = 0; i < n; ++i)
            sums[i] = {source}[3*i] + {source}[3*i + 1] + {source}[3*i + 2];
    }}
}}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]);
    float *a = malloc(12 * n), *b = malloc(12 * n), *sums = malloc(4 * n);
    for (int i = 0; i < 3*n; ++i) {{
        a[i] = i % 11;
        b[i] = i % 7;
    }}
    handed(n, a, b, sums);
    for (int i = 0; i < n; ++i)
        printf("%g\\n", sums[i]);
    return 0;
}}
"""


@pytest.mark.parametrize(
    ("words", "lanes"),
    [
        ({"levels": "", "source": "b"}, False),
        ({"levels": "", "source": "a"}, True),
        ({"levels": "gang", "source": "b"}, True),  # an iteration is a block's in both loops
    ],
    ids=["handed over", "apart", "gangs"],
)
def test_loops_that_hand_arrays_to_each_other_keep_their_threads(
    words: dict[str, str], lanes: bool, tmp_path: Path
) -> None:
    source = NESTS.format(**words)
    (tmp_path / "a.c").write_text(source)
    assert ("k" in translate(str(tmp_path / "a.c"), Options()).report.kernels[0].loops) == lanes
    program = Program("handed", source, ((1,), (300,), (9001,)), (), cached=False)
    assert Batch(tmp_path, [Case(program, Options())]).differences(check=True) == []
