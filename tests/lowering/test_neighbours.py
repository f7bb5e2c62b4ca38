"""Addresses of neighbouring iterations: nvcc joins what they access, and none leads in front of a row."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import accache

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
enum { H = 530, W = 517 };
static void count(const unsigned char (*restrict a)[W], unsigned char (*restrict b)[W], const int *restrict by)
{
#pragma acc parallel loop gang copyin(a[0:H], by[0:4]) copy(b[0:H])
    for (int i = 1; i < H - 1; ++i) {
#pragma acc loop vector
        for (int j = 1; j < W - 1; ++j) {
#pragma acc cache(a[i-1:3][j-1:3])
            int n = 0;
            for (int k = 0; k < 4; ++k)
                n += a[i + by[k]][j + by[k]] + a[i][j + 1];
            b[i][j] = n;
        }
    }
}
int main(void)
{
    static unsigned char a[H][W], b[H][W];
    int by[4] = {-1, 0, 1, -1}, sum = 0;
    by[rand() % 1] = -1;
    for (int i = 0; i < H; ++i)
        for (int j = 0; j < W; ++j)
            a[i][j] = (i * 7 + j * j) % 3;
    count((const unsigned char (*)[W])a, b, by);
    for (int i = 0; i < H; ++i)
        for (int j = 0; j < W; ++j)
            sum += b[i][j] * (i + 3 * j) % 101;
    printf("%d\\n", sum);
    return 0;
}
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
def test_an_index_from_memory_keeps_its_place_in_the_row() -> None:
    cuda = accache.translate(PROGRAM).cuda
    assert "a[i + by[k]][j + by[k]] + (&a[i][j_base - 1])[dj + 1 + 1]" in cuda
    done = accache.run(PROGRAM, once=True)
    assert (done.findings, done.status) == ((), 0)
    assert done.stdout == accache.run(PROGRAM, method="none", coarsen="off", once=True).stdout


UPDATE = """
void f{number}(int n, const float *restrict a, float *restrict b)
{{
#pragma acc parallel loop collapse(2) copyin(a[0:n*n]) copy(b[0:n*n])
    for (int i = 1; i < n - 1; ++i)
        for (int j = 0; j < n; ++j)
            {statement}
}}
"""
JOINED = (
    ("b[i*n + j] -= a[i*n + j] - a[(i - 1)*n + j];", 5),
    ("b[i*n + j] = a[i*n + j] - a[i*n + j + 4] + a[(i - 1)*n + j];", 5),
    ("b[(size_t)i*n + j] = a[(size_t)i*n + j] - a[(size_t)(i - 1)*n + j];", 3),
    ("b[j + (long)i*n] += a[(long)i*n + j] - a[(long)(i - 1)*n + j];", 5),
)
"""What iterations do, and how many loads of four elements two rows of them take."""


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc joins the accesses")
def test_loads_and_stores_of_one_array_are_joined(tmp_path: Path) -> None:
    """Without its form of indices nvcc joins neither what an iteration stores nor what the next one loads of it."""
    functions = (UPDATE.format(number=number, statement=statement) for number, (statement, _) in enumerate(JOINED))
    made = accache.translate("#include <stddef.h>\n" + "".join(functions), coarsen="2x4", wide="on")
    (tmp_path / "a.cu").write_text(made.cuda)
    command = ["nvcc", "-arch=sm_90", "-ptx", "-w", str(tmp_path / "a.cu"), "-o", str(tmp_path / "a.ptx")]
    subprocess.run(command, check=True)
    ptx = (tmp_path / "a.ptx").read_text().replace(".nc", "")
    for number, (_, loads) in enumerate(JOINED):
        (kernel,) = (text for text in ptx.split(".entry ") if re.match(rf"\w*f{number}_L\d+_kernel(?!_)\w*\(", text))
        assert (kernel.count("ld.global.v4.f32"), kernel.count("st.global.v4.f32")) == (loads, 2)
