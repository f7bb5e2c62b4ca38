"""Loops over unsigned numbers: their ends, what launches test of them, and threads with several iterations."""

from __future__ import annotations

from pathlib import Path

import pytest
from coarse_programs import kernel
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

ROWS = """
#include <stddef.h>
void f({type} n, {type} m, const float *restrict a, float *restrict b)
{{
#pragma acc parallel loop collapse(2) copyin(a[0:n*m+m]) copy(b[0:n*m+1])
    for ({type} i = 0; i < n; ++i)
        for ({type} j = 1; j < m - 1; ++j)
            b[i*m + j] = a[i*m + j - 1] + a[i*m + j + 1] + a[j];
}}
"""
COUNTED = """
#include <stddef.h>
void f({type} lo, {type} hi, const float *restrict a, float *restrict b)
{{
#pragma acc parallel loop copyin(a[0:hi-lo]) copy(b[0:hi-lo])
    for ({type} i = lo; i {operator} hi{minus}; ++i)
        b[i - lo] = 2 * a[i - lo];
}}
"""
MAIN = """
#include <stdio.h>
#include <stdlib.h>
{function}
int main(int argc, char **argv)
{{
    const {type} n = strtoull(argv[1], 0, 10), m = strtoull(argv[2], 0, 10);
    const size_t count = {count};
    float *a = malloc(sizeof(float) * (count + m + 1)), *b = malloc(sizeof(float) * (count + 1));
    for (size_t i = 0; i < count + m; ++i)
        a[i] = (float)((i * 7 + 3) % 11);
    for (size_t i = 0; i <= count; ++i)
        b[i] = (float)(i % 5);
    f(n, m, a, b);
    for (size_t i = 0; i < count; ++i)
        printf("%g ", b[i]);
    return 0;
}}
"""
TYPES = ("unsigned", "unsigned long", "size_t")


@pytest.mark.parametrize("ctype", TYPES)
def test_threads_have_several_iterations_as_with_int(ctype: str, tmp_path: Path) -> None:
    found, signed = (kernel(tmp_path, ROWS.format(type=item), "4x2") for item in (ctype, "int"))
    assert "if (i_base + 3 < n && j_base + 32 < m - 1) {" in found
    assert "for (T i = i_base; i < i_base + 4 && i < n; ++i)".replace("T", ctype) in found
    assert "long long" not in found
    assert len(found.splitlines()) == len(signed.splitlines())


@pytest.mark.parametrize("ctype", TYPES)
@pytest.mark.parametrize("coarsen", ["off", "4x2"])
def test_rows_of_no_and_of_few_elements_come_out_as_in_c(ctype: str, coarsen: str, tmp_path: Path) -> None:
    sizes = [(0, m) for m in range(4)] + [(n, m) for n in (1, 2, 3, 9, 33) for m in (1, 2, 3, 34, 67)]
    text = MAIN.format(function=ROWS.format(type=ctype), type=ctype, count="(size_t)n * m")
    program = Program("rows", text, tuple(sizes), (), cached=False)
    batch = Batch(tmp_path, [Case(program, Options(coarsen=coarsen))])
    assert batch.differences(check=True) == []


