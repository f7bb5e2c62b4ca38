"""Variables that a kernels construct declares and several of its kernels share."""

from __future__ import annotations

from pathlib import Path

import pytest
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
#include <stdio.h>
typedef struct { double low, high; int hits; } range;
int main(void)
{
    enum { N = 500 };
    float a[N], b[N];
    double total = -1;
    for (int i = 0; i < N; ++i)
        a[i] = i * 37 % 101;
#pragma acc kernels copy(a) copyout(b)
    {
        double sum = 0;
        int hits = 0;
        const float first = a[1];
        range r = {1};
        long bins[8] = {0, 3};
#pragma acc loop reduction(+:sum)
        for (int i = 0; i < N; ++i)
            sum += a[i];
        for (int i = 0; i < N; ++i)
            if (a[i] > 50)
                ++hits;
        for (int i = 0; i < N; ++i)
            a[i] = a[i] * 2 - first;
        r.high = r.low + sum;
        r.hits = hits;
        for (int i = 0; i < N; ++i)
            b[i] = a[i] / sum + r.high * r.hits + hits + first;
        for (int i = 0; i < N; ++i)
            ++bins[(int)(a[i] + first) / 2 % 8];
        total = sum + r.low;
        for (int i = 0; i < 8; ++i)
            b[i] += bins[i];
    }
    for (int i = 0; i < N; ++i)
        total += b[i] * (i % 5 + 1);
    printf("%.12g\\n", total);
    return 0;
}
"""
TWO = """
void f(float *restrict a, float *restrict b, int n)
{
#pragma acc kernels copy(a[0:n], b[0:n])
    {
        float t = a[0], u = n;
        for (int i = 0; i < n; ++i)
            a[i] *= u;
        for (int i = 0; i < n; ++i)
            b[i] = t + u;
    }
}
"""

ASYNC = """
#include <stdio.h>
enum { N = 300, QUEUES = 3 };
static float a[QUEUES][N], b[QUEUES][N];
static void change(float *a, float *b, float first, int queue)
{
#pragma acc kernels present(a[0:N], b[0:N]) async(queue)
    {
        float sum = first, table[4] = {1, 2, first};
        double most = -1;
        if (sum > 2)
            sum = 2;
#pragma acc loop reduction(max:most)
        for (int i = 0; i < N; ++i) {
            a[i] += sum + table[i % 4];
            most = a[i] > most ? a[i] : most;
        }
        sum += a[3] + most;
        table[1] = a[2];
        for (int i = 0; i < N; ++i)
            b[i] += sum * a[i] + table[i % 4];
    }
}
int main(void)
{
    for (int k = 0; k < QUEUES * N; ++k)
        a[k / N][k % N] = k * 7 % 11;
#pragma acc data copy(a, b)
    {
        for (int turn = 0; turn < 3; ++turn)
            for (int queue = 0; queue < QUEUES; ++queue)
                change(a[queue], b[queue], queue + 0.5f + turn, queue);
#pragma acc wait
    }
    for (int k = 0; k < QUEUES * N; ++k)
        printf("%g %g\\n", a[k / N][k % N], b[k / N][k % N]);
    return 0;
}
"""


@pytest.mark.parametrize("tune", ["model", "off"])
def test_results_are_those_of_the_sequential_program(tune: str, tmp_path: Path) -> None:
    case = Case(Program("locals", PROGRAM, ((),), ()), Options(tune=tune))
    assert Batch(tmp_path, [case]).differences(check=True) == []


def test_queues_have_copies_of_their_own(tmp_path: Path) -> None:
    assert Batch(tmp_path, [Case(Program("async", ASYNC, ((),), ()), Options())]).differences(check=True) == []


def test_only_what_a_kernel_changes_lives_in_device_memory(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(TWO)
    device = translate(str(source), Options()).device
    assert "    float t[1];\n" in device
    assert "accache_map(ACCACHE_CREATE, t, sizeof *t" in device
    assert "float u" in device
    assert "u[1]" not in device


NAMED = """
void f(int n, int m, const float *restrict a, float *restrict b)
{
#pragma acc kernels copyin(a[0:n*m + 4]) copy(b[0:n*m])
    {
        int from = (int)a[0], first = from;
#pragma acc loop gang vector independent
        for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i + first:2])
            b[i] += a[i + 1] * a[i + 2];
        }
    }
}
"""


@pytest.mark.parametrize("method", ["rbi", "rbc"])
def test_a_variable_that_a_directive_alone_names_is_declared(method: str, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(NAMED)
    kernel = translate(str(source), Options(method=method, coarsen="off", runtime=False)).device
    kernel = kernel[kernel.index("__global__") : kernel.index("// Launch for")]
    assert "_tile[" in kernel
    assert "int from = (int)a[0];" in kernel
