"""Addresses of neighbouring iterations never lead in front of a row, as the checker of subscripts would tell."""

from __future__ import annotations

import shutil

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
