"""Threads with several iterations of parallel loops: what is emitted, what forbids it, that results stay the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from coarse_programs import PROGRAM, SIZES, full_path, kernel
from families import parts, some
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.driver import translate

ROWS = """
void f(int n, int m, const float *restrict a, const float *restrict w, float *restrict b)
{{
#pragma acc parallel loop collapse(2) copyin(a[0:n*m], w[0:9]) copy(b[0:n*m])
    for (int i = 1; i < n - 1; ++i)
        for (int j = 1; j < m - 1; ++j) {{
{body}
        }}
}}
"""
LINE = """
void f(int n, const float *restrict a, float *restrict b)
{{
#pragma acc parallel loop {clauses} copyin(a[0:n]) copy(b[0:n])
    {head} {{
{body}
    }}
}}
"""


def test_loops_are_jammed_and_scalars_become_arrays(tmp_path: Path) -> None:
    body = "float s = 0; for (int k = 0; k < m; ++k) s += a[i*m + k] * a[k]; b[i*m + j] = s;"
    found = kernel(tmp_path, ROWS.format(body=body), "4x2")
    assert "const int i_base = 16*(y_start + blockIdx.y) + 4*threadIdx.y + 1;" in found
    assert "const int j_base = 64*blockIdx.x + threadIdx.x + 1;" in found
    assert "if (i_base + 3 < n - 1 && j_base + 32 < m - 1) {" in found
    full = full_path(found)
    assert "float s[4][2];" in full
    before, loop, inside = full.partition("for (int k = 0; k < m; ++k) {")
    assert loop
    assert "for (int di = 0; di < 4; ++di)" in before
    assert "for (int dj = 0; dj < 2; ++dj)" in inside
    assert "s[di][dj] += a[i*m + k]*a[k];" in inside
    assert "const int i = i_base + di;" in inside
    assert "const int j" not in inside.partition("s[di][dj] +=")[0]  # nothing there needs it


def test_the_rest_goes_through_its_iterations_one_by_one(tmp_path: Path) -> None:
    found = kernel(tmp_path, ROWS.format(body="b[i*m + j] = a[i*m + j];"), "4x2").partition("} else {")[2]
    assert "for (int i = i_base; i < i_base + 4 && i < n - 1; ++i)" in found
    assert "for (int j = j_base; j < j_base + 64 && j < m - 1; j += 32)" in found


NEAR_ENDS = """
#include <stdio.h>
#include <stdlib.h>
#include <limits.h>
static int up[800], down[800];
void f(int first, int limit, int top, int bottom)
{
#pragma acc parallel loop copy(up)
    for (int i = first; i < limit; ++i)
        up[i - first] += i;
#pragma acc parallel loop copy(down)
    for (int i = top; i >= bottom; i -= 3)
        down[(top - i)/3] += i;
}

