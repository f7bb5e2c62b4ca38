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


@pytest.mark.parametrize("tune", ["model", "off"])
def test_results_are_those_of_the_sequential_program(tune: str, tmp_path: Path) -> None:
    case = Case(Program("locals", PROGRAM, ((),), ()), Options(tune=tune))
    assert Batch(tmp_path, [case]).differences(check=True) == []


def test_only_what_a_kernel_changes_lives_in_device_memory(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(TWO)
    device = translate(str(source), Options()).device
    assert "    float t[1];\n" in device
    assert "accache_map(ACCACHE_CREATE, t, sizeof *t" in device
    assert "float u" in device
    assert "u[1]" not in device
