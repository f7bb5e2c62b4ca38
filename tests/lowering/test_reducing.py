"""The elements of an array go through shared memory together, and are combined in the order in which scalars are."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from functools import reduce
from pathlib import Path

import pytest
from commands import accache

from accache.base.options import Options
from accache.driver import translate

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    double sum[COUNT], *x = malloc((n + 1) * sizeof *x);
    for (int k = 0; k < COUNT; ++k)
        sum[k] = k;
    for (int i = 0; i < n; ++i)
        x[i] = (i * 37 % 1001) / 7.0;
#pragma acc parallel loop reduction(+:sum) copyin(x[0:n])
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < COUNT; ++k)
            sum[k] += x[i] / (k + 1);
    for (int k = 0; k < COUNT; ++k)
        printf("%a\n", sum[k]);
    free(x);
    return 0;
}
"""
ROWS = r"""
#include <stdio.h>
void f(int n, int m, const TYPE *restrict x, TYPE *restrict y)
{
#pragma acc parallel loop gang worker num_workers(WORKERS) vector_length(LANES) copyin(x[0:n*m]) copyout(y[0:n*COUNT])
    for (int i = 0; i < n; ++i) {
        TYPE sum[COUNT / 3][3];
        for (int k = 0; k < COUNT; ++k)
            sum[k / 3][k % 3] = 1;
#pragma acc loop vector reduction(+:sum)
        for (int j = 0; j < m; ++j)
            for (int k = 0; k < COUNT; ++k)
                sum[k / 3][k % 3] += x[i*m + j] * k;
        for (int k = 0; k < COUNT; ++k)
            y[i*COUNT + k] = sum[k / 3][k % 3];
    }
}
int main(void)
{
    TYPE x[5 * 203], y[5 * COUNT];
    for (int i = 0; i < 5 * 203; ++i)
        x[i] = (TYPE)(i % 17);
    f(5, 203, x, y);
    for (int i = 0; i < 5 * COUNT; ++i)
        printf("%g\n", (double)y[i]);
    return 0;
}
"""
THREADS = 256


def written(folder: Path, text: str, **macros: object) -> Path:
    """A program with some macros."""
    path = folder / "a.c"
    path.write_text("".join(f"#define {name} {value}\n" for name, value in macros.items()) + text)
    return path


def in_order(n: int, count: int) -> Iterator[float]:
    """The sums of PROGRAM, as docs/openacc.md tells the order of additions."""
    rounds = min(count, 64)
    blocks = min(1024, -(-n // (THREADS * rounds)))
    for k in range(count):
        threads = [sum_of(k, range(t, n, blocks * THREADS)) for t in range(blocks * THREADS)]
        parts = [in_block(threads[b * THREADS : (b + 1) * THREADS]) for b in range(blocks)]
        yield k + tree([sum(parts[b::THREADS]) for b in range(min(blocks, THREADS))], 128) if parts else k


def sum_of(k: int, iterations: range) -> float:
    """What one thread adds to an element."""
    return reduce(lambda total, i: total + (i * 37 % 1001) / 7.0 / (k + 1), iterations, 0.0)


def in_block(values: list[float]) -> float:
    """The values of a block's threads: those of each 32nd thread, and these as a tree."""
    return tree([reduce(float.__add__, values[lane::32]) for lane in range(32)], 16)


def tree(values: list[float], half: int) -> float:
    """The sum of values, the second half added to the first one each time."""
    while half:
        values = [a + b for a, b in zip(values, [*values[half:], *[0.0] * half], strict=False)][:half]
        half //= 2
    return values[0]


@pytest.mark.parametrize("count", [3, 20, 70])
def test_the_order_is_the_documented_one(count: int, tmp_path: Path) -> None:
    path = written(tmp_path, PROGRAM, COUNT=count)
    for n in (31, 5000):
        expected = [float(value).hex() for value in in_order(n, count)]
        for options in ((), ("--check",), ("--ptx",) if shutil.which("nvcc") else ()) if n == 5000 else ((),):
            done = accache("run", *options, path, "--", n)
            found = [float.fromhex(word).hex() for word in done.stdout.split() if word.startswith("0x")]
            assert (done.returncode, found) == (0, expected), (n, options, done.stderr)


@pytest.mark.parametrize("count", [1, 16, 500])
def test_blocks_exchange_many_elements_at_a_time(count: int, tmp_path: Path) -> None:
    made = translate(str(written(tmp_path, PROGRAM, COUNT=count)), Options())
    assert "    accache_reduce_each<accache_plus<double>, 256>(sum);\n" in made.device
    assert made.report.kernels[0].shared_bytes == min(count, 8) * (THREADS + 1) * 8


SEVERAL = """
void f(int n, const float *restrict x, float *restrict y)
{
    double sum[20] = {0}, total[20] = {0};
    float most[9] = {0}, least[16] = {0};
    int count[3] = {0};
#pragma acc parallel loop reduction(+:sum, total, count) reduction(max:most) reduction(min:least) copyin(x[0:n])
    for (int i = 0; i < n; ++i) {
        sum[i % 20] += x[i];
        total[i % 7] += x[i] * x[i];
        most[i % 9] = x[i] > most[i % 9] ? x[i] : most[i % 9];
        least[i % 16] = x[i] < least[i % 16] ? x[i] : least[i % 16];
        count[i % 3] += 1;
    }
    y[0] = sum[3] + total[3] + most[2] + least[1] + count[0];
}
"""


def test_arrays_go_through_the_same_shared_memory(tmp_path: Path) -> None:
    made = translate(str(written(tmp_path, SEVERAL)), Options())
    results = 8 * 8 + 9 * 4 + 16 * 4 + 3 * 4  # of both sums together
    shared = 16384 + 4096 + results + (9 + 3) * THREADS * 4  # the columns of two of them
    assert shared <= made.report.kernels[0].shared_bytes <= shared + 16
    if shutil.which("nvcc"):
        target = tmp_path / "a.cu"
        target.write_text(made.device)
        command = ["nvcc", "-cubin", "-arch=sm_80", "-Xptxas", "-v", "-o", str(tmp_path / "a.cubin"), str(target)]
        log = subprocess.run(command, check=True, capture_output=True, text=True).stderr
        kernel = log.partition("f_L7_kernel")[2].partition("Compile time")[0]
        assert f"{made.report.kernels[0].shared_bytes} bytes smem" in kernel


@pytest.mark.parametrize(
    ("lanes", "workers", "count", "ctype"),
    [(128, 1, 6, "float"), (64, 4, 36, "double"), (96, 3, 3, "int"), (16, 8, 6, "short"), (32, 2, 30, "float")],
)
def test_rows_of_threads_combine_arrays_of_their_own(
    lanes: int, workers: int, count: int, ctype: str, tmp_path: Path
) -> None:
    path = written(tmp_path, ROWS, LANES=lanes, WORKERS=workers, COUNT=count, TYPE=ctype)
    assert "_each<accache_plus<" in translate(str(path), Options()).device
    for option in ("--check", "--compare"):
        done = accache("run", option, path)
        assert done.returncode == 0, done.stderr