int main(int count, char **arguments)
{
    int n = atoi(arguments[1]), sum = 0;
    f(INT_MAX - n, INT_MAX, INT_MIN + 3*n, INT_MIN + 3);
    for (int k = 0; k < 800; ++k)
        sum = sum*3u + up[k] + down[k]*5u;
    printf("%d\\n", sum);
    return 0;
}
"""


def test_the_rest_ends_at_the_end_of_the_type(tmp_path: Path) -> None:
    program = Program("ends", NEAR_ENDS, ((1,), (100,), (127,), (385,), (511,), (700,)), (), cached=False)
    batch = Batch(tmp_path, [Case(program, Options(coarsen="4"))])
    assert batch.differences(check=True) == []


def test_there_is_no_rest_where_the_block_divides_the_loop(tmp_path: Path) -> None:
    text = "void f(float a[256])\n{\n#pragma acc parallel loop copy(a[0:256])\n"
    text += "    for (int i = 0; i < 256; ++i)\n        a[i] += 1;\n}\n"
    found = kernel(tmp_path, text, "2")
    assert "else" not in found
    assert "if" not in found


@pytest.mark.parametrize(("length", "has_rest"), [(512, False), (384, True), (511, True)])
def test_there_is_a_rest_where_the_block_does_not_divide_the_loop(length: int, has_rest: bool, tmp_path: Path) -> None:
    text = f"void f(float a[{length}])\n{{\n#pragma acc parallel loop copy(a[0:{length}])\n"
    text += f"    for (int i = 0; i < {length}; ++i)\n        a[i] += 1;\n}}\n"
    assert ("else" in kernel(tmp_path, text, "2")) == has_rest


def test_there_are_blocks_for_the_iterations_of_all_threads(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(ROWS.format(body="b[i*m + j] = a[i*m + j];"))
    text = translate(str(path), Options(runtime=False, coarsen="4x2", wide="off")).device
    assert "const dim3 grid((j_count + 63) / 64, (i_count + 15) / 16);" in text


def test_values_are_computed_where_they_are_needed(tmp_path: Path) -> None:
    body = """
        int left = j - 1, up = i - 1, first = up * m;
        float s = 0;
        for (int k = 0; k < m; ++k)
            s += a[first + left + k % 2];
        b[i*m + j] = s;
    """
    found = full_path(kernel(tmp_path, ROWS.format(body=body), "2"))
    assert found.count("int left = j - 1;") == 1  # one for all rows
    assert found.count("int up = i - 1;") == 1  # only the loop needs it
    assert "[2];" in found
    assert "left[" not in found
    assert "first[" not in found


@pytest.mark.parametrize(
    ("value", "is_once"),
    [
        ("float v = w[m % 9];", True),
        ("float v = w[r % 9] + 2;", True),
        ("float v = w[j % 9];", False),
        ("const float *p = a + r; float v = p[2];", True),
        ("const float *p = m > 9 ? a : b; float v = p[2];", False),  # which may be what iterations write
        ("float v = b[r];", False),  # which iterations write
        ("float v = *(const volatile float *)(w + 1);", False),
        ("float v = w[1]; v += 1;", False),
    ],
)
def test_what_all_iterations_load_alike_is_loaded_once(value: str, is_once: bool, tmp_path: Path) -> None:
    body = f"const int r = m / 3; {value} b[i*m + j] = v + a[i*m + j];"
    full = full_path(kernel(tmp_path, ROWS.format(body=body), "2x2"))
    before, _, _ = full.partition("for (")
    assert ("float v = " in before) == is_once


HELD = """
float held[9];
#pragma acc declare create(held)
#pragma acc routine seq
static void hold(int k, float value) {{ {change} }}
"""


@pytest.mark.parametrize(("change", "is_once"), [("held[k] = value;", False), ("(void)k;", True)])
def test_what_routines_may_change_each_iteration_loads(change: str, is_once: bool, tmp_path: Path) -> None:
    body = "hold(i % 9, 1); float v = w[m % 9]; b[i*m + j] = v + a[i*m + j];"
    full = full_path(kernel(tmp_path, HELD.format(change=change) + ROWS.format(body=body), "2x2"))
    before, _, _ = full.partition("for (")
    assert ("float v = " in before) == is_once


def test_what_all_iterations_decide_alike_is_decided_once(tmp_path: Path) -> None:
    body = "float s = 0; if (m > 3) { for (int k = 0; k < m; ++k) s += a[i*m + k]; } else s = 1; b[i*m + j] = s;"
    found = full_path(kernel(tmp_path, ROWS.format(body=body), "2"))
    assert found.index("if (m > 3)") < found.index("for (int k = 0; k < m; ++k)") < found.rindex("di < 2")


def test_what_iterations_decide_for_themselves_is_not_jammed(tmp_path: Path) -> None:
    body = "float s = 0; for (int k = i; k < m; ++k) s += a[k]; b[i*m + j] = s;"
    found = full_path(kernel(tmp_path, ROWS.format(body=body), "2"))
    assert found.index("di < 2") < found.index("for (int k = i; k < m; ++k)")
    assert "float s = 0;" in found


@pytest.mark.parametrize(
    ("clauses", "head", "body"),
    [
        ("reduction(+:n)", "for (int i = 0; i < 9; ++i)", "n += a[i] > 1;"),
        ("", "for (unsigned i = n; i > 0; --i)", "b[i - 1] = a[i - 1];"),
        (
            "",
            "for (int i = 0; i < n; ++i)",
            "float t[9] = {0}; for (int k = 0; k < 9; ++k) t[k] += a[i + k]; b[i] = t[2];",
        ),
        ("", "for (int i = 0; i < n; ++i)", "float t[2] = {0}; for (int k = 0; k < n; ++k) *t += a[k]; b[i] = t[1];"),
        ("", "for (int i = 0; i < n; ++i)", "if (i < 7) { if (a[i] > 2) continue; } b[i] = a[i];"),
        ("num_gangs(4)", "for (int i = 0; i < n; ++i)", "b[i] = a[i];"),
        ("gang vector_length(1)", "for (int i = 0; i < n; ++i)", "for (int j = 0; j < 3; ++j) b[i] += a[j];"),
        (
            "gang",
            "for (int i = 0; i < n; ++i)",
            "float t[32];\n#pragma acc loop vector\nfor (int j = 0; j < 32; ++j) t[j] = a[j];\nb[i] = t[3];",
        ),
        (
            "",
            "for (int i = 0; i < n; ++i)",
            "float t[3]; t[0] = a[i]; for (int j = 0; j < n; ++j) t[j % 3] += a[j]; b[i] = t[1];",
        ),
        ("", "for (int i = 0; i < n; ++i)", "float t = 1, *p = &t; for (int j = 0; j < n; ++j) *p += a[j]; b[i] = t;"),
    ],
)
def test_some_kernels_have_one_iteration_a_thread(clauses: str, head: str, body: str, tmp_path: Path) -> None:
    assert "_base" not in kernel(tmp_path, LINE.format(clauses=clauses, head=head, body=body), "2")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("struct { float x, y; } t = {a[i], 1}; for (int k = 0; k < n; ++k) t.x += a[k]; b[i] = t.x*t.y;", "t[2];"),
        ("float t[2] = {3, a[i]}; for (int k = 0; k < n; ++k) t[0] += a[k]; b[i] = t[1];", "float t[2][2];"),
        (
            "int t[8] = {0}; for (int k = 0; k < 8; ++k) t[k] += a[k]; for (int k = 0; k < 8; ++k) b[i] += t[k];",
            "t[2][8];",
        ),
    ],
    ids=["a structure", "an array", "an array that loops index"],
)
def test_iterations_keep_structures_and_short_arrays(body: str, expected: str, tmp_path: Path) -> None:
    found = kernel(tmp_path, LINE.format(clauses="", head="for (int i = 0; i < n; ++i)", body=body), "2")
    assert "_base" in found
    assert expected in found


def test_small_launches_take_a_thread_for_each_iteration(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    body = """
#pragma acc cache(a[i-1:3][j-1:3])
            float s = 0;
            for (int r = i - 1; r <= i + 1; ++r)
                for (int c = j - 1; c <= j + 1; ++c)
                    s += a[r*m + c];
            b[i*m + j] = s;
    """
    path.write_text(ROWS.format(body=body))
    translation = translate(str(path), Options())
    assert "(size_t)grid.x * grid.y >= 128" in translation.device
    assert "f_L4_kernel_single<<<slice, single_block>>>" in translation.device
    assert [found.code for found in translation.diagnostics] == ["ACC422"]
    chosen = next(item for item in translation.report.kernels[0].candidates if item.chosen)
    assert chosen.iterations
    shape = " x ".join(map(str, chosen.iterations))
    assert re.search(rf" with {shape} iterations a thread\b.*, chosen$", str(translation.report), re.M)
    assert "single" not in translate(str(path), Options(coarsen="off")).device


SUM = "float s = 0; for (int r = i - 2; r <= i + 2; ++r) s += a[r*m + j]; b[i*m + j] = s;"


@pytest.mark.parametrize(("body", "is_coarse"), [(SUM, True), ("b[i*m + j] = 2 * a[i*m + j];", False)])
def test_kernels_without_directives_have_several_where_much_is_shared(
    body: str, is_coarse: bool, tmp_path: Path
) -> None:
    path = tmp_path / "a.c"
    path.write_text(ROWS.format(body=body))
    translation = translate(str(path), Options())
    assert ("_base" in translation.device) == is_coarse
    assert ("f_L4_kernel_single<<<" in translation.device) == is_coarse
    assert bool(re.search(r" iterations a thread\b.*, chosen$", str(translation.report), re.M)) == is_coarse
    assert translation.diagnostics == ()


SHORT = """
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]);
    float *a = malloc(sizeof(float) * {width} * (n + 1)), *b = malloc(sizeof(float) * {width} * (n + 1));
    for (int i = 0; i < {width} * n; ++i)
        a[i] = i % 13;
