"""Loops that count up and down in all the ways C programs write them."""

from __future__ import annotations

import re
from pathlib import Path

import generate
import pytest
from workshop import Workshop

from accache.base.diagnostics import CompileError, Severity
from accache.base.options import Options
from accache.driver import translate

# low and high; the != loops would not end where low is above high
BOUNDS = (("3", "300"), ("0", "0"), ("5", "6"), ("0", "256"), ("0", "257"), ("1", "128"))

PAST_THE_GRID = """
#include <stdio.h>
#include <stdlib.h>
static int a[600000][3], b[600000][3], c[66000][1][2][4], d[3][600000], e[270000][1][2];
static void known_by_the_run(int n, int m)
{
    long long s = 0;
#pragma acc parallel loop collapse(2) copyout(a) copyin(b)
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            a[i][k] = 2 * b[i][k] + k;
#pragma acc parallel loop collapse(2) copy(a) copyin(b)
    for (int i = 1; i < n - 1; ++i)
        for (int k = 0; k < 3; ++k) {
#pragma acc cache(b[i - 1:3][k:1])
            a[i][k] += b[i - 1][k] + b[i][k] + b[i + 1][k];
        }
#pragma acc parallel loop gang collapse(2) vector_length(32) copyout(c)
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < 2; ++j) {
            int first = i % 5;
            first += j;  // which makes gangs of the outer loops
#pragma acc loop vector
            for (int k = 0; k < 4; ++k)
                c[i][0][j][k] = first + k;
        }
#pragma acc parallel loop collapse(2) copyin(b) reduction(+:s)
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            s += b[i][k];
#pragma acc parallel loop collapse(2) copy(d)
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < n; ++i)
            d[k][i] += k;
    printf("%lld\\n", s);
}
static void constant(void)
{
    long long s = 0;
#pragma acc parallel loop collapse(3) copyout(e) copyin(b) reduction(+:s)
    for (int i = 0; i < 270000; ++i)
        for (int j = 0; j < 1; ++j)
            for (int k = 0; k < 2; ++k) {
#pragma acc cache(b[i:3][k:1])
                e[i][j][k] = b[i][k] + b[i + 2][k];
                s += e[i][j][k];
            }
#pragma acc parallel loop gang collapse(3) vector_length(32) copy(c)
    for (int i = 0; i < 66000; ++i)
        for (int j = 0; j < 1; ++j)
            for (int k = 0; k < 2; ++k) {
                int first = i % 5;
                first += k;
#pragma acc loop vector
                for (int l = 0; l < 4; ++l)
                    c[i][j][k][l] += first + l;
            }
    printf("%lld\\n", s);
}
int main(void)
{
    for (int i = 0; i < 600000; ++i)
        for (int k = 0; k < 3; ++k)
            b[i][k] = d[k][i] = (i * 7 + k) % 1013;
    known_by_the_run(atoi("600000"), atoi("66000"));
    constant();
    unsigned h = 7;
    for (int i = 0; i < 600000; ++i)
        for (int k = 0; k < 3; ++k)
            h = h * 31 + a[i][k] + d[k][i];
    for (int i = 0; i < 66000; ++i)
        for (int k = 0; k < 8; ++k)
            h = h * 31 + c[i][0][k / 4][k % 4];
    for (int i = 0; i < 270000; ++i)
        h = h * 31 + e[i][0][0] - e[i][0][1];
    printf("%u\\n", h);
}
"""


def test_every_form(workshop: Workshop) -> None:
    source = workshop.folder / "loop_forms.c"
    source.write_text(generate.loop_forms())
    for seed, bounds in enumerate(BOUNDS):
        workshop.same(source, Options(), bounds, seed=seed)


SLICED = """
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int n = atoi("150000"), m = atoi("3");
    int *a = malloc(n * m * sizeof *a), *b = malloc(n * m * sizeof *b), wrong = 0;
    for (int k = 0; k < n * m; ++k)
        a[k] = k % 1009;
#pragma acc parallel loop gang num_workers(1) vector_length(32) copyin(a[0:n*m]) copyout(b[0:n*m])
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector
        for (int j = 0; j < m; ++j)
            b[i * m + j] = 2 * a[i * m + j] + i;
    }
    for (int k = 0; k < n * m; ++k)
        wrong += b[k] != 2 * a[k] + k / m;
    printf("%d %d\\n", wrong, b[n * m - 1]);
}
"""


