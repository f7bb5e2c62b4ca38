"""Triangles as rectangles with a condition: what is emitted, which nests stay, and that results are the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from coarse_programs import full_path, kernel
from families import parts, some
from matrix.builder import Program
from matrix.harness import Batch, Case

from accache.base.options import Options
from accache.caching.estimates.coarse_forms import FEWEST_THREADS
from accache.driver import translate
from accache.report.text import Report

NEST = """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{{
#pragma acc parallel loop gang copyin(a[0:w*w]) copy(b[0:w*w])
    for ({outer}) {{
#pragma acc loop vector
        for ({inner}) {{
            float s = 0;
            for (int k = 0; k < 3; ++k)
                s += a[k*w + i] * a[(k + 1)*w + j];
            b[i*w + j] = s;
        }}
    }}
}}
"""
OUTER, INNER = "int i = 0; i < n; ++i", "int j = i; j < m; ++j"
TRIANGLES = {
    "upper": (OUTER, INNER),
    "square": (OUTER, "int j = i; j < n; ++j"),
    "strict_upper": (OUTER, "int j = i + 1; j < m; ++j"),
    "lower": (OUTER, "int j = 0; j <= i; ++j"),
    "strict_lower": (OUTER, "int j = 0; j < i; ++j"),
    "turned": (OUTER, "int j = 0; i >= j; ++j"),
    "from_two": ("int i = 2; i < n; ++i", "int j = i - 2; j < m; ++j"),
    "closed": ("int i = 1; i <= n; ++i", "int j = 1; j <= i; ++j"),
    "from_three": ("int i = 1; i <= n; ++i", "int j = 3; j <= i - 1; ++j"),
    "beyond": (OUTER, "int j = i + 3; j < m + 2; ++j"),
    "wider": (OUTER, "int j = 0; j < i + 3; ++j"),
    "below_a_number": (OUTER, "int j = 1; j < n - i; ++j"),
    "below_one_less": ("int i = 1; i < n; ++i", "int j = 0; j <= n - 1 - i; ++j"),
    "from_a_number": (OUTER, "int j = n - i; j < m; ++j"),
    "rows_down": ("int i = n - 1; i >= 0; --i", INNER),
    "rows_down_lower": ("int i = n - 1; i > 0; --i", "int j = 0; j < i; ++j"),
    "both_down": ("int i = n; i > 0; --i", "int j = m - 1; j >= i; --j"),
    "columns_down": (OUTER, "int j = i; j >= 0; --j"),
    "columns_down_to": (OUTER, "int j = m - 1; j > i; --j"),
    "rows_down_to": ("int i = n - 1; i >= 1; --i", "int j = m; j >= i; j -= 1"),
    "every_other_row": ("int i = 1; i < n; i += 2", INNER),
    "every_other": (OUTER, "int j = 0; j <= i; j += 2"),
    "long_ones": ("long i = 0; i < n; ++i", "long j = i; j < m; ++j"),
    "longer_columns": (OUTER, "long j = i; j < m; ++j"),
    "of_constants": ("int i = 0; i < 37; ++i", "int j = 0; j <= i; ++j"),
    "of_halves": (OUTER, "int j = i; j < m / 2; ++j"),
}
STAYING = {
    "band": (OUTER, "int j = i; j < i + 5; ++j"),
    "steep": (OUTER, "int j = 2 * i; j < m; ++j"),
    "squared": (OUTER, "int j = i * i; j < m; ++j"),
    "every_other_from": (OUTER, "int j = i; j < m; j += 2"),
    "unsigned_columns": (OUTER, "unsigned j = i; j < m; ++j"),
    "unsigned_rows": ("unsigned i = 0; i < n; ++i", "unsigned j = 0; j < i; ++j"),
    "narrow": (OUTER, "short j = i; j < m; ++j"),
    "from_long": ("long i = 0; i < n; ++i", "int j = i; j < m; ++j"),
    "found_in_memory": (OUTER, "int j = i + (int)a[0]; j < m; ++j"),
    "clipped": (OUTER, "int j = i > 2 ? i : 2; j < m; ++j"),
}
MAIN = """
#include <stdio.h>
#include <stdlib.h>
{function}
int main(int argc, char **argv)
{{
    int n = atoi(argv[1]), m = atoi(argv[2]), seed = atoi(argv[3]), w = (n > m ? n : m) + 40;
    float *a = malloc(sizeof(float) * w*w), *b = malloc(sizeof(float) * w*w);
    for (int i = 0; i < w*w; ++i) {{
        a[i] = (i * 7 + seed) % 11 - 4;
        b[i] = i % 5;
    }}
    {name}_f(n, m, w, a, b);
    for (int i = 0; i < w*w; ++i)
        if (b[i] != i % 5)
            printf("%d:%g ", i, b[i]);
    printf("end\\n");
    return 0;
}}
"""
SIZES = ((0, 0), (1, 1), (2, 3), (3, 2), (16, 64), (17, 65), (31, 63), (35, 67), (19, 131), (66, 34))


def nest(name: str) -> str:
    """A function that goes through a triangle, or through something like it."""
    outer, inner = (TRIANGLES | STAYING)[name]
    return NEST.format(outer=outer, inner=inner)


def report(folder: Path, text: str, options: Options | None = None) -> Report:
    """What is told of a program."""
    path = folder / "a.c"
    path.write_text(text)
    return translate(str(path), options or Options()).report


@pytest.mark.parametrize(
    ("name", "inside", "touched"),
    [
        ("upper", "i_base + 3 < n && j_base + 32 < m && j_base > i_base + 2", "j_base + 32 >= i_base"),
        ("strict_upper", "i_base + 3 < n && j_base + 32 < m && j_base > i_base + 3", "j_base + 31 >= i_base"),
        ("lower", "i_base + 3 < n && j_base + 32 < n && j_base + 31 < i_base", "j_base <= i_base + 3"),
    ],
)
def test_threads_test_once_that_all_their_iterations_are_inside(
    name: str, inside: str, touched: str, tmp_path: Path
) -> None:
    found = kernel(tmp_path, nest(name), "4x2")
    assert f"if ({inside}) {{" in found
    assert f"}} else if ({touched}) {{" in found
    full = full_path(found.partition(f"if ({inside}) {{")[2].partition("} else if")[0])
    assert "s[di][dj] += " in full
    assert "if (" not in full


@pytest.mark.parametrize("name", sorted(TRIANGLES))
def test_a_triangle_gets_rows_and_columns(name: str, tmp_path: Path) -> None:
    found = report(tmp_path, nest(name), Options(coarsen="4x2")).kernels[0]
    assert found.is_triangle
    assert found.iterations == (4, 2)
    assert found.edges == ("i", "j")


@pytest.mark.parametrize("name", sorted(STAYING))
def test_other_nests_stay(name: str, tmp_path: Path) -> None:
    found = report(tmp_path, nest(name), Options(coarsen="4x2")).kernels[0]
    assert not found.is_triangle
    assert found.iterations == ()


@pytest.mark.parametrize("names", parts(TRIANGLES, 3))
@pytest.mark.parametrize("check", [pytest.param(False, marks=pytest.mark.thorough), True])
@pytest.mark.parametrize("factors", some(["4x2", "2", "4x4", "8x4"], 4))
def test_results_stay_the_same_at_all_edges(factors: str, check: bool, names: list[str], tmp_path: Path) -> None:
    cases = []
    for name in names:
        function = nest(name).replace("void f(", f"void {name}_f(")
        program = Program(name, MAIN.format(name=name, function=function), SIZES, (), cached=False)
        cases.append(Case(program, Options(coarsen=factors)))
    batch = Batch(tmp_path, cases)
    assert all("_base" in member.device for member in batch.members)
    assert batch.differences(check=check) == []


PROGRAMS = {
    "kernels": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
#pragma acc kernels copyin(a[0:w*w]) copy(b[0:w*w])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
            b[i*n + j] = a[i*w + j] + a[j];
}
""",
    "inner_loop_found": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop copyin(a[0:w*w]) copy(b[0:w*w])
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < m; ++j)
            b[i*w + j] = a[i*w + j] + a[j];
}
""",
    "covariance": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:w*w]) copy(b[0:w*w])
    for (int i = 0; i < m; ++i)
        #pragma acc loop vector
        for (int j = i; j < m; ++j) {
            b[i*w + j] = 0;
            for (int k = 0; k < n; ++k)
                b[i*w + j] += a[k*w + i] * a[k*w + j];
            b[i*w + j] /= 3;
            b[j*w + i] = b[i*w + j];
        }
}
""",
    "batch": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
    int r = n / 3;
