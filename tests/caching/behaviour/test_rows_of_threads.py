"""Threads that walk through rows of their own load several elements at once, where the launch finds them aligned."""

from __future__ import annotations

from pathlib import Path

import pytest
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

FUNCTION = """
void {name}_f(int n, const {type} *{restrict} a, const {type} *{restrict} b, {type} *{restrict} c)
{{
#pragma acc parallel loop present(a[0:n*{row}], b[0:n*{row}], c[0:n*{row}])
    for (int s = 0; s < n; ++s) {{
{body}
    }}
}}
"""
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
{function}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), shift = atoi(argv[2]), seed = atoi(argv[3]), size = n * {row} + 8, all = 3 * size;
    {type} *pool = malloc(sizeof *pool * all), *b = malloc(sizeof *b * all), *c = malloc(sizeof *c * all);
    for (int i = 0; i < all; ++i)
        pool[i] = (i * 7 + seed) % 11 + 1, b[i] = i % 5 + 1, c[i] = i % 3;
#pragma acc data copy(pool[0:all], b[0:all], c[0:all])
    {{
        if (shift < 4)
            {name}_f(n, pool + shift, b, c);
        else if (shift < 8)
            {name}_f(n, pool, b, c + shift - 4);
        else
            {name}_f(n, pool, pool + size - 8, pool + (shift - 8));
    }}
    for (int i = 0; i < all; ++i)
        printf("%g %g ", (double)pool[i], (double)c[i]);
    return 0;
}}
"""
SWEEP = """
{type} d[{row}];
d[0] = a[s*{row}] + c[s*{row}];
for (int i = 1; i < {row}; ++i)
    d[i] = a[s*{row} + i] - b[s*{row} + i] * d[i - 1] / 4;
for (int i = {row} - 2; i >= 0; --i)
    c[s*{row} + i] = d[i] - c[s*{row} + i + 1];
"""
PRODUCTS = """
for (int i = 0; i < {row}; ++i)
    c[s*{row} + i] = a[s*{row} + i] * 2 + b[s*{row} + i] * a[s*{row} + {row} - 1 - i];
"""
STRIDED = """
{type} sum = 0;
for (int i = 0; i < {row}; ++i)
    sum += a[i*n + s] * b[i*n + s];
