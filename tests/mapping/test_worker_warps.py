"""Workers of several warps that take ways of their own become warps, whose lanes wait for each other alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import Translation, translate

PROGRAM = """
#include <stdio.h>
static void {name}(void)
{{
    static float a[40][70], b[40][70], r[40];
    static int length[40];
    for (int i = 0; i < 40; ++i) {{
        length[i] = i * 37 % 70;
        for (int j = 0; j < 70; ++j)
            a[i][j] = (i * 31 + j * 17) % 23 - 5;
    }}
#pragma acc parallel loop gang worker {sizes} copyin(a, length) copy(b, r)
    for (int i = 0; i < 40; ++i) {{
        {body}
    }}
    for (int i = 0; i < 40; ++i)
        for (int j = 0; j < 70; ++j)
            printf("%g %g\\n", r[i], b[i][j]);
}}
int main(void)
{{
    {name}();
    return 0;
}}
"""
SUM = """float sum = 0;
#pragma acc loop vector reduction(+:sum)
for (int j = 0; j < length[i]; ++j) sum += a[i][j];
r[i] = sum;"""
FILL = """
#pragma acc loop vector
for (int j = 0; j < 70; ++j) b[i][j] += a[i][j] + r[i];"""
BODIES = {
    "sum": f"if (length[i] > 10) {{ {SUM} }}",
    "condition": f"if (length[i] > 10) {{ {SUM} {FILL}\n }}",
    "continue": f"if (i % 3 == 0) continue; {SUM} {FILL}\n",
    "rounds": f"for (int k = 0; k < length[i] % 7; ++k) {{ {SUM} {FILL}\n if (b[i][3] > 60) break; {FILL}\n }}",
    "while": f"int k = 0; while (k < length[i] % 5) {{ {SUM} r[i] += k; ++k; {FILL}\n }}",
}
SIZES = ("num_workers(4) vector_length(64)", "vector_length(128)", "num_workers(4) vector_length(32)")


def translated(sizes: str, body: str, folder: Path) -> Translation:
    source = folder / "a.c"
    source.write_text(PROGRAM.format(name="f", sizes=sizes, body=body))
    return translate(str(source), Options())


@pytest.mark.parametrize("check", [False, True])
def test_results_are_those_of_the_sequential_program(check: bool, tmp_path: Path) -> None:
    programs = [
        Program(f"p{number}{name}", PROGRAM.format(name=f"p{number}{name}", sizes=sizes, body=body), ((),), ())
        for number, sizes in enumerate(SIZES)
        for name, body in BODIES.items()
    ]
    assert Batch(tmp_path, [Case(program, Options()) for program in programs]).differences(check=check) == []


CALLING = """
#pragma acc routine vector
static void add(int *x, int n)
{
#pragma acc loop vector
    for (int j = 0; j < n; ++j)
        x[j] += n;
}
void f(int *b, int n, int m)
{
#pragma acc parallel loop gang copy(b[0:n*n])
    for (int g = 0; g < n; ++g) {
#pragma acc loop worker
        for (int i = 0; i < 4; ++i) {
            if (b[n*g + i] > m)
                continue;
            int sum = 0;
#pragma acc loop vector reduction(+:sum)
            for (int j = 4; j < n; ++j)
                sum += b[n*g + j];
            b[n*g + i] = sum;
        }
        add(b + n*g, n);
    }
}
"""


def test_blocks_that_serve_routines_have_warps_for_workers(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(CALLING)
    found = translate(str(tmp_path / "a.c"), Options())
    assert "const dim3 block(32, 4);" in found.device
    assert [item.code for item in found.diagnostics] == ["ACC366"]


def test_a_warning_tells_of_it_where_it_has_to_be(tmp_path: Path) -> None:
    for body in BODIES.values():
        found = translated(SIZES[0], body, tmp_path)
        assert [item.code for item in found.diagnostics] == ["ACC366"]
        assert "const dim3 block(32, 4);" in found.device
    assert "const dim3 block(64, 4);" in translated(SIZES[0], SUM, tmp_path).device
    assert translated(SIZES[2], BODIES["while"], tmp_path).diagnostics == ()
