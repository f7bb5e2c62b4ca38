"""What is known of const variables: integers with a value that their type holds, short arrays of numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

PROGRAM = """
struct pair {{ int x; }};
int next(void);
void use(const void *p);
void f(int n, float *restrict b)
{{
    {declaration}
#pragma acc parallel loop copy(b[0:n])
    for (int i = 0; i < n; ++i)
        b[i] += {use};
}}
"""


def kernel(declaration: str, use: str, folder: Path, program: str = PROGRAM) -> str:
    """The text of the kernel, from its parameters on."""
    path = folder / "a.c"
    path.write_text(program.format(declaration=declaration, use=use))
    text = translate(str(path), Options()).device
    start = text.rindex("_kernel(", 0, text.rindex("// Launch"))
    return text[start : text.index("// Launch", start)]


@pytest.mark.parametrize(
    ("declaration", "shown"),
    [
        ("const int k = 5;", "b[i] += 5;"),
        ("static const unsigned k = 1 << 4;", "b[i] += 16u;"),
        ("const long k = -3;", "b[i] += -3l;"),
        ("const unsigned char k = 255;", "b[i] += 255;"),
        ("const _Bool k = 7;", "b[i] += 1;"),
        ("const int m = 2, k = m * 3 + (int)sizeof(long);", "b[i] += 14;"),
        ("enum { LAST = 9 }; const int k = LAST;", "b[i] += 9;"),
    ],
)
def test_a_const_integer_is_a_number(declaration: str, shown: str, tmp_path: Path) -> None:
    assert shown in kernel(declaration, "k", tmp_path)


@pytest.mark.parametrize(
    "declaration",
    [
        "int k = 5;",
        "const int k = n;",
        "const int k = next();",
        "volatile const int k = 5;",
        "const int k = -2147483647 - 1;",
        "const unsigned char k = 256;",
        "const float k = 5;",
        "extern const int k;",
        "typedef const int fixed; fixed k = 2;",
    ],
)
def test_what_is_not_known_is_handed_over(declaration: str, tmp_path: Path) -> None:
    assert "b[i] += k" in kernel(declaration, "k", tmp_path)


@pytest.mark.parametrize(
    ("declaration", "shown"),
    [
        ("const float w[3] = {.25f, -1, 2};", "static const float w[3] = {.25f, -1, 2};"),
        ("static const int w[2][2] = {{1, 2}, {3}};", "static const int w[2][2] = {{1, 2}, {3}};"),
        ("const unsigned char w[] = {[2] = 7, 8};", "static const unsigned char w[4] = {0, 0, 7, 8};"),
        ("float w[2] = {1, 2};\n#pragma acc data copy(w)\n", "static const float w[2] = {1, 2};"),
        ("static int w[2] = {1, 2}; b[1] = w[0];", "static const int w[2] = {1, 2};"),
        ("const int k = 3; const double w[2] = {k / 2., (double)k};", "static const double w[2] = {3/2., (double)3};"),
    ],
)
def test_a_const_array_is_a_table(declaration: str, shown: str, tmp_path: Path) -> None:
    use = "w[i % 2][0]" if "[2][2]" in declaration else "w[i % 2]"
    found = kernel(declaration, use, tmp_path)
    assert f"\n    {shown}\n" in found
    assert "w" not in found[: found.index(")")]


@pytest.mark.parametrize(
    ("declaration", "use"),
    [
        ("float w[2] = {1, 2}; w[0] = 3;", "w[i % 2]"),
        ("float w[2] = {1, 2}; ++w[1];", "w[i % 2]"),
        ("float w[2] = {1, 2}; float *p = w;", "w[i % 2]"),
        ("float w[2] = {1, 2}; float *p = &w[1];", "w[i % 2]"),
        ("float w[2] = {1, 2}; use(w);", "w[i % 2]"),
        ("float w[2] = {1, 2}; int k = ({ w[1] = 7; 1; });", "w[i % 2]"),
        ('float w[2] = {1, 2}; __asm__ volatile ("nop" : "=m" (w[1]));', "w[i % 2]"),
        ("float w[2][2] = {{1}, {2}}; float *p = w[1];", "w[i % 2][0]"),
        ("typedef float row[2]; row w[2] = {{1}, {2}}; float *p = w[1];", "w[i % 2][0]"),
        ("float w[2] = {1, 2};\n#pragma acc update self(w)\n", "w[i % 2]"),
        ("float w[2] = {1, 2};\n#pragma acc data pcopyout(w)\n", "w[i % 2]"),
        ("float w[2] = {1, 2};\n#pragma omp target map(from: w)\n", "w[i % 2]"),
        ("float w[2] = {1, 2};\n#pragma acc parallel copy(w)\nw[0] = 4;\n", "w[i % 2]"),
        ("extern float w[2];", "w[i % 2]"),
        ("const float w[2] = {1, n};", "w[i % 2]"),
        ("const float w[257] = {1};", "w[i % 2]"),
        ("const volatile int w[2] = {1, 2};", "w[i % 2]"),
        ("const struct pair w[2] = {{1}, {2}};", "w[i % 2].x"),
        ('const char w[3] = "ab";', "w[i % 2]"),
        ("const float w[2] = {1, 2};", "*(w + i % 2)"),
        ("const float w[2] = {1, 2};", "w[0] + *(w + i % 2)"),
        ("const float w[2] = {1, 2};", "(&w[0])[i % 2]"),
    ],
)
def test_other_arrays_are_handed_over(declaration: str, use: str, tmp_path: Path) -> None:
    found = kernel(declaration, use, tmp_path)
    assert "w" in found[: found.index(")")]


STATIC = """
static float w[2] = {{1, 2}}, v[2] = {{3, 4}}, u[2] = {{5, 6}};
float t[2] = {{7, 8}};
float *lent(void) {{ v[1] = 3; return u; }}
void f(int n, float *restrict b)
{{
#pragma acc parallel loop copy(b[0:n])
    for (int i = 0; i < n; ++i)
        b[i] += w[i % 2] + v[i % 2] + u[i % 2] + t[i % 2];
}}
"""


@pytest.mark.parametrize(
    "hidden", ["void g(void) {{ ({{ w[1] = 7; }}); }}", "void g(void) {{ void h(void) {{ w[1] = 7; }} h(); }}"]
)
def test_what_the_parser_does_not_see_may_change_arrays_of_the_file(hidden: str, tmp_path: Path) -> None:
    found = kernel("", "", tmp_path, STATIC + hidden)
    assert "static const" not in found


@pytest.mark.parametrize("mark", ["__attribute__((weak)) ", "__attribute__((__weak__)) "])
def test_a_weak_variable_may_be_another_one_elsewhere(mark: str, tmp_path: Path) -> None:
    weak = f"{mark}const float t[2] = {{{{7, 8}}}};"
    found = kernel("", "", tmp_path, STATIC.replace("float t[2] = {{7, 8}};", weak))
    assert "static const float t" not in found
    known = kernel("", "", tmp_path, STATIC.replace("float t[2] = {{7, 8}};", weak.removeprefix(mark)))
    assert "static const float t" in known


def test_arrays_of_the_file_that_it_alone_knows_may_be_tables(tmp_path: Path) -> None:
    found = kernel("", "", tmp_path, STATIC)
    assert "    static const float w[2] = {1, 2};\n" in found
    assert found.count("static") == 1
