"""Launches that are too small for the iterations a thread has in large ones, but not for some."""

from __future__ import annotations

import re
from math import prod
from pathlib import Path

from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
static void blur(int h, int w, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop collapse(2) copyin(a[0:h*w]) copy(b[0:h*w])
    for (int y = 1; y < h - 1; ++y)
        for (int x = 1; x < w - 1; ++x) {
#pragma acc cache(a[(y-1)*w + x-1:3])
            float sum = 0;
            for (int r = -1; r <= 1; ++r)
                for (int c = -1; c <= 1; ++c)
                    sum += a[(y + r)*w + x + c];
            b[y*w + x] = sum;
        }
}
int main(int count, char **arguments)
{
    const int h = atoi(arguments[1]), w = atoi(arguments[2]);
    float *a = malloc(h * w * sizeof *a), *b = malloc(h * w * sizeof *b);
    for (int i = 0; i < h * w; ++i) {
        a[i] = i * 37 % 101;
        b[i] = i;
    }
    blur(h, w, a, b);
    double sum = 0;
    for (int i = 0; i < h * w; ++i)
        sum += b[i] * (i % 13 + 1);
    printf("%g\\n", sum);
    return 0;
}
"""


def device_of(text: str, tmp_path: Path, options: Options) -> str:
    path = tmp_path / "a.c"
    path.write_text(text)
    return translate(str(path), options).device


def test_smaller_launches_have_fewer_iterations_a_thread(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(PROGRAM)
    made = translate(str(path), Options())
    kernel = made.report.kernels[0]
    most, few = prod(kernel.iterations), prod(kernel.fewer)
    assert 2 * few <= most
    # either has 16,384 threads at least
    assert kernel.fewest_blocks * kernel.threads == 16384
    assert kernel.fewest_blocks_of_fewer * kernel.threads * most == 16384 * few
    launches = re.findall(r"blur_L\d+_kernel(\w*)<<<", made.device)
    assert launches == ["", "_fewer", "_single"]
    conditions = re.findall(r"if \(.*grid.x \* grid.y >= (\d+)\) \{", made.device)
    assert conditions == [str(kernel.fewest_blocks), str(kernel.fewest_blocks_of_fewer)]
    told = f"blocks {' x '.join(map(str, kernel.fewer))}, of fewer than {kernel.fewest_blocks_of_fewer} one"
    assert f"in launches of fewer than {kernel.fewest_blocks} {told}" in str(made.report)


def test_a_launch_that_is_known_to_be_small_has_no_such_version(tmp_path: Path) -> None:
    small = PROGRAM.replace("y < h - 1", "y < 64").replace("x < w - 1", "x < 64")
    assert "_fewer" not in device_of(small, tmp_path, Options())
    assert "_fewer" not in device_of(PROGRAM, tmp_path, Options(coarsen="4x4"))
    assert "_fewer" not in device_of(PROGRAM, tmp_path, Options(coarsen="off"))


def test_results_are_those_of_the_sequential_program(tmp_path: Path) -> None:
    sizes = ((3, 3), (2, 9), (130, 131), (256, 257), (258, 259), (261, 1023), (4, 30001), (70, 4001))
    runs = tuple((str(h), str(w)) for h, w in sizes)
    batch = Batch(tmp_path, [Case(Program("fewer", PROGRAM, runs, ()), Options())])
    assert batch.differences(check=False) == []
