"""Collapsed loops that are more than a grid has axes: which of them become one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from commands import accache

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
#include <stdio.h>
static int y[8192];

void fill(int a, int b, int c, int d, int e)
{{
#pragma acc parallel loop collapse({count}) copy(y)
    {loops}
        y[((({h}*b + i)*c + j)*d + k)*{last} + l] = 10000*{h} + 1000*i + 100*j + 10*k + l;
}}

int main(void)
{{
    int of[][5] = {{{{2, 3, 4, 5, 6}}, {{1, 7, 1, 9, 40}}, {{3, 0, 4, 5, 6}}, {{2, 3, 0, 5, 6}}, {{3, 2, 2, -1, 3}}}};
    for (int n = 0; n < 5; ++n) {{
        fill(of[n][0], of[n][1], of[n][2], of[n][3], of[n][4]);
        long sum = 0;
        for (int at = 0; at < 8192; ++at)
            sum += (at % 97 + 1L) * y[at];
        printf("%ld\\n", sum);
    }}
}}
"""
OUTER = "for (int i = 0; i < b; ++i) for (int j = c - 1; j >= 0; --j) for (int k = 0; k < d; ++k) "


def program(folder: Path, loops: str, last: str) -> Path:
    count = loops.count("for (")
    path = folder / "a.c"
    path.write_text(PROGRAM.format(count=count, loops=loops, last=last, h="h" if count == 5 else "a"))
    return path


@pytest.mark.parametrize(
    ("loops", "last", "over"),
    [
        (OUTER + "for (int l = 0; l < e; ++l)", "e", ("i_j", "k", "l")),
        (OUTER + "for (int l = 0; l < 40; ++l)", "40", ("i_j", "k", "l")),
        (OUTER + "for (int l = 0; l < 3; ++l)", "3", ("i", "j", "k_l")),
        ("for (int h = 0; h < a; ++h) " + OUTER + "for (int l = 0; l < e; ++l)", "e", ("h_i_j", "k", "l")),
        ("for (int h = 0; h < a; ++h) " + OUTER + "for (int l = 0; l < 2; ++l)", "2", ("h", "i", "j_k_l")),
    ],
)
def test_the_outer_loops_become_one_unless_the_inner_one_is_short(
    loops: str, last: str, over: tuple[str, ...], tmp_path: Path
) -> None:
    path = program(tmp_path, loops, last)
    (kernel,) = translate(str(path), Options(runtime=False)).report.kernels
    assert tuple(name.split("#")[0] for name in kernel.loops) == over
    subprocess.run(["gcc", "-O1", "-w", "-o", tmp_path / "a", path], check=True)
    expected = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=True).stdout
    done = accache("run", "--check", "--seed", "3", str(path))
    assert (done.returncode, done.stdout) == (0, expected)