#pragma acc parallel loop collapse({count}) copyin(a[0:{width}*n]) copyout(b[0:{width}*n])
    for (int i = 0; i < n; ++i)
        {loops}
            b[{index}] = a[{index}] + a[{width}*i];
    for (int i = 0; i < {width} * n; ++i)
        printf("%g ", b[i]);
    return 0;
}}
"""
FOUR, SQUARE = (
    SHORT.format(width=width, count=1 + loops.count("for"), loops=loops, index=index)
    for width, loops, index in (
        (4, "for (int j = 0; j < 4; ++j)", "4*i + j"),
        (16, "for (int j = 0; j < 4; ++j) for (int k = 0; k < 4; ++k)", "16*i + 4*j + k"),
    )
)


@pytest.mark.parametrize(
    ("text", "factors", "block", "base"),
    [
        (FOUR, "2x4", (1, 128, 1), "const int i_base = 256*blockIdx.x + 2*threadIdx.y;"),
        (FOUR, "4x2", (2, 64, 1), "const int j_base = threadIdx.x;"),
        (SQUARE, "2x4", (1, 2, 64), "const int j_base = 2*threadIdx.y;"),
        (SQUARE, "4x4", (1, 1, 64), "const int k_base = 0;"),
    ],
)
def test_blocks_are_fitted_to_threads_that_take_short_loops(
    text: str, factors: str, block: tuple[int, int, int], base: str, tmp_path: Path
) -> None:
    program = Program("short", text, tuple((n,) for n in (1, 2, 127, 128, 257, 300)), (), cached=False)
    options = Options(coarsen=factors, wide="off")  # a thread's iterations along x are a block's width apart
    batch = Batch(tmp_path, [Case(program, options)])
    translation = translate(str(tmp_path / "short.c"), options)
    assert translation.report.kernels[0].block == block
    assert base in translation.device
    assert batch.differences(check=True) == []


BODIES = {
    "stencil": "float s = 0; for (int r = i - 1; r <= i + 1; ++r) for (int c = j - 1; c <= j + 1; ++c) "
    "s += a[r*m + c] * w[(r - i + 1)*3 + c - j + 1]; b[i*m + j] = s;",
    "product": "float s = 0; for (int l = 0; l < m; l += 4) for (int k = l; k < l + 4 && k < m; ++k) "
    "s += a[i*m + k] * a[k + j]; b[i*m + j] = s;",
    "in_place": "float t = b[i*m + j]; for (int k = 0; k < 3; ++k) t = t * w[k] + a[i*m + j + k - 1]; b[i*m + j] = t;",
    "triangle": "float s = 0; for (int k = j; k < m; ++k) s += a[i*m + k]; b[i*m + j] = s;",
    "branches": "float s = 1; if (i % 3 == 0) { for (int k = 0; k < m; ++k) s += a[k*1 + j - j]; } "
    "else if (m > 5) { for (int k = 0; k < 4; ++k) s -= w[k]; } b[i*m + j] = s;",
    "searches": "int at = -1; for (int k = 0; k < m; ++k) { if (a[i*m + k] > a[j]) { at = k; break; } } "
    "b[i*m + j] = at;",
    "leaves_out": "float s = 0; for (int k = 0; k < m; ++k) { if (k == j) continue; s += a[k]; } b[i*m + j] = s;",
    "loops": "float s = 0, p = 1; int k = 0; while (k < i % 4) { s += a[k]; ++k; } do { p *= 2; --k; } while (k > 0); "
    "b[i*m + j] = s + p;",
    "types": "double s = i; short h = 3; const long q = (long)i * m; for (int k = 0; k < 5; ++k) { s = s / 2 + k; "
    "h = h * 3 + k; } b[i*m + j] = (float)(s + h + q % 7);",
    "pointer": "const float *row = a + i*m; float s = 0; for (int k = 0; k < m; ++k) s += row[k]; b[i*m + j] = s;",
    "shadow": "float s = 0; for (int k = 0; k < 3; ++k) { float s2 = w[k]; int j2 = j; { float s = s2; j2 += s > 0; } "
    "s += s2 * j2; } b[i*m + j] = s;",
}


@pytest.mark.parametrize("factors", some(["2", "4", "4x2", "2x4"], 4, 2))
@pytest.mark.parametrize("check", [pytest.param(False, marks=pytest.mark.thorough), True])
@pytest.mark.parametrize("names", parts(BODIES, 2))
def test_results_are_those_of_one_iteration_a_thread(
    factors: str, check: bool, names: list[str], tmp_path: Path
) -> None:
    cases = []
    for name in names:
        function = (
            ROWS.format(body=BODIES[name]).replace("a[0:n*m]", "a[0:n*m+m]").replace("void f(", f"void {name}_f(")
        )
        program = Program(name, PROGRAM.format(name=name, function=function), SIZES, (), cached=False)
        cases.append(Case(program, Options(coarsen=factors)))
    batch = Batch(tmp_path, cases)
    assert all("_base" in member.device for member in batch.members)
    assert batch.differences(check=check) == []


@pytest.mark.parametrize(("fast_math", "fewest"), [(False, 1024), (True, 128)])
def test_threads_that_divide_have_several_iterations_where_they_fill_a_gpu(fast_math: bool, fewest: int) -> None:
    """One iteration waits for the slow path of another's division; with --fast-math there is none."""
    sample = Path(__file__).parents[3] / "samples" / "nbody.c"
    text = translate(str(sample), Options(fast_math=fast_math)).device
    assert f"(size_t)grid.x >= {fewest})" in text