#pragma acc parallel loop gang collapse(2) copyin(a[0:w*w]) copy(b[0:w*w])
    for (int l = 0; l < 3; ++l)
        for (int i = 0; i < r; ++i)
            #pragma acc loop vector
            for (int j = 0; j < i; ++j)
                b[(3*i + l)*w + j] = a[i*w + j] + l;
}
""",
    "perhaps_one_memory": """
void f(int n, int m, int w, const float *a, float *b)
{
#pragma acc parallel loop gang copyin(a[0:w*w]) copy(b[0:w*w])
    for (int i = 0; i < n; ++i)
        #pragma acc loop vector
        for (int j = 0; j <= i; ++j) {
            float s = 0;
            for (int k = 0; k <= n / 2; ++k)
                s += a[i*w + k] * a[j*w + k];
            b[i*w + j] += s;
        }
}
""",
    "edges_inside": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:w*w]) copy(b[0:w*w])
    for (int i = 0; i < n; ++i)
        #pragma acc loop vector
        for (int j = i; j < m; ++j)
            if (i > 0 && j < m - 1)
                b[i*w + j] = a[(i - 1)*w + j + 1];
}
""",
    "own_scalars": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
    float s, t;
    int k;
#pragma acc parallel copyin(a[0:w*w]) copy(b[0:w*w])
#pragma acc loop gang
    for (int i = 0; i < n; ++i)
        #pragma acc loop vector private(s, t)
        for (int j = i; j < m; ++j) {
            s = a[j], t = a[i];
            for (k = i; k < i + 3; ++k)
                s += t * a[k*w + j];
            b[i*w + j] = s;
        }
}
""",
    "vector_length": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang vector_length(64) copyin(a[0:w*w]) copy(b[0:w*w])
    for (int i = 0; i < n; ++i)
        #pragma acc loop vector
        for (int j = i; j < m; ++j)
            b[j*w + i] = a[i*w + j];
}
""",
}
APART = {
    "read_by_another": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
#pragma acc kernels copyin(a[0:w*w]) copy(b[0:w*w])
    for (int i = 1; i < n; ++i)
        for (int j = i; j < m; ++j)
            b[i*w + j] = b[(i - 1)*w + j - 1] + a[i*w + j];
}
""",
    "read_in_the_row": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:w*w]) copy(b[0:w*w])
    for (int i = 0; i < n; ++i)
        for (int j = 1; j <= i; ++j)
            b[i*w + j] = b[i*w + j - 1] + a[i*w + j];
}
""",
    "more_in_a_row": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:w*w]) copy(b[0:w*w])
    for (int i = 0; i < n; ++i) {
        b[i*w + i] = 1;
        #pragma acc loop vector
        for (int j = i + 1; j < m; ++j)
            b[i*w + j] = a[i*w + j];
    }
}
""",
    "sums_of_rows": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:w*w]) copy(b[0:w*w])
    for (int i = 0; i < n; ++i) {
        float s = 0;
        #pragma acc loop vector reduction(+:s)
        for (int j = 0; j <= i; ++j)
            s += a[i*w + j];
        b[i] = s;
    }
}
""",
    "counted_gangs": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang num_gangs(7) copyin(a[0:w*w]) copy(b[0:w*w])
    for (int i = 0; i < n; ++i)
        #pragma acc loop vector
        for (int j = i; j < m; ++j)
            b[i*w + j] = a[i*w + j];
}
""",
    "workers": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:w*w]) copy(b[0:w*w])
    for (int l = 0; l < 2; ++l)
        #pragma acc loop worker
        for (int i = 0; i < n / 2; ++i)
            #pragma acc loop vector
            for (int j = i; j < m; ++j)
                b[(2*i + l)*w + j] = a[i*w + j];
}
""",
}


