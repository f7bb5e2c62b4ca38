"""Threads with several iterations go through short loops that store neighbours once for each iteration."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

BLUR = """
#include <stdio.h>
#include <stdlib.h>
void blur(int rows, int columns, int n, const float *restrict in, float *restrict out)
{
#pragma acc parallel loop collapse(2) copyin(in[0:rows*columns*4]) copy(out[0:rows*columns*4])
    for (int r = 1; r < rows - 1; ++r)
        for (int c = 1; c < columns - 1; ++c) {
#pragma acc cache(in[((r-1)*columns+c-1)*4:12])
            for (int k = 0; k < 4; ++k) {
                float sum = 0;
                for (int y = -1; y <= 1; ++y)
                    for (int x = -1; x <= 1; ++x)
                        sum += in[((r + y) * columns + c + x) * 4 + k];
                out[(r * columns + c) * 4 + k] = sum / 9;
            }
        }
}
"""
MAIN = """
int main(int argc, char **argv)
{
    int rows = atoi(argv[1]), columns = atoi(argv[2]), n = rows * columns * 4;
    float *in = malloc(4 * n), *out = calloc(n, 4);
    for (int i = 0; i < n; ++i)
        in[i] = i * 7 % 64;
    blur(rows, columns, 3, in, out);
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += (double)out[i] * (1 + i % 11);
    printf("%.17g\\n", sum);
    return 0;
}
"""
STORE = "out[(r * columns + c) * 4 + k] = sum / 9;"
KEPT = (
    BLUR.replace(STORE, "own[k] = sum / 9;")
    .replace("            for (int k", "            float own[4];\n            for (int k")
    .replace(
        "            }\n        }\n}",
        f"            }}\n            for (int k = 0; k < 4; ++k)\n{STORE}\n        }}\n}}",
    )
    .replace(f"{STORE}\n        }}", f"{STORE.replace('sum / 9', 'own[k]')}\n        }}")
)
FOUR = Options(coarsen="2x2")


def device(source: str, folder: Path) -> str:
    path = folder / "a.c"
    path.write_text(source)
    return translate(str(path), FOUR).device


@pytest.mark.parametrize(
    ("source", "alternates"),
    [
        (BLUR, False),
        (BLUR.replace("(r * columns + c) * 4 + k]", "k * rows * columns + r * columns + c]"), True),  # planes
        (BLUR.replace("y <= 1", "y <= n"), True),  # what iterations load alike is seen in jammed loops only
        (BLUR.replace("k < 4", "k < n"), True),
        (KEPT, True),
    ],
    ids=["channels", "planes", "long", "unknown", "own"],
)
def test_stores_of_neighbours_do_not_alternate_with_others(source: str, alternates: bool, tmp_path: Path) -> None:
    kernel = device(source, tmp_path)
    assert ("float sum[2][2];" in kernel) == alternates
    assert not re.search(r"\{\s*\}", kernel[kernel.index("static __global__") :].split("} else {")[0])


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc joins the accesses")
def test_nvcc_joins_the_stores(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(device(BLUR, tmp_path))
    command = ["nvcc", "-arch=sm_90", "-ptx", "-w", str(tmp_path / "a.cu"), "-o", str(tmp_path / "a.ptx")]
    subprocess.run(command, check=True)
    entries = (tmp_path / "a.ptx").read_text().split(".entry ")
    (ptx,) = (part for part in entries if re.match(r"\w*blur_L\d+_kernel(?!_)\w*\(", part))
    assert len(re.findall(r"st\.global\.v4\.f32", ptx)) >= 4


def test_results_are_those_of_one_iteration(tmp_path: Path) -> None:
    sizes = tuple((rows, columns, 0) for rows, columns in ((3, 3), (4, 67), (6, 66), (11, 35), (70, 130)))
    program = Program("blur", BLUR + MAIN, sizes, (), cached=False)
    batch = Batch(tmp_path, [Case(program, FOUR)])
    assert batch.differences(check=True) == []


HALVES = """
#include <stdio.h>
#include <stdlib.h>
void halves(int h, int w, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:h*w]) copyout(b[0:h*w])
    for (int y = 0; y < h; ++y)
#pragma acc loop vector
        for (int x = 0; x < w / 2; ++x) {
#pragma acc cache(a[y*w+2*x:2])
            int to = y * w + x;
            float sum = a[y * w + 2 * x] + a[y * w + 2 * x + 1], difference = a[y * w + 2 * x] - a[y * w + 2 * x + 1];
            b[to] = sum;
            b[to + w / 2] = difference;
        }
}
int main(int argc, char **argv)
{
    int h = atoi(argv[1]), w = atoi(argv[2]);
    float *a = malloc(4 * h * w), *b = malloc(4 * h * w);
    for (int i = 0; i < h * w; ++i)
        a[i] = i * 7 % 64;
    halves(h, w, a, b);
    double sum = 0;
    for (int i = 0; i < h * w; ++i)
        sum += (double)b[i] * (1 + i % 11);
    printf("%.17g\\n", sum);
    return 0;
}
"""


def test_each_row_of_neighbours_is_stored_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(HALVES)
    kernel = translate(str(path), Options(coarsen="2x2", wide="on")).device.partition("} else {")[0]
    loops = kernel.split("#pragma unroll")[1:]
    assert [text.count("b[") for text in loops] == [0, 1, 0, 1]  # two loops in two
    interleaved = HALVES.replace("b[to] =", "b[2 * to] =").replace("b[to + w / 2] =", "b[2 * to + 1] =")
    path.write_text(interleaved)
    kernel = translate(str(path), Options(coarsen="2x2", wide="on")).device.partition("} else {")[0]
    assert [text.count("b[") for text in kernel.split("#pragma unroll")[1:]] == [0, 2]


def test_rows_of_neighbours_stay_what_they_are(tmp_path: Path) -> None:
    sizes = (("1", "2"), ("3", "64"), ("5", "130"), ("260", "256"))
    programs = [
        Case(Program("halves", HALVES, sizes, ()), options)
        for options in (Options(coarsen="2x2", wide="on"), Options())
    ]
    assert Batch(tmp_path, programs).differences(check=False) == []