def test_a_grid_longer_than_an_axis_is_launched_in_slices(workshop: Workshop) -> None:
    source = workshop.folder / "slices.c"
    source.write_text(SLICED)
    workshop.same(source, Options())
    device = workshop.translation(source, Options()).device
    assert "for (unsigned y_start = 0; y_start < grid.y; y_start += 65535)" in device
    assert "const int i = (y_start + blockIdx.y);" in device


def test_a_middle_loop_that_passes_its_axis_is_explained(workshop: Workshop) -> None:
    source = workshop.folder / "long_middle_loop.c"
    source.write_text(
        '#include <stdlib.h>\nint main(void)\n{\n    int n = atoi("1500000"), m = atoi("2");\n'
        "    char *a = malloc(n * 4 * m);\n"
        "#pragma acc parallel loop collapse(3) copyout(a[0:n*4*m])\n    for (int k = 0; k < m; ++k)\n"
        "        for (int i = 0; i < n; ++i)\n            for (int j = 0; j < m; ++j)\n"
        "                a[(k * n + i) * m + j] = j;\n}\n"
    )
    result = workshop.run(source, Options(), check=False)
    assert result.returncode == 1
    assert "let the longest loop be the inner one" in result.stderr


def test_loops_that_pass_y_and_z_of_a_grid(workshop: Workshop) -> None:
    source = workshop.folder / "past_the_grid.c"
    source.write_text(PAST_THE_GRID)
    result = workshop.run(source, Options(), check=False)  # a checked run takes 7 s
    assert (result.stdout, result.returncode) == (workshop.sequential(source), 0), result.stderr
    device = workshop.translation(source, Options()).device
    grids = re.findall(r"const dim3 grid\((.*)\);", device)
    assert grids == [
        "(i_count + 84) / 85, 1",
        "(i_count + 84) / 85, 1",
        "i_count, 2",
        "1, accache_quarter_first(1024, (i_count + 7) / 8, 1)",
        "(i_count + 63) / 64, 1",
        "1, 1, 65535",
        "2, 1, 65535",
    ]


def test_a_tile_names_the_innermost_loop_first(workshop: Workshop) -> None:
    source = workshop.folder / "tiles.c"
    source.write_text(
        "static float a[512][512];\nvoid f(void)\n{\n#pragma acc parallel loop tile(32, 4)\n"
        "    for (int i = 0; i < 512; ++i)\n        for (int j = 0; j < 512; ++j)\n            a[i][j] = j;\n}\n"
    )
    (kernel,) = workshop.translation(source, Options()).report.kernels
    assert kernel.block[:2] == (32, 4)


@pytest.mark.parametrize(
    ("loop", "body", "reason"),
    [
        ("p = a; p < b; ++p", "*p = 1;", "its variable is a pointer, and its start and its limit are not known"),
        ("p = a; p < a + n; ++p", "n = 3;", "its variable is a pointer, and its start and its limit are not known"),
        ("p = a; p < a + n; ++p", "++p;", "its variable is a pointer, and its start and its limit are not known"),
        (
            "p = a; p != a + n; p += s",
            "*p = 1;",
            "its variable is a pointer, and its start and its limit are not known",
        ),
        ("p = a; p > a + n; ++p", "*p = 1;", "its step leads away from its limit"),
    ],
)
def test_a_pointer_that_nobody_can_count_with_is_refused(loop: str, body: str, reason: str, tmp_path: Path) -> None:
    source = tmp_path / "pointer.c"
    source.write_text(
        "void f(int *a, int *b, int n, int s)\n{\n#pragma acc parallel loop copy(a[0:n], b[0:n])\n"
        f"    for (int *{loop}) {{\n        {body}\n    }}\n}}\n"
    )
    with pytest.raises(CompileError) as raised:
        translate(str(source), Options())
    found = next(item for item in raised.value.diagnostics if item.severity is Severity.ERROR)
    assert found.code == "ACC306"
    assert reason in found.message