def test_threads_of_gangs_with_copies_have_one_iteration(tmp_path: Path) -> None:
    text = "void f(int n, float *restrict a)\n{\n    float w[300] = {1};\n"
    text += "#pragma acc parallel loop gang vector copy(a[0:n]) firstprivate(w)\n    for (int i = 0; i < n; ++i) {\n"
    text += "        w[i%300] = a[i];\n        a[i] += w[i%300];\n    }\n}\n"
    found = kernel(tmp_path, text, "2")
    assert "__shared__ float w" in found
    assert "256*blockIdx.x + threadIdx.x" in found


NESTED = """void f(int n, const float *restrict x, const float *restrict c, int *restrict nearest)
{
#pragma acc parallel loop copyin(x[0:16*n], c[0:K*16]) copyout(nearest[0:n])
    for (int i = 0; i < n; i++) {
        int index = 0;
        float best = 1e30f;
        for (int k = 0; k < K; k++) {
            float d = 0;
            for (int m = 0; m < 16; m++)
                d += (x[m*n + i] - c[k*16 + m])*(x[m*n + i] - c[k*16 + m]);
            if (d < best) {
                best = d;
                index = k;
            }
        }
        nearest[i] = index;
    }
}
"""


@pytest.mark.parametrize(("length", "pragma"), [(8, True), (7, True), (9, False)])
def test_the_inner_loop_of_an_unrolled_one_is_unrolled_too(length: int, pragma: bool, tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(NESTED.replace("K", str(length)))
    kernel = translate(str(path), Options(runtime=False, coarsen="4")).device.partition("} else {")[0]
    lines = [line.strip() for line in kernel.splitlines()]
    for head in (f"for (int k = 0; k < {length}; k++) {{", "for (int m = 0; m < 16; m++) {"):
        assert (lines[lines.index(head) - 1] == "#pragma unroll") == pragma
