"""Threads wait between steps that may meet through a pointer of the kernel's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.driver import translate
from accache.options import Options

PROGRAM = """
void f(float *a, float *s, int n)
{
#pragma acc parallel loop gang copy(a[0:64*n]) copyout(s[0:64*n])
    for (int i = 0; i < n; ++i) {
        float *p = a + i * 64;
#pragma acc loop vector
        for (int j = 0; j < 64; ++j)
            FIRST;
#pragma acc loop vector
        for (int j = 0; j < 64; ++j)
            SECOND;
    }
}
"""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("p[j] += 1", "s[i * 64 + j] = a[i * 64 + 63 - j]"),
        ("a[i * 64 + j] += 1", "s[i * 64 + j] = p[63 - j]"),
    ],
)
def test_a_barrier_stands_between(first: str, second: str, tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(PROGRAM.replace("FIRST", first).replace("SECOND", second))
    device = translate(str(source), Options()).device
    kernel = device[device.index("__global__ void") :]
    assert "__syncthreads();" in kernel[: kernel.index("s[")]