@pytest.mark.parametrize("storage", ["", "static "])
def test_a_pointer_of_the_host_does_not_come_back_from_the_device(storage: str, tmp_path: Path) -> None:
    source = tmp_path / "moved.c"
    source.write_text(
        f"int a[100];\nlong f(int n)\n{{\n    {storage}int *p;\n#pragma acc kernels copy(a)\n"
        "    for (p = a; p < a + n; ++p)\n        *p += 1;\n    return p - a;\n}\n"
    )
    with pytest.raises(CompileError) as raised:
        translate(str(source), Options())
    assert [item.code for item in raised.value.diagnostics if item.severity is Severity.ERROR] == ["ACC301"]


OUTER_NAMES = """
#include <stdio.h>
#include <stdlib.h>
enum { dj = 2, j_base = 5 };
typedef float i_base;
#pragma acc routine seq
static float di(float x)
{
    return 2 * x + dj;
}
int main(void)
{
    int n = atoi("9000");
    float *a = malloc((n + 9) * sizeof *a), *b = calloc(n, sizeof *b);
    double total = 0;
    for (int k = 0; k < n + 9; ++k)
        a[k] = k % 9;
#pragma acc parallel loop copyin(a[0:n+9]) copy(b[0:n])
    for (int j = 0; j < n; ++j) {
        float s = 0;
        for (int k = 0; k < 9; ++k)
            s += a[j + k] * dj + j_base;
        b[j] += s;
    }
#pragma acc parallel loop copyin(a[0:n+9]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        float s = 0;
        for (int k = 0; k < 9; ++k)
            s += di(a[i + k]);
        b[i] += (i_base)s;
    }
    for (int k = 0; k < n; ++k)
        total += b[k] * (k % 5);
    printf("%.0f\\n", total);
}
"""


@pytest.mark.parametrize("coarsen", ["4", "2"])
def test_names_of_several_iterations_hide_nothing_of_the_programs(coarsen: str, workshop: Workshop) -> None:
    """A distance dj and a first index j_base stood for the enumerators of these names, without a word."""
    source = workshop.folder / f"outer_names_{coarsen}.c"
    source.write_text(OUTER_NAMES)
    options = Options(coarsen=coarsen)
    workshop.same(source, options)
    assert "int dj2 = 0" in workshop.translation(source, options).device


@pytest.mark.parametrize(
    ("loop", "body", "reason"),
    [
        ("int i = 0; i < s.either.count", "++i: s.either.real = i;", "its limit is changed"),
        ("int i = 0; i < s.range.ends[1]", "++i: s.range.first = i;", "its limit is changed"),
        ("int i = 0; i < s.count", "++i: { int *p = &s.count; *p = i; }", "its limit is changed"),
        ("int i = 0; i < s.count", "++i: s = t;", "its limit is changed"),
        ("unsigned char i = 250; i > 3", "i -= 9: s.values[i] = 1;", "a step of its variable may lead past"),
        ("unsigned char i = 250; i >= 7", "i -= 9: s.values[i] = 1;", "a step of its variable may lead past"),
        ("unsigned char i = 4; i < 250", "i += 7: s.values[i] = 1;", "a step of its variable may lead past"),
        ("signed char i = n; i < 120", "i += 9: s.values[i] = 1;", "a step of its variable may lead past"),
    ],
)
def test_a_limit_that_a_loop_may_change_or_pass_is_refused(loop: str, body: str, reason: str, tmp_path: Path) -> None:
    step, _, statement = body.partition(": ")
    source = tmp_path / "limits.c"
    source.write_text(
        "static struct { int count; double values[300]; union { int count; float real; } either;\n"
        "    struct { int first, ends[2]; } range; } s, t;\nvoid f(int n)\n{\n#pragma acc parallel loop copy(s, t)\n"
        f"    for ({loop}; {step})\n        {statement}\n}}\n"
    )
    with pytest.raises(CompileError) as raised:
        translate(str(source), Options())
    (found,) = (item for item in raised.value.diagnostics if item.severity is Severity.ERROR)
    assert found.code == "ACC306"
    assert reason in found.message