@pytest.mark.parametrize(("operator", "minus"), [("<", ""), ("<=", " - 1")])
@pytest.mark.parametrize("coarsen", ["off", "2"])
@pytest.mark.parametrize(("ctype", "end"), [("unsigned", 2**32 - 1), ("unsigned long", 2**64 - 1)])
def test_loops_up_to_the_end_of_their_type_come_out_as_in_c(
    ctype: str, end: int, coarsen: str, operator: str, minus: str, tmp_path: Path
) -> None:
    function = COUNTED.format(type=ctype, operator=operator, minus=minus)
    # f's arrays are counted from lo on
    text = MAIN.format(function=function, type=ctype, count="m - n").replace("count + m", "count")
    sizes = ((end - 5, end), (end - 300, end), (end - 1, end), (7, 8), (7, 300), (end // 2 - 9, end // 2 + 9))
    program = Program("counted", text, sizes, (), cached=False)
    batch = Batch(tmp_path, [Case(program, Options(coarsen=coarsen))])
    assert batch.differences(check=True) == []


@pytest.mark.parametrize(
    ("ctype", "test"),
    [
        ("unsigned", "if (n <= INT_MAX && m - 1 <= INT_MAX) {"),
        ("size_t", ""),  # counted in 64 bits with a sign, they are in the lower half where there are iterations
        ("int", ""),
    ],
)
def test_the_launch_tests_that_limits_are_far_from_the_end(ctype: str, test: str, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(ROWS.format(type=ctype))
    device = translate(str(path), Options(coarsen="4x2", runtime=False)).device
    assert test in device
    assert ("INT_MAX" in device) == bool(test)
    assert ("_kernel_single<<<" in device) == bool(test)


@pytest.mark.parametrize(
    ("head", "condition"),
    [
        ("for (unsigned i = 0; i < n; ++i)", "if (i < n)"),
        ("for (unsigned i = 1; i < n - 1; ++i)", "if (i - 1 < n - 2)"),
        ("for (unsigned i = m; i <= n; ++i)", "if (i - m <= n - m)"),
        ("for (size_t i = m; i < n; ++i)", "if (i - m < n - m)"),
        ("for (size_t i = 1; i < n - 1; ++i)", "if (i < n - 1)"),
        ("for (unsigned i = 2; i < 4096; ++i)", "if (i < 4096)"),
        ("for (unsigned i = 1; i < n; i += 2)", "if (i - 1 < n - 1)"),
        (
            "for (unsigned i = 1; i < n; i += 3)",
            "if (256*blockIdx.x + threadIdx.x < ((long long)n - (long long)1 + 2)/3)",
        ),
    ],
)
def test_iterations_exist_by_a_comparison_in_the_loops_own_type(head: str, condition: str, tmp_path: Path) -> None:
    text = "#include <stddef.h>\nvoid f(unsigned n, unsigned m, float *restrict b)\n{\n"
    text += f"#pragma acc parallel loop copy(b[0:n])\n    {head}\n        b[i] += 1;\n}}\n"
    assert condition in kernel(tmp_path, text, "off")


def test_loops_that_count_unsigned_numbers_down_have_one_iteration_a_thread(tmp_path: Path) -> None:
    text = "void f(unsigned n, float *restrict b)\n{\n#pragma acc parallel loop copy(b[0:n])\n"
    text += "    for (unsigned i = n; i > 0; --i)\n        b[i - 1] += 1;\n}\n"
    assert "_base" not in kernel(tmp_path, text, "2")


LANES = """
#include <stddef.h>
void f({type} n, {type} m, const float *restrict a, float *restrict b)
{{
#pragma acc parallel loop gang copyin(a[0:n*m]) copy(b[0:n*m])
    for ({type} i = 0; i < n; ++i) {{
        float sum = 0;
#pragma acc loop vector reduction(+:sum)
        for ({type} j = 0; j < m; ++j)
            sum += a[i*m + j];
        b[i*m] = sum;
    }}
}}
"""


@pytest.mark.parametrize(("ctype", "is_plain"), [("size_t", True), ("unsigned", False)])
def test_lanes_take_neighbouring_iterations_where_no_index_may_wrap(ctype: str, is_plain: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(LANES.format(type=ctype))
    device = translate(str(path), Options(runtime=False)).device
    assert (f"for ({ctype} j_base = 4*({ctype})threadIdx.x; j_base < m; j_base += 128)" in device) == is_plain
    assert ("for (long long j_number" in device) != is_plain


@pytest.mark.parametrize("ctype", TYPES)
def test_lanes_go_through_rows_as_in_c(ctype: str, tmp_path: Path) -> None:
    sizes = [(0, 0), (0, 3), *((n, m) for n in (1, 2, 3, 300) for m in (1, 2, 3, 4, 33, 128))]
    text = MAIN.format(function=LANES.format(type=ctype), type=ctype, count="(size_t)n * m")
    batch = Batch(tmp_path, [Case(Program("lanes", text, tuple(sizes), (), cached=False), Options())])
    assert batch.differences(check=True) == []
