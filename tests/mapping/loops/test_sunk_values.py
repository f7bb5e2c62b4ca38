"""Values in front of a row's loop: where each element computes them for itself, so that one nest is left."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from commands import accache

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
typedef struct {{ float left, right; }} pair;
void f(int n, int m, const float *x, const pair *restrict w, float *y)
{{
#pragma acc parallel loop {outer} copyin(x[0:n*m], w[0:n]) copy(y[0:n*m])
    for (int i = 1; i < n - 1; ++i) {{
        {values}
        {inner}
        for (int j = 1; j < m - 1; ++j)
            y[i*m + j] = {value};
    }}
}}
"""
LANES = "\n#pragma acc loop vector\n"
ROWS = "x[up + j] + x[down + j] + x[i*m + j - 1] + x[i*m + j + 1]"
INDICES = "const int up = (i - 1)*m; const int down = up + 2*m;"


def is_nest(folder: Path, values: str, value: str, *, outer: str = "gang", inner: str = LANES) -> bool:
    """Whether the kernel's blocks have rows and columns."""
    path = folder / "a.c"
    path.write_text(PROGRAM.format(values=values, value=value, outer=outer, inner=inner))
    device = translate(str(path), Options(runtime=False, coarsen="off")).device
    return "threadIdx.y" in device.partition("_kernel(")[2].partition("\n}")[0]


@pytest.mark.parametrize(("outer", "inner"), [("gang", LANES), ("", LANES), ("", ""), ("gang", "\n#pragma acc loop\n")])
def test_indices_are_computed_for_each_element(outer: str, inner: str, tmp_path: Path) -> None:
    assert is_nest(tmp_path, INDICES, ROWS, outer=outer, inner=inner)


@pytest.mark.parametrize(
    ("values", "value", "expected"),
    [
        (INDICES + " float own = x[i*m];", ROWS + " + own", True),
        (INDICES + " pair own = w[i];", ROWS + " + own.left", True),
        (INDICES + " float own = w[i].left + x[i];", ROWS + " + own", False),  # two loads for five
        (INDICES + " float own = y[i*m];", ROWS + " + own", False),  # which other elements write
        (INDICES + " float own = i; own += 1;", ROWS + " + own", False),
        (INDICES + " float own = 1.0f / i;", ROWS + " + own", False),
        (INDICES + " int own = i % m;", ROWS + " + own", False),
        (INDICES + " int own = i % 8;", ROWS + " + own", True),
        (INDICES + " float own = sqrtf(i);", ROWS + " + own", False),
        (INDICES + " float own = 1, *p = &own;", ROWS + " + *p", False),
        (INDICES + " volatile int own = i;", ROWS + " + own", False),
    ],
)
def test_what_costs_much_or_changes_stays_where_it_is(values: str, value: str, expected: bool, tmp_path: Path) -> None:
    assert is_nest(tmp_path, values, value) == expected


def test_arrays_that_overlap_have_a_version_of_their_own(tmp_path: Path) -> None:
    """What a row's first element is before its elements are written, the others know in neither version."""
    program = """
    #include <stdio.h>
    static float memory[40*70 + 40];
    static void f(int n, int m, const float *x, float *y)
    {
    #pragma acc parallel loop gang copy(y[0:n*m]) present_or_copyin(x[0:n*m])
        for (int i = 1; i < n - 1; ++i) {
            const int row = i*m;
            const float own = x[row + 8];
    #pragma acc loop vector
            for (int j = 0; j < m; ++j)
                y[row + j] = own - y[row + j] + y[row + j]*y[row + j]/8 + y[row + j]/4;
        }
    }
    int main(void)
    {
        for (int apart = 0; apart < 2; ++apart) {
            static float other[40*70];
            for (int k = 0; k < 40*70; ++k) { memory[k] = k % 13 - 5; other[k] = k % 9; }
    #pragma acc data copy(memory)
            f(40, 70, apart ? other : memory, memory);
            double sum = 0;
            for (int k = 0; k < 40*70; ++k) sum += (k % 31 + 1)*memory[k];
            printf("%g\\n", sum);
        }
    }
    """
    path = tmp_path / "a.c"
    path.write_text(program.replace("\n    #", "\n#"))
    done = accache("run", "--check", "--seed", "2", str(path))
    subprocess.run(["gcc", "-O1", "-w", "-o", tmp_path / "a", path], check=True)
    expected = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=True).stdout
    assert (done.returncode, done.stdout) == (0, expected)


ROW = """
#include <stdio.h>
typedef struct {{ int left, right; }} pair;
static int x[300], y[500], d[40*500], first = 3, held[40];
#pragma acc declare create(held)
#pragma acc routine seq
static void hold(int i, int value) {{ held[i] = value; }}
static pair r[40];
static void f(int n, int m, int is_own, int *p)
{{
    pair *q = r;
#pragma acc parallel loop gang copyin(x, y) copy(d, r, first) {clauses}
    for (int i = 0; i < n; i++) {{
        {values}
#pragma acc loop vector
        for (int j = 0; j < m; j++) {{
            d[i*m + j] += own*y[j] + y[m - 1 - j] + d[i*m + j]*y[j];
            for (int k = 0; k < 4; k++)
                d[i*m + j] += y[k] - y[k + 4];
            if (j == 0)
                {change};
        }}
    }}
}}
int main(void)
{{
    for (int i = 0; i < 40*500; i++) {{ d[i] = i % 101; r[i % 40].left = held[i % 40] = i % 7; }}
#pragma acc update device(held)
    for (int i = 0; i < 500; i++) {{ x[i % 300] = i % 13; y[i] = i % 11; }}
#pragma acc data copy(first, r)
    f({rows}, 500, 1, &first);
    unsigned sum = first;
    for (int i = 0; i < 40*500; i++) sum = sum*31 + d[i] + r[i % 40].left;
    printf("%u\\n", sum);
}}
"""


@pytest.mark.parametrize("seed", ["2", "4"])
@pytest.mark.parametrize(
    ("values", "change", "rows", "clauses"),
    [
        ("int *row = is_own ? d + i*m : d; int own = row[0] + x[i];", "d[i*m] += 5", "40", ""),
        ("pair *part = is_own ? r + i : r; int own = part->left;", "r[i].left = own + 1", "40", ""),
        ("int own = q->left;", "q->left = own + 1", "1", "present(q)"),
        ("int own = first;", "p[0] = own + 1", "1", "present(p)"),
        ("int own = held[i];", "hold(i, own + 5)", "40", ""),
    ],
    ids=["pointer of a row", "member of a row", "member of all", "number", "variable of the file"],
)
def test_what_a_row_loads_is_loaded_before_its_elements_change_it(
    values: str, change: str, rows: str, clauses: str, seed: str, tmp_path: Path
) -> None:
    """Whatever the address was computed from, and if it is that of a number."""
    path = tmp_path / "a.c"
    path.write_text(ROW.format(values=values, change=change, rows=rows, clauses=clauses))
    done = accache("run", "--seed", seed, str(path))
    subprocess.run(["gcc", "-O1", "-w", "-o", tmp_path / "a", path], check=True)
    expected = subprocess.run([tmp_path / "a"], capture_output=True, text=True, check=True).stdout
    assert (done.returncode, done.stdout) == (0, expected), done.stderr
