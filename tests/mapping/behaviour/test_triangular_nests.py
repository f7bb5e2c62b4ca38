"""Constructs without data clauses whose inner loops begin or end at counters: what they touch is copied, no more."""

from __future__ import annotations

from pathlib import Path

from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
static double *block(long first, long last)
{
    double *p = malloc((last - first + 1) * sizeof *p);
    for (long k = 0; k <= last - first; ++k)
        p[k] = k % 11;
    return p - first;
}
static void strict_lower(int n, double *a, double *x)
{
#pragma acc parallel loop
    for (int i = 0; i < n; ++i) {
        double s = 0;
        for (int j = 0; j < i; ++j)
            s += a[i*n + j];
        x[i] = s;
    }
}
static void columns(int n, double *a)
{
#pragma acc parallel loop gang
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector
        for (int j = i; j < n; ++j)
            a[j*n + i] *= 2;
    }
}
static void strict_upper(int n, double *a)
{
#pragma acc parallel loop
    for (int i = n - 1; i >= 0; --i)
        for (int j = n - 1; j > i; --j)
            a[i*n + j] -= 1;
}
static void factors(int n, double *a)
{
    for (int k = 0; k < n; ++k) {
#pragma acc parallel loop
        for (int i = k + 1; i < n; ++i) {
            a[i*n + k] /= a[k*n + k] + 20;
            for (int j = k + 1; j < n; ++j)
                a[i*n + j] -= a[i*n + k] * a[k*n + j];
        }
    }
}
static void band(int n, int w, double *a, double *x)
{
#pragma acc parallel loop
    for (int i = 0; i < n; ++i) {
        double s = 0;
        for (int j = i; j < i + w; ++j)
            s += a[i*w + j - i];
        x[i] += s;
    }
}
static void three(int n, double *a, double *x)
{
#pragma acc parallel loop
    for (int i = 0; i < n; ++i) {
        double s = 0;
        for (int j = 0; j <= i; ++j)
            for (int k = j; k < n; ++k)
                s += a[k*n + j];
        x[i] += s;
    }
}
int main(void)
{
    for (int n = 0; n < 7; ++n) {
        double *lower = block(n, n*n - 2 > n ? n*n - 2 : n), *x = block(0, n), *a = block(0, n*n), sum = 0;
        strict_lower(n, lower, x);
        columns(n, a);
        strict_upper(n, a);
        factors(n, a);
        band(n, n > 2 ? 2 : 1, a, x);
        three(n, a, x);
        for (int k = 0; k < n * n; ++k)
            sum += a[k] * (k % 5) + x[k % n];
        printf("%d %.12g\\n", n, sum);
    }
    return 0;
}
"""


def test_results_are_those_of_the_sequential_program(tmp_path: Path) -> None:
    assert Batch(tmp_path, [Case(Program("nests", PROGRAM, ((),), ()), Options())]).differences(check=True) == []