def cases(programs: dict[str, str], options: Options) -> list[Case]:
    """Programs of their own with these functions."""
    named = {name: text.replace("void f(", f"void {name}_f(") for name, text in programs.items()}
    texts = {name: MAIN.format(name=name, function=text) for name, text in named.items()}
    return [Case(Program(name, text, SIZES, (), cached=False), options) for name, text in texts.items()]


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_constructs_of_all_kinds_have_triangles(name: str, tmp_path: Path) -> None:
    assert report(tmp_path, PROGRAMS[name], Options(coarsen="4x2")).kernels[0].is_triangle


@pytest.mark.parametrize("name", sorted(APART))
def test_rows_that_are_more_than_their_elements_stay(name: str, tmp_path: Path) -> None:
    assert not report(tmp_path, APART[name], Options(coarsen="4x2")).kernels[0].is_triangle


def test_results_of_all_constructs_stay_the_same(tmp_path: Path) -> None:
    batch = Batch(tmp_path, cases(PROGRAMS | APART, Options(coarsen="4x2")))
    assert batch.differences(check=True) == []


def long_sums(name: str) -> str:
    """A nest with a loop of which nobody knows how long it is."""
    return nest(name).replace("k < 3", "k < m").replace("a[(k + 1)*w", "a[k*w")


LONG_SUMS = long_sums("square")


