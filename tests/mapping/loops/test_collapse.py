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


FORCED = """
#include <stdio.h>
static int a[5][6][7][9];

int main(void)
{{
#pragma acc parallel loop collapse(force:{count}) copy(a)
    for (int i = 0; i < 5; ++i) {{
        int x = i * 2, u;
        for (int j = 0; j < 6; ++j) {{
            int y = x + j;
            u = y + 1;
            {between}
            for (int k = 0; k < {limit}; ++k) {{
                int z = y + x + k;
                for (int l = 0; l < 9; ++l)
                    a[i][j][k][l] = z * u + l {last};
            }}
        }}
    }}
    long sum = 0;
    for (int at = 0; at < 5 * 6 * 7 * 9; ++at)
        sum += (at % 97 + 1L) * (&a[0][0][0][0])[at];
    printf("%ld\\n", sum);
}}
"""


@pytest.mark.parametrize("count", [2, 3, 4])
def test_declarations_between_forced_loops_use_each_other(count: int, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(FORCED.format(count=count, between="", limit="7", last="+ x"))
    subprocess.run(["gcc", "-O1", "-w", "-o", tmp_path / "a", path], check=True)
    expected = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=True).stdout
    done = accache("run", "--check", "--seed", "3", str(path))
    assert (done.returncode, done.stdout) == (0, expected)
    assert "ACC315" not in done.stderr


@pytest.mark.parametrize(
    ("between", "limit", "last"),
    [("x = j;", "7", "+ x"), ("", "x < 7 ? x : 7", "+ x"), ("", "7", "+ (x += j)")],
    ids=["given twice", "in a head further in", "changed inside"],
)
def test_forced_loops_stay_nested_where_it_matters_how_often_values_are_given(
    between: str, limit: str, last: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.c"
    path.write_text(FORCED.format(count=4, between=between, limit=limit, last=last))
    assert "ACC315" in [item.code for item in translate(str(path), Options()).diagnostics]
