"""Several iterations a thread of the third loop: what neighbouring planes have in common is loaded once."""

from __future__ import annotations

from pathlib import Path

import pytest
from families import some
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache import explain
from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
static void {name}_f(int n, int m, int l, const float *restrict u, float *restrict v, const float *restrict w)
{{
#pragma acc parallel loop {clauses} copyin(u[0:n*m*l], w[0:m*l+5]) copy(v[0:n*m*l])
    for (int i = {from}; i < n{to}; ++i)
        for (int j = {from}; j < m{to}; ++j)
            for (int k = {from}; k < l{to}; ++k) {{
                {body}
            }}
}}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), m = atoi(argv[2]), l = atoi(argv[3]), size = n * m * l;
    float *u = malloc(sizeof(float) * size), *v = malloc(sizeof(float) * size), *w = malloc(sizeof(float) * (m*l + 5));
    for (int i = 0; i < size; ++i) {{
        u[i] = i * 7 % 11 - 4;
        v[i] = i % 5;
    }}
    for (int i = 0; i < m*l + 5; ++i)
        w[i] = i % 3 - 1;
    {name}_f(n, m, l, u, v, w);
    unsigned hash = 0;
    for (int i = 0; i < size; ++i)
        hash = hash * 31 + (unsigned)(int)(4 * v[i]);
    printf("%u\\n", hash);
    return 0;
}}
"""
SIZES = ((1, 3, 5), (5, 5, 5), (8, 6, 33), (12, 9, 40), (13, 7, 35), (21, 5, 36))
STAR = (
    "float s = u[(i*m + j)*l + k]; for (int r = 1; r <= 2; ++r) s += w[r]*(u[((i-r)*m + j)*l + k] + "
    "u[((i+r)*m + j)*l + k] + u[(i*m + j-r)*l + k] + u[(i*m + j+r)*l + k] + u[(i*m + j)*l + k-r] + "
    "u[(i*m + j)*l + k+r]); v[(i*m + j)*l + k] = s;"
)
BODIES = {
    "star": (STAR, "collapse(3)", "2"),
    "mask": ("v[(i*m + j)*l + k] += u[(i*m + j)*l + k] * w[j*l + k];", "collapse(3)", "0"),
    "edges": (
        "float s = 0; if (i > 0 && i < n - 1) s = u[((i-1)*m + j)*l + k] - u[((i+1)*m + j)*l + k]; "
        "v[(i*m + j)*l + k] = s;",
        "collapse(3)",
        "0",
    ),
    "clamped": (
        "float s = 0; for (int r = i - 1; r <= i + 1; ++r) { int q = r < 0 ? 0 : r < n ? r : n - 1; "
        "s += u[(q*m + j)*l + k]; } v[(i*m + j)*l + k] = s;",
        "collapse(3)",
        "0",
    ),
    "column": (
        "float s = v[(i*m + j)*l + k]; for (int q = i; q < n; ++q) s += u[(q*m + j)*l + k]; v[(i*m + j)*l + k] = s;",
        "collapse(3)",
        "0",
    ),
    "some": ("if ((i + j) % 3) v[(i*m + j)*l + k] = 2 * u[(i*m + j)*l + k] + i;", "collapse(3)", "1"),
}


def program(name: str) -> str:
    body, clauses, edge = BODIES[name]
    to = f" - {edge}" if edge != "0" else ""
    return PROGRAM.format(name=name, body=body, clauses=clauses, to=to, **{"from": edge})


@pytest.mark.parametrize("planes", some(["4x1x1", "8x1x1"], 2))
def test_results_are_those_of_the_program(planes: str, tmp_path: Path) -> None:
    cases = [Case(Program(name, program(name), SIZES, (), cached=False), Options(coarsen=planes)) for name in BODIES]
    batch = Batch(tmp_path, cases)
    assert [name for name, member in zip(BODIES, batch.members, strict=True) if "i_base" not in member.device] == []
    assert batch.differences(check=True) == []


def test_a_star_in_three_dimensions_walks_along_planes(tmp_path: Path) -> None:
    path = tmp_path / "star.c"
    path.write_text(program("star"))
    (kernel,) = explain(str(path)).kernels
    chosen = next(item for item in kernel.candidates if item.chosen)
    assert chosen.name == "8x1x1"
    others = {item.name: item for item in kernel.candidates}
    assert chosen.read < others["2x2"].read / 3  # whose blocks read four planes around each of theirs
    text = translate(str(path), Options()).device
    assert "8*(z_start + blockIdx.z) + 2" in text


def test_what_no_planes_share_is_left_to_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.c"
    path.write_text(
        program("star").replace(STAR, "v[(i*m + j)*l + k] = u[(i*m + j-1)*l + k] + u[(i*m + j+1)*l + k] * 2;")
    )
    (kernel,) = explain(str(path)).kernels
    assert not next(item for item in kernel.candidates if item.chosen).name.endswith("x1x1")


def test_planes_that_l1_holds_are_read_once(tmp_path: Path) -> None:
    path = tmp_path / "small.c"
    text = "static float a[64][{m}][{m}], b[64][{m}][{m}];\nvoid f(void)\n{{\n#pragma acc parallel loop collapse(3)\n"
    text += "    for (int i = 1; i < 63; ++i)\n        for (int j = 0; j < {m}; ++j)\n"
    text += "            for (int k = 0; k < {m}; ++k)\n"
    text += "                b[i][j][k] = a[i - 1][j][k] + a[i][j][k] + a[i + 1][j][k];\n}}\n"
    read = []
    for m in (32, 512):
        path.write_text(text.format(m=m))
        (kernel,) = explain(str(path), coarsen="off").kernels
        read.append(kernel.candidates[0].read if kernel.candidates else None)
    assert read[0] == 128
    assert read[1] == 256  # blocks of two planes touch four


def test_rows_stand_for_planes_where_a_kernel_has_none(tmp_path: Path) -> None:
    path = tmp_path / "flat.c"
    path.write_text(
        "void f(int n, float *a)\n{\n#pragma acc parallel loop collapse(2) copy(a[0:n*n])\n"
        "    for (int i = 0; i < n; ++i)\n        for (int j = 0; j < n; ++j)\n            a[i*n + j] += i;\n}\n"
    )
    (kernel,) = explain(str(path), coarsen="8x1x1").kernels
    assert kernel.iterations == (8, 1)
    assert "i_base" in translate(str(path), Options(coarsen="8x1x1")).device
