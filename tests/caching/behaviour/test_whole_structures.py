"""Arrays of structures of 8 or 16 bytes: loaded and stored whole where the launch finds them aligned."""

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

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
typedef struct {{ {fields}; }} part;
static void f(int n, const part *restrict a, part *restrict b)
{{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {{
#pragma acc cache(a[i:1])
        {body}
    }}
}}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), seed = atoi(argv[2]);
    part *a = malloc(sizeof *a * n), *b = malloc(sizeof *b * n);
    for (int i = 0; i < (int)(n * sizeof *a / sizeof(float)); ++i)
        ((float *)a)[i] = (i * 7 + seed) % 11, ((float *)b)[i] = i % 5;
    f(n, a, b);
    for (int i = 0; i < (int)(n * sizeof *a / sizeof(float)); ++i)
        printf("%g ", ((float *)b)[i]);
    return 0;
}}
"""
FOUR, TWO, THREE = "float x, y, z, w", "float x, y", "float x, y, z"
ALL = "b[i].x = a[i].y; b[i].y = a[i].x + a[i].z; b[i].z = 2 * a[i].w; b[i].w = a[i].z;"
SOME = "b[i].x = a[i].y + a[i].z; b[i].z = a[i].x * a[i].w;"
MOVED = (
    "b[i].z += a[i].x * b[i].x + a[i].w; b[i].w -= a[i].y - a[i].z; "
    "b[i].x = b[i].x + b[i].z; b[i].y++; b[i].y *= b[i].w;"
)
PAIR = "b[i].x = a[i].y; b[i].y = a[i].x;"


def emitted(folder: Path, fields: str, body: str, runtime: bool = False, **options: str) -> str:
    """The kernels and the launch of a program."""
    path = folder / "a.c"
    path.write_text(PROGRAM.format(fields=fields, body=body))
    return translate(str(path), Options(runtime=runtime, **options)).device


@pytest.mark.parametrize(
    ("fields", "body", "aligned"),
    [
        (FOUR, ALL, "accache_aligned({a_device, b_device})"),
        (FOUR, MOVED, "accache_aligned({a_device, b_device})"),
        (FOUR, SOME, ""),  # what is not stored must stay, and its stores take most of the clocks
        (TWO, PAIR, "accache_aligned({a_device, b_device})"),
        (THREE, "b[i].x = a[i].y; b[i].y = a[i].x; b[i].z = a[i].z;", ""),
        (FOUR, "b[i].x = a[i].x;", ""),
    ],
)
def test_the_launch_looks_whether_structures_are_aligned(fields: str, body: str, aligned: str, tmp_path: Path) -> None:
    found = emitted(tmp_path, fields, body, wide="auto")
    launch = found[found.index("accache_data_begin(") :]
    assert aligned in launch if aligned else "accache_aligned({" not in launch


def test_a_choice_of_the_users_stays(tmp_path: Path) -> None:
    assert "accache_aligned({" not in emitted(tmp_path, FOUR, ALL, wide="off")


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
@pytest.mark.parametrize(("body", "loads"), [(ALL, 1), (MOVED, 2)])
def test_nvcc_makes_one_access_of_a_structure(body: str, loads: int, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(emitted(tmp_path, FOUR, body, runtime=True))
    subprocess.run(["nvcc", "-arch=sm_90", "-ptx", "a.cu", "-o", "a.ptx"], check=True, cwd=tmp_path)
    kernel = (tmp_path / "a.ptx").read_text().partition("f_L7_kernel")[2].partition("\n}")[0]
    assert kernel.count("ld.global") == len(re.findall(r"ld\.global(\.nc)?\.v4\.f32", kernel)) == loads
    assert kernel.count("st.global.v4.f32") == kernel.count("st.global") == 1


def test_results_are_those_of_the_program(tmp_path: Path) -> None:
    cases = []
    for number, (fields, body) in enumerate(((FOUR, ALL), (FOUR, SOME), (FOUR, MOVED), (TWO, PAIR))):
        text = (
            PROGRAM.format(fields=fields, body=body)
            .replace("f(int", f"f{number}(int")
            .replace("  f(n", f"  f{number}(n")
            .replace("part", f"part{number}")
        )
        cases.append(Case(Program(f"structures{number}", text, ((1,), (300,)), (), cached=False), Options()))
    assert Batch(tmp_path, cases).differences(check=True) == []


PRODUCTS = """
typedef struct {{ float other, v[4][4]; }} matrix;
void f(int n, const {type} *restrict a, const {type} *restrict b, {type} *restrict c)
{{
#pragma acc parallel loop collapse(3) copyin(a[0:{count}], b[0:{count}]) copyout(c[0:{count}])
    for (int s = 0; s < n; ++s)
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {{
                float sum = 0;
                for (int k = 0; k < 4; ++k)
                    sum += {left} * {right};
                {result} = sum;
            }}
}}
"""


def test_arrays_in_structures_are_estimated_like_other_arrays(tmp_path: Path) -> None:
    nested = {"type": "matrix", "count": "n", "left": "a[s].v[i][k]", "right": "b[s].v[k][j]", "result": "c[s].v[i][j]"}
    plain = {"left": "a[17*s + 4*i + k + 1]", "right": "b[17*s + 4*k + j + 1]", "result": "c[17*s + 4*i + j + 1]"}
    clocks = []
    for words in (nested, {"type": "float", "count": "17*n", **plain}):
        path = tmp_path / "a.c"
        path.write_text(PRODUCTS.format(**words))
        clocks.append(translate(str(path), Options()).report.kernels[0].candidates[0].clocks)
    assert clocks[0] == pytest.approx(clocks[1], rel=0.01)
