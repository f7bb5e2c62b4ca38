"""Loops over chunks that no tile holds: threads that walk rows load several elements at once."""

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
void {name}(int n, int m, const float *restrict a, const float *restrict x, float *restrict y)
{{
#pragma acc parallel loop copyin(a[0:n*m], x[0:m]) copy(y[0:n])
    for (int i = 0; i < n; ++i) {{
        float s = 0;
        for ({chunks}) {{
            {end}
            for (int j = t; {test}; ++j)
                {statement}
        }}
        y[i] = s;
    }}
}}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), m = atoi(argv[2]), seed = atoi(argv[3]);
    float *a = malloc(n*m*sizeof *a + 64), *x = malloc(m*sizeof *x + 64), *y = malloc(n*sizeof *y + 64);
    for (int i = 0; i < n*m; ++i)
        a[i] = (i*7919u + seed) % 1009 / 16.0f;
    for (int i = 0; i < m; ++i)
        x[i] = (i*31u + seed) % 97 / 8.0f;
    for (int i = 0; i < n; ++i)
        y[i] = -1;
    {name}(n, m, a, x, y);
    unsigned hash = 0;
    for (int i = 0; i < n; ++i)
        hash = hash*31 + (unsigned)(int)y[i];
    printf("%u\\n", hash);
    return 0;
}}
"""
CHUNKS = "int t = 0; t < m; t += 128"
SUM = "s += a[i*m + j]*x[j];"
BOTH = "j < t + 128 && j < m"
END = "const int end = t + 128 < m ? t + 128 : m;"
JOINED = {
    "both": (CHUNKS, "", BOTH, SUM),
    "other": (CHUNKS, "", "j < m && j < t + 128", SUM),
    "smaller": (CHUNKS, "", "j < (t + 128 < m ? t + 128 : m)", SUM),
    "end": (CHUNKS, END, "j < end", SUM),
    "below": ("int t = 4; t < m; t += 128", END, "j < end", SUM),
}
LEFT = {
    "past": (CHUNKS, "", "j < t + 128 && j < m - 1", SUM),
    "longer": (CHUNKS, "", "j < t + 129 && j < m", SUM),
    "shorter": (CHUNKS, "", "j < t + 127 && j < m", SUM),
    "used": (CHUNKS, "", BOTH, "s += a[i*m + j]*x[j - t];"),
    "ended": (CHUNKS, END, "j < end", "s += a[i*m + j]*x[end - 1];"),
    "left": (CHUNKS, "", BOTH, "{ if (x[j] > 11) break; s += a[i*m + j]*x[j]; }"),
    "more": (CHUNKS, "s += t;", BOTH, SUM),
    "effect": (CHUNKS, "float more = s *= 0.5f;", BOTH, SUM),
    "effect_beside": (CHUNKS, f"{END} float more = s *= 0.5f;", "j < end", SUM),
    "narrow": (CHUNKS, "const signed char end = t + 128 < m ? t + 128 : m;", "j < end", SUM),
    "unsigned": ("unsigned t = 0; t < m; t += 128", "", BOTH, SUM),
    "changing": (CHUNKS, "", "j < t + 128 && j < m && s < 99", SUM),
}


def program(name: str, parts: tuple[str, str, str, str]) -> str:
    chunks, end, test, statement = parts
    return PROGRAM.format(name=name, chunks=chunks, end=end, test=test, statement=statement)


def is_joined(folder: Path, parts: tuple[str, str, str, str]) -> bool:
    """Whether the kernel has one loop, of neighbouring elements, in the place of two."""
    path = folder / "a.c"
    path.write_text(program("f", parts))
    kernel = translate(str(path), Options(runtime=False)).device.partition("_kernel(")[2].partition("\n}")[0]
    return "j_base" in kernel and re.search(r"\bt\b", kernel) is None


@pytest.mark.parametrize("name", JOINED)
def test_one_loop_takes_the_place(name: str, tmp_path: Path) -> None:
    assert is_joined(tmp_path, JOINED[name])


@pytest.mark.parametrize("name", LEFT)
def test_other_loops_stay(name: str, tmp_path: Path) -> None:
    assert not is_joined(tmp_path, LEFT[name])


def test_a_directive_that_does_not_pay_leaves_no_chunks(tmp_path: Path) -> None:
    assert is_joined(tmp_path, (CHUNKS, "\n#pragma acc cache(x[t:128])\n", BOTH, SUM))


def test_results_are_the_same(tmp_path: Path) -> None:
    sizes = ((1, 3), (40, 128), (65, 256), (300, 100), (257, 133), (9, 260))
    forms = {**JOINED, **LEFT}.items()
    cases = [Case(Program(f"by_{name}", program(f"f_{name}", parts), sizes, ()), Options()) for name, parts in forms]
    assert Batch(tmp_path, cases).differences(check=True) == []