def test_estimates_choose_the_rectangle_where_it_pays(tmp_path: Path) -> None:
    found = report(tmp_path, LONG_SUMS)
    assert found.kernels[0].iterations == (8, 2)
    assert " 8 x 2 a thread of the rectangle around a triangle; those at its edge one by one; in " in str(found)
    assert "; grid ceil(n/64) x ceil(n/32)\n" in str(found)
    copied = report(tmp_path, PROGRAMS["vector_length"].replace("j < m", "j < n")).kernels[0]
    assert not copied.is_triangle
    assert any("it saves less than" in item.refused for item in copied.candidates if item.iterations)


@pytest.mark.parametrize(
    ("name", "is_known"),
    [
        ("upper", False),  # of many rows and few columns nearly all are outside
        ("square", True),
        ("lower", True),
        ("strict_lower", True),
        ("rows_down_lower", True),
        ("wider", True),
        ("below_a_number", True),
        ("from_a_number", False),
        ("columns_down", True),
        ("columns_down_to", False),
        ("of_halves", False),
    ],
)
def test_half_of_the_rectangle_must_be_inside_for_all_sizes(name: str, is_known: bool, tmp_path: Path) -> None:
    found = report(tmp_path, long_sums(name)).kernels[0]
    assert found.is_triangle == is_known
    reason = "only launches know which part of the rectangle around it is a triangle"
    assert found.obstacle == ("" if is_known else reason)


def test_nothing_changes_where_it_is_switched_off(tmp_path: Path) -> None:
    for off in (Options(coarsen="off"), Options(tune="off")):
        assert not report(tmp_path, LONG_SUMS, off).kernels[0].is_triangle


def test_launches_need_twice_the_threads_of_a_rectangle(tmp_path: Path) -> None:
    found = report(tmp_path, LONG_SUMS).kernels[0]
    assert found.fewest_blocks * found.threads == 2 * FEWEST_THREADS


def test_a_batch_of_triangles_is_planned(tmp_path: Path) -> None:
    assert report(tmp_path, PROGRAMS["batch"]).kernels[0].candidates


@pytest.mark.parametrize("names", parts(PROGRAMS, 2))
def test_results_stay_the_same_as_they_are_planned(names: list[str], tmp_path: Path) -> None:
    batch = Batch(tmp_path, cases({name: PROGRAMS[name] for name in names}, Options()))
    assert batch.differences(check=True) == []


def test_launches_of_all_sizes_take_their_versions(tmp_path: Path) -> None:
    text = LONG_SUMS.replace("k < m", "k < n / 200").replace("void f(", "void sums_f(")
    sizes = ((65, 70), (300, 20), (1030, 1100))  # 561 blocks, and 256 are asked for
    program = Program("sums", MAIN.format(name="sums", function=text), sizes, (), cached=False)
    batch = Batch(tmp_path, [Case(program, Options())])
    assert "kernel_fewer" in batch.members[0].device
    assert batch.differences(check=False) == []


DIRECTED = {
    "columns": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:w*w]) copy(b[0:w*w])
    for (int i = 0; i < m; ++i) {
#pragma acc loop vector
        for (int j = i; j < m; ++j) {
            float s = 0;
            for (int k = 0; k < n; ++k) {
#pragma acc cache(a[k*w+i:1], a[k*w+j:1])
                s += a[k*w + i] * a[k*w + j];
            }
            b[i*w + j] = s;
            b[j*w + i] = s;
        }
    }
}
""",
    "rows": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:w*w]) copy(b[0:w*w])
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector
        for (int j = 0; j <= i; ++j) {
#pragma acc cache(a[j:3], b[i*w+j:1])
            b[i*w + j] += a[j] + a[j + 1] * a[j + 2];
        }
    }
}
""",
    "table": """
void f(int n, int m, int w, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:w*w]) copy(b[0:w*w])
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector
        for (int j = i + 1; j < m; ++j) {
#pragma acc cache(a[0:16])
            for (int k = 0; k < 16; ++k)
                b[i*w + j] += a[k] * a[(i + j + k) % 16];
        }
    }
}
""",
}


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(coarsen="4x2"),
        Options(method="rbi", coarsen="4x2"),
        Options(method="rbc", coarsen="2"),
        Options(method="ehc", coarsen="4x4"),
        Options(auto_cache=True, coarsen="4x2"),
    ],
)
def test_results_with_directives_stay_the_same(options: Options, tmp_path: Path) -> None:
    directed = [replace(case, program=replace(case.program, cached=True)) for case in cases(DIRECTED, options)]
    assert Batch(tmp_path, directed).differences(check=True) == []
