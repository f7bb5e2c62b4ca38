"""Launches of few blocks, in which each thread has one iteration: with the wide accesses that it has elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#define DIMS 8
static void assign(int n, int k, const float *restrict p, const float *restrict c, int *restrict nearest)
{
#pragma acc parallel loop copyin(p[0:n*DIMS], c[0:k*DIMS]) copyout(nearest[0:n])
    for (int i = 0; i < n; ++i) {
        float best = 1e30f;
        int which = 0;
#pragma acc cache(c[0:k*DIMS])
        for (int j = 0; j < k; ++j) {
            float sum = 0;
            for (int d = 0; d < DIMS; ++d) {
                const float x = p[i * DIMS + d] - c[j * DIMS + d];
                sum += x * x;
            }
            if (sum < best) {
                best = sum;
                which = j;
            }
        }
        nearest[i] = which;
    }
}
int main(int count, char **arguments)
{
    const int n = atoi(arguments[1]), k = 5, shift = atoi(arguments[2]);
    float *p = malloc((n + 1) * DIMS * sizeof *p), *c = malloc((k + 1) * DIMS * sizeof *c);
    int *nearest = malloc(n * sizeof *nearest);
    for (int i = 0; i < (n + 1) * DIMS; ++i)
        p[i] = i * 37 % 101;
    for (int i = 0; i < (k + 1) * DIMS; ++i)
        c[i] = i * 53 % 97;
#pragma acc data copyin(p[0:(n+1)*DIMS], c[0:(k+1)*DIMS])
    assign(n, k, p + shift, c + shift, nearest);
    for (int i = 0; i < n; i += n > 1000 ? 97 : 1)
        printf("%d ", nearest[i]);
    return 0;
}
"""


def test_the_launch_tells_aligned_arrays_of_few_blocks_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(PROGRAM)
    device = translate(str(path), Options()).device
    kernels = dict(re.findall(r"__global__ .* (assign_L\d+_kernel\w*)\(.*\n\{\n((?:.+\n|\n)*?)\}\n", device))
    aligned = {name.partition("_kernel")[2]: "accache_aligned(p)" in text for name, text in kernels.items()}
    assert aligned == {"": True, "_single": True, "_plain": False}
    assert (
        "The same with one iteration a thread and without wide accesses, for launches where accesses would not"
        in device
    )
    assert re.search(r"else if \(accache_aligned\({c_device, p_device}\)\) {\s+const dim3 single_block\(256\);", device)


def test_results_are_those_of_the_sequential_program(tmp_path: Path) -> None:
    sizes = (("1", "0"), ("300", "0"), ("300", "1"), ("66003", "0"), ("66003", "1"))
    batch = Batch(tmp_path, [Case(Program("few", PROGRAM, sizes, ()), Options())])
    assert batch.differences(check=False) == []
