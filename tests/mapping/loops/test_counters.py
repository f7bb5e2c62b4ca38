"""Loops of kernels constructs whose counter is read behind the construct."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **arguments)
{
    int i, n = atoi(arguments[1]), stop = atoi(arguments[2]);
    float *a = malloc(200 * sizeof *a);
    for (i = 0; i < 200; ++i)
        a[i] = i % 7;
    i = -1;
#pragma acc kernels copy(a[0:200])
    {
        for (i = 0; i < n; i += 2) {
            if (i > stop)
                break;
#pragma acc loop
            for (int j = 0; j < 50; ++j)
                a[i + j] += a[i + j] + i;
            a[i] += 1;
        }
    }
    printf("%d", i);
    for (i = 0; i < 200; ++i)
        printf(" %g", a[i]);
    return 0;
}
"""


@pytest.mark.parametrize("tune", ["model", "off"])
def test_a_loop_that_a_break_leaves_runs_in_order(tune: str, tmp_path: Path) -> None:
    """Its counter lies in memory, where its head changes it: loops in it were spread all the same, and refused."""
    sizes = (("0", "5"), ("1", "0"), ("9", "4"), ("30", "99"))
    batch = Batch(tmp_path, [Case(Program("left", PROGRAM, sizes, ()), Options(tune=tune))])
    assert batch.differences(check=True) == []


def test_it_is_told(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(PROGRAM)
    translation = translate(str(source), Options())
    assert "ACC307" in {item.code for item in translation.diagnostics}
    assert "__launch_bounds__(1) main_" in translation.device


UNDER_A_DIRECTIVE = """
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **arguments)
{
    int j = -1, n = atoi(arguments[1]);
    float a[200];
    for (int i = 0; i < 200; ++i)
        a[i] = i % 7;
#pragma acc kernels copy(a[0:200])
    {
        for (int i = 1; i < n; ++i) {
#pragma acc cache(a[i:3])
            for (j = 0; j < n; j += 2)
                a[i + j] += a[i + j + 1];
            BEHIND
        }
    }
    printf("%d", j);
    for (int i = 0; i < 200; ++i)
        printf(" %g", a[i]);
    return 0;
}
"""


@pytest.mark.parametrize("behind", ["", "a[199] = j;", "{ float t = a[5]; a[199] = t; }"])
def test_a_counter_of_a_loop_under_a_directive_that_gets_no_tile(behind: str, tmp_path: Path) -> None:
    """What it ends with was lost: without directives another kernel of the region sets it."""
    text = UNDER_A_DIRECTIVE.replace("BEHIND", behind)
    batch = Batch(tmp_path, [Case(Program("under", text, (("0",), ("1",), ("20",)), ()), Options())])
    assert batch.differences(check=True) == []


def test_what_it_ends_with_is_set_once_behind_the_loops(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(UNDER_A_DIRECTIVE.replace("BEHIND", ""))
    device = translate(str(source), Options()).device
    assert re.search(r"main_L\d+_kernel_2\(int n, int \*j\)", device)


LEFT_INSIDE = """
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **arguments)
{
    int k = 0, n = atoi(arguments[1]), a[4000], b[400];
    for (int i = 0; i < 4000; ++i)
        a[i] = i;
    for (int i = 0; i < 400; ++i)
        b[i] = i * 7 % 89;
#pragma acc kernels copy(a, b)
    {
        DIRECTIVE
        for (int i = 2; i < n; ++i)
            for (int j = n; j >= 1; --j)
                for (k = n; k >= 2; --k) {
                    if (b[101 + 2 * i + j - k] > 60)
                        break;
                    a[300 + k * n + j] -= 62;
                }
    }
    printf("%d", k);
    for (int i = 0; i < 4000; ++i)
        printf(" %d", a[i]);
    return 0;
}
"""


@pytest.mark.parametrize("directive", ["", "#pragma acc loop", "#pragma acc loop seq"])
def test_loops_around_one_that_a_break_leaves_run_in_order(directive: str, tmp_path: Path) -> None:
    """The lanes that had got the loop over j all counted with the one k in memory."""
    text = LEFT_INSIDE.replace("DIRECTIVE", f"\n{directive}\n" if directive else "")
    batch = Batch(tmp_path, [Case(Program("inside", text, (("2",), ("17",), ("33",)), ()), Options())])
    assert batch.differences(check=True) == []
