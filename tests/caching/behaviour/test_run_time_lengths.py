"""Tiles of subarrays whose length only the run knows: taken where they hold all of it, unless asked for by name."""

from __future__ import annotations

from pathlib import Path

from matrix.builder import Program
from matrix.harness import Batch, Case

from accache import explain
from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
static void f(int n, int m, const float *restrict x, const int *restrict at, float *restrict y)
{
#pragma acc parallel loop copyin(x[0:m], at[0:9*n]) copyout(y[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
#pragma acc cache(x[0:m])
        for (int k = 0; k < 9; ++k)
            sum += x[at[k*n + i]];
        y[i] = sum;
    }
}
int main(int argc, char **argv)
{
    int n = atoi(argv[1]), m = atoi(argv[2]), seed = atoi(argv[3]), *at = malloc(sizeof *at * 9 * n);
    float *x = malloc(sizeof *x * m), *y = malloc(sizeof *y * n);
    for (int i = 0; i < m; ++i)
        x[i] = (i * 7 + seed) % 11;
    for (int i = 0; i < 9 * n; ++i)
        at[i] = (int)(i * 7919u % (unsigned)m);
    f(n, m, x, at, y);
    for (int i = 0; i < n; ++i)
        printf("%g ", y[i]);
    return 0;
}
"""


def test_the_launch_takes_a_tile_that_holds_the_subarray(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(PROGRAM)
    found = translate(str(path), Options(runtime=False, coarsen="off")).device
    assert "if (m <= 2048) {" in found
    assert "_x_fetch(x_tile, x, m);" in found
    assert "The same without caches, for launches where a subarray is longer than its tile." in found
    assert "_uncached(int n, const float *__restrict__ x" in found
    report = explain(path, coarsen="off")
    assert report.kernels[0].length_checks == (("m", 2048),)
    assert "unless m is at most 2048, the launch takes the uncached kernel" in str(report)


def test_a_length_that_may_leave_int_is_compared_in_64_bits(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(PROGRAM.replace("cache(x[0:m])", "cache(x[0:4*m])").replace("x[0:m], at", "x[0:4*m], at"))
    assert "if (4*(long long)m <= 2048) {" in translate(str(path), Options(runtime=False)).device


def test_a_method_that_is_asked_for_holds_a_part(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(PROGRAM)
    found = translate(str(path), Options(runtime=False, method="rbc")).device
    assert "m <= 2048" not in found
    assert "min(2048LL, (long long)m)" in found


def test_results_are_right_on_both_sides_of_the_length(tmp_path: Path) -> None:
    runs = tuple((n, m) for n in (3, 300) for m in (1, 2047, 2048, 2049, 5000))
    named = {
        method: PROGRAM.replace("f(int n", f"{method}_f(int n").replace("    f(n", f"    {method}_f(n")
        for method in ("auto", "rbc")
    }
    cases = [Case(Program(f"by_{method}", text, runs, ()), Options(method=method)) for method, text in named.items()]
    assert Batch(tmp_path, cases).differences(check=True) == []