c[s] = sum;
"""
KINDS = {
    "sweep": (SWEEP, "float", 16, ""),
    "doubles": (SWEEP, "double", 8, ""),
    "twelve": (SWEEP, "float", 12, ""),
    "pairs": (SWEEP, "float", 18, ""),
    "shorts": (SWEEP, "short", 8, ""),
    "cautious": (SWEEP, "float", 8, "restrict"),
}


def source(name: str, body: str, element: str, row: int, restrict: str) -> str:
    """A function whose threads have rows."""
    text = body.format(type=element, row=row)
    return FUNCTION.format(name=name, body=text, type=element, row=row, restrict=restrict)


def text(folder: Path, body: str, element: str, row: int, **options: str) -> str:
    """What is emitted for rows of a length."""
    path = folder / "a.c"
    path.write_text(source("t", body, element, row, "restrict"))
    return translate(str(path), Options(runtime=False, **options)).device


def test_the_launch_finds_out_what_is_aligned(tmp_path: Path) -> None:
    found = text(tmp_path, SWEEP, "float", 16)
    kernel, _, other = found.partition("_kernel_unaligned(")
    assert "a = accache_aligned(a);" in kernel
    assert "c = accache_aligned(c);" in kernel
    assert "accache_aligned(" not in other.partition("\n}")[0]
    assert "__restrict__ c" in other.partition("{")[0]
    assert "if (accache_aligned({a_device, b_device, c_device})) {" in other


@pytest.mark.parametrize(("body", "row"), [(SWEEP, 15), (PRODUCTS, 3), (STRIDED, 16)])
def test_rows_of_other_lengths_and_columns_are_left_alone(body: str, row: int, tmp_path: Path) -> None:
    assert "_unaligned" not in text(tmp_path, body, "float", row)


@pytest.mark.parametrize("options", [{"wide": "off"}, {"tune": "off"}, {"coarsen": "off"}, {"method": "rbc"}])
def test_it_is_a_choice_of_ours(options: dict[str, str], tmp_path: Path) -> None:
    assert "_unaligned" not in text(tmp_path, SWEEP, "float", 16, **options)


def test_arrays_that_may_overlap_are_tested_too(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(source("t", SWEEP, "float", 16, ""))
    found = translate(str(path), Options(runtime=False)).device
    kernel, _, other = found.partition("_kernel_unaligned(")
    assert "__restrict__" in kernel
    assert "__restrict__" not in other.partition("{")[0]
    assert "accache_disjoint(c, {a, b})" in other


def test_results_are_those_of_the_program(tmp_path: Path) -> None:
    cases = []
    for name, (body, element, row, restrict) in KINDS.items():
        function = source(name, body, element, row, restrict="" if restrict else "restrict")
        whole = PROGRAM.format(name=name, function=function, type=element, row=row)
        shifts = (0, 1, 2, 4, 5) if not restrict else (0, 3, 8)
        sizes = tuple((n, shift) for n in (0, 1, 3, 300) for shift in shifts)
        cases.append(Case(Program(name, whole, sizes, (), cached=False), Options()))
    batch = Batch(tmp_path, cases)
    assert [member.case.program.name for member in batch.members if "_unaligned" not in member.device] == []
    assert batch.differences(check=True) == []


DISTANCES = """
#include <stdio.h>
#include <stdlib.h>
static void {name}(int n, int m, int d, const float *restrict x, const float *restrict y, float *restrict out)
{{
#pragma acc parallel loop collapse(2) copyin(x[0:n*d], y[0:m*d]) copyout(out[0:n*m])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {{
{directive}
            float sum = 0;
            for (int k = 0; k < d; ++k)
                sum += (x[i*d + k] - y[j*d + k])*(x[i*d + k] - y[j*d + k]);
            out[i*m + j] = sum;
        }}
}}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), m = atoi(argv[2]), d = atoi(argv[3]), seed = atoi(argv[4]);
    float *x = malloc(n*d*sizeof *x), *y = malloc(m*d*sizeof *y), *out = malloc(n*m*sizeof *out);
    for (int i = 0; i < n*d; ++i)
        x[i] = (i*7 + seed) % 11 / 2.0f;
    for (int i = 0; i < m*d; ++i)
        y[i] = (i*5 + seed) % 13 / 4.0f;
    {name}(n, m, d, x, y, out);
    for (int i = 0; i < n*m; ++i)
        printf("%g ", out[i]);
    return 0;
}}
"""


def distances(name: str, directive: str = "") -> str:
    return DISTANCES.format(name=name, directive=directive)


@pytest.mark.parametrize("directive", ["", "\n#pragma acc cache(x[i*d:8])\n"])
def test_so_do_threads_with_one_iteration_in_small_launches(directive: str, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(distances("f", directive))
    found = translate(str(path), Options(runtime=False)).device
    single = found.partition("_kernel_single(")[2].partition("\n}")[0]
    assert "d = accache_multiple<4>(d);" in single
    assert "sum[" not in single
    plain = found.partition("_kernel_plain(")[2].partition("\n}")[0]
    assert "for (int k = 0; k < d; ++k)" in plain
    assert found.count("d % 4 == 0") == (2 if directive else 1)


def test_results_of_small_launches_are_those_of_the_program(tmp_path: Path) -> None:
    sizes = ((1, 1, 4), (5, 9, 3), (33, 20, 8), (9, 40, 6), (3, 300, 12), (130, 520, 4), (130, 520, 5))
    cases = [
        Case(Program(name, distances(f"f_{name}", directive), sizes, ()), Options())
        for name, directive in (("bare", ""), ("directed", "\n#pragma acc cache(x[i*d:8])\n"))
    ]
    assert Batch(tmp_path, cases).differences(check=True) == []
