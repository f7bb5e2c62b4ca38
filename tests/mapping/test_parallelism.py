"""Which loops nobody called independent run in parallel, and what is said of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate

NEST = """
void f(int (*restrict a)[9][9])
{
#pragma acc DIRECTIVE copy(a[0:9])
    for (int i = 1; i < 9; ++i)
        for (int j = 1; j < 9; ++j)
            for (int k = 1; k < 9; ++k)
                a[i][j][k] += SOURCE;
}
"""


def sequential(text: str, tmp_path: Path) -> list[tuple[int, str]]:
    """The lines of the loops that are said to run sequentially, and why."""
    source = tmp_path / "a.c"
    source.write_text(text)
    found = translate(str(source), Options()).diagnostics
    return [(item.location.line, item.message) for item in found if item.code == "ACC307" and item.location]


@pytest.mark.parametrize("directive", ["kernels loop", "parallel loop auto"])
@pytest.mark.parametrize(("clause", "loops"), [("collapse(2)", 2), ("collapse(3)", 3), ("tile(2, 2)", 2)])
@pytest.mark.parametrize(("source", "depth"), [("a[i][j][k - 1]", 3), ("a[i][j - 1][k]", 2), ("a[i - 1][j][k]", 1)])
def test_each_loop_of_a_directive_is_tested(
    directive: str, clause: str, loops: int, source: str, depth: int, tmp_path: Path
) -> None:
    text = NEST.replace("DIRECTIVE", f"{directive} {clause}").replace("SOURCE", source)
    is_asked = depth <= loops or directive.startswith("kernels")
    assert [line for line, _ in sequential(text, tmp_path)] == ([4 + depth] if is_asked else [])


def test_a_nest_without_dependences_is_parallel(tmp_path: Path) -> None:
    text = NEST.replace("DIRECTIVE", "kernels loop collapse(3)").replace("SOURCE", "1")
    assert sequential(text, tmp_path) == []


PRIVATE = """
void f(double *restrict x, double *restrict z, int n)
{{
    double part[4], *p = x;
#pragma acc {directive} {clause} copyin(x[0:n+4]) copy(z[0:n])
    for (int i = 0; i < n; ++i) {{
        for (int j = 0; j < 4; ++j)
            part[j] = x[i + j];
        for (int j = 0; j < 4; ++j)
            z[i] += part[3 - j] * part[j];
    }}
}}
"""


@pytest.mark.parametrize("directive", ["kernels loop", "parallel loop auto"])
@pytest.mark.parametrize(("clause", "is_parallel"), [("private(part)", True), ("private(p)", False), ("", False)])
def test_private_arrays_are_the_iterations_own(directive: str, clause: str, is_parallel: bool, tmp_path: Path) -> None:
    text = PRIVATE.format(directive=directive, clause=clause)
    assert (6 not in [line for line, _ in sequential(text, tmp_path)]) == is_parallel


@pytest.mark.parametrize("directive", ["kernels loop", "parallel loop auto"])
@pytest.mark.parametrize(
    ("declared", "is_parallel"),
    [("double part[4];", True), ("double *part = x;", False), ("{ double part[4]; }", False)],
)
def test_arrays_declared_in_a_loop_are_the_iterations_own(
    directive: str, declared: str, is_parallel: bool, tmp_path: Path
) -> None:
    text = PRIVATE.format(directive=directive, clause="")
    text = text.replace("        for (int j", declared + "\n        for (int j", 1)
    assert (6 not in [line for line, _ in sequential(text, tmp_path)]) == is_parallel


STRUCTURES = """
struct part {{ int count; double value[4], *rows[2]; struct {{ double low[4]; }} in[2]; }};
void f(double *restrict x, double *restrict z, int n)
{{
    struct part s;
#pragma acc kernels loop {clause} copyin(x[0:n+4]) copy(z[0:n])
    for (int i = 0; i < n; ++i) {{
        {own}
        s.rows[1] = z;
        for (int j = 0; j < 4; ++j)
            {element} = x[i + j];
        for (int j = 0; j < 4; ++j)
            z[i] += {element} * j;
    }}
}}
"""


@pytest.mark.parametrize(
    ("clause", "own", "element", "is_parallel"),
    [
        ("private(s)", "", "s.value[j]", True),
        ("private(s)", "", "s.in[j % 2].low[s.count = j]", True),
        ("", "struct part s;", "s.value[j]", True),
        ("private(s)", "", "s.rows[1][j]", False),
        ("", "", "s.value[j]", False),
    ],
)
def test_private_structures_are_the_iterations_own(
    clause: str, own: str, element: str, is_parallel: bool, tmp_path: Path
) -> None:
    text = STRUCTURES.format(clause=clause, own=own, element=element)
    assert (7 not in [line for line, _ in sequential(text, tmp_path)]) == is_parallel


@pytest.mark.parametrize("clause", ["collapse(2)", "tile(2, 2)"])
@pytest.mark.parametrize("directive", ["parallel loop", "kernels loop independent"])
def test_the_word_of_the_user_counts(directive: str, clause: str, tmp_path: Path) -> None:
    text = NEST.replace("DIRECTIVE", f"{directive} {clause}").replace("SOURCE", "a[i - 1][j - 1][k]")
    assert [number for number, _ in sequential(text, tmp_path)] == []


@pytest.mark.parametrize(
    ("call", "expected"),
    [('printf("%d\\n", i)', "it calls printf"), ("a[i] = unseen(i)", "it calls unseen"), ("a[i] = fmax(i, 3)", "")],
)
def test_a_call_may_do_anything_in_any_order(call: str, expected: str, tmp_path: Path) -> None:
    text = f"""
#include <math.h>
#include <stdio.h>
#pragma acc routine seq
int unseen(int i);
void f(int n, int *restrict a)
{{
#pragma acc kernels copy(a[0:n])
    for (int i = 0; i < n; ++i)
        {call};
}}
"""
    told = sequential(text, tmp_path)
    assert len(told) == bool(expected)
    assert all(line == 9 and expected in message for line, message in told)


ROWS = """
void f(double *QUALIFIER *QUALIFIER a, double *RESTRICTED x, int n, int m)
{
#pragma acc kernels present(a[0:n][0:m], x[0:m])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
            STATEMENT;
}
"""


@pytest.mark.parametrize(
    ("qualifier", "restricted", "statement", "expected"),
    [
        ("", "restrict", "a[i][j] += 1", [(5, "iterations may depend on each other through 'a' (line 7)")]),
        ("restrict", "restrict", "a[i][j] += 1", []),
        (
            "",
            "restrict",
            "a[i][j] = a[0][j]",
            [(5, "what 'a' leads to may overlap"), (6, "what 'a' leads to may overlap")],
        ),
        ("", "restrict", "x[j] = a[0][j]", [(5, "iterations may depend on each other through 'x' (line 7)")]),
        ("", "", "x[j] = a[0][j]", [(5, "'x' and 'a' may overlap"), (6, "'x' and 'a' may overlap")]),
    ],
)
def test_rows_found_through_pointers_may_be_one(
    qualifier: str, restricted: str, statement: str, expected: list[tuple[int, str]], tmp_path: Path
) -> None:
    text = ROWS.replace("QUALIFIER", qualifier).replace("RESTRICTED", restricted).replace("STATEMENT", statement)
    found = [(line, message.partition("sequentially: ")[2]) for line, message in sequential(text, tmp_path)]
    assert found == expected


COUNTERS = """
static int i, j, k;

void f(float (*restrict a)[16][16], int n, int m)
{
#pragma acc kernels copy(a[0:n])
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++)
            for (k = 1; k < m; k += 2)
                a[i][j][k] *= 2;
        for (j = 0; j < LIMIT; j++)
            a[i][j][0] = USED;
    }
}
"""


@pytest.mark.parametrize(
    ("limit", "used", "lines"),
    [("n / 2", "1", []), ("i", "1", [7]), ("n / 2", "k", [7]), ("n / 2", "j", [])],
)
def test_last_values_of_counters_carry_no_dependence_where_they_are_always_the_same(
    limit: str, used: str, lines: list[int], tmp_path: Path
) -> None:
    text = COUNTERS.replace("LIMIT", limit).replace("USED", used)
    assert [line for line, _ in sequential(text, tmp_path)] == lines


UNSIGNED = """
void f(const float *restrict a, float *restrict b, unsigned n, unsigned m)
{
#pragma acc kernels copyin(a[0:n*m]) copy(b[0:n*m])
    HEAD
        b[INDEX] = a[INDEX];
}
"""


@pytest.mark.parametrize(
    ("head", "index", "is_parallel"),
    [
        ("for (unsigned i = 1; i < n; i++)", "i - 1", True),
        ("for (unsigned i = 1; i < n; i++)", "i - 2", True),
        ("for (unsigned i = 0; i < n; i++)", "i - 1", True),
        ("for (unsigned i = m + 2; i < n; i += 3)", "i - 2", True),
        ("for (unsigned i = n; i > 0; i--)", "i - 1", True),
        ("for (unsigned i = n; i >= 2; i--)", "i - 2", True),
        ("for (unsigned i = n; i >= 2; i--)", "i - 3", True),
        ("for (unsigned i = 1; i < n; i++)", "i + m - 1", True),
        ("for (unsigned i = 1; i < n; i++)", "2*i - 2", True),
        ("for (unsigned i = 1; i < n; i++)", "2*i - 3", False),
        ("for (unsigned i = 1; i < n; i++)", "n - i", True),
        ("for (unsigned i = n; i >= 2; i--)", "2*i - 4", True),
        ("for (unsigned i = n; i >= 2; i--)", "2*i - 5", False),
        ("for (unsigned i = 1; i < n; i++)", "n - 3*i", False),
        ("for (unsigned i = 3; i < n; i++)", "i - 1 - 2", True),
        ("for (unsigned long i = 3; i < n; i++)", "(unsigned)i - 5", False),
        ("for (unsigned i = 3; i < n; i++)", "i - 2 - 2", True),
    ],
)
def test_unsigned_differences_count_where_they_cannot_wrap_or_part_iterations_all_the_same(
    head: str, index: str, is_parallel: bool, tmp_path: Path
) -> None:
    found = sequential(UNSIGNED.replace("HEAD", head).replace("INDEX", index), tmp_path)
    assert [line for line, _ in found] == ([] if is_parallel else [5])


UPDATES = """
#include <math.h>
void f(const TYPE *restrict a)
{
    PLACE x = 1;
#pragma acc kernels present(a[0:9])
    for (int i = 0; i < 9; ++i) {
#pragma acc atomic
        UPDATE;
    }
}
"""
HIGHER = "x = x < a[i] ? a[i] : x"


@pytest.mark.parametrize(
    ("place", "ctype", "update", "in_any_order"),
    [
        ("int", "int", "x += a[i]", True),
        ("short", "long", "x -= a[i]", True),
        ("char", "int", "x *= a[i]", True),
        ("int", "double", "x += a[i]", False),
        ("int", "float", "x *= a[i]", False),
        ("float", "double", "x += a[i]", True),
        ("int", "int", HIGHER, True),
        ("unsigned", "int", HIGHER, True),
        ("short", "unsigned char", HIGHER, True),
        ("short", "int", HIGHER, False),
        ("unsigned short", "short", HIGHER, False),
        ("int", "long", HIGHER, False),
        ("int", "double", HIGHER, True),
        ("int", "int", "x = fmax(x, a[i])", True),
        ("int", "float", HIGHER, False),
        ("long", "double", HIGHER, False),
        ("float", "double", HIGHER, True),
        ("short", "int", "x = x < 100 ? 100 : x", True),
        ("int", "int", "x /= a[i]", True),
        ("short", "int", "x /= a[i]", False),
        ("_Bool", "int", "x |= a[i]", True),
        ("_Bool", "int", "x ^= a[i]", False),
        ("_Bool", "_Bool", "x ^= a[i]", True),
        ("_Bool", "int", "x += a[i]", False),
        ("_Bool", "int", "x++", True),
        ("_Bool", "int", "x -= a[i]", False),
        ("_Bool", "double", "x *= a[i]", False),
    ],
)
def test_atomic_updates_are_spread_where_their_order_does_not_count(
    place: str, ctype: str, update: str, in_any_order: bool, tmp_path: Path
) -> None:
    text = UPDATES.replace("TYPE", ctype).replace("PLACE", place).replace("UPDATE", update)
    expected = [] if in_any_order else [(7, "'x' is carried from one iteration to the next")]
    assert [(line, message.partition(": ")[2]) for line, message in sequential(text, tmp_path)] == expected


NEIGHBOURS = """
#pragma acc routine gang
static void all(int *x, int n)
{
#pragma acc loop gang vector
    for (int i = 0; i < n; i++)
        x[i] += i;
}

void f(int *a, int *s, int n)
{
#pragma acc kernels present(a[0:n], s[0:2])
    {
        s[0] = 3;
        s[1] = s[0];
        all(a, n);
        s[0] += a[5];
        if (s[0] > 4)
            s[1] = 2;
    }
}
"""


def test_neighbours_without_loops_are_one_kernel(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(NEIGHBOURS)
    kernels = translate(str(source), Options()).report.kernels
    assert [(kernel.name, max(kernel.block) > 1) for kernel in kernels] == [
        ("f_L14_kernel", False),
        ("f_L16_kernel", True),
        ("f_L17_kernel", False),
    ]


MEMBERS = """
struct inner {{ int z[4]; }};
struct row {{ int x[8], *p, *q[2]; struct inner in; int rest[2]; union {{ int low[9], high[9]; }} u; }};
int f(struct row *restrict a, const struct row *restrict b, int *restrict c, int n)
{{
    int sum = 0;
#pragma acc kernels present(a[0:n], b[0:n], c[0:n])
#pragma acc loop reduction(+:sum)
    for (int i = 1; i < n; ++i) {{
        {statement}
    }}
    return sum;
}}
"""


@pytest.mark.parametrize(
    ("statement", "is_parallel"),
    [
        ("sum += b[0].x[i & 7] + b[1].in.z[i & 3];", True),
        ("c[i] = b[0].x[i & 7];", True),
        ("a[i].x[3] += b[i - 1].x[2];", True),
        ("a[i].in.z[i & 3] = a[i].x[0];", True),
        ("a[0].x[i & 7] += 1;", False),
        ("a[i].x[0] = a[i - 1].x[1];", True),
        ("a[i].x[0] = a[i - 1].x[0];", False),
        ("a[i].x[0] = a[i - 1].rest[0];", False),  # which member is not told apart
        ("a[0].x[i] = a[0].in.z[i - 1];", False),
        ("a[0].x[i] = b[i].x[0];", True),
        ("a[1].in.z[i] = a[2].in.z[i - 1];", True),
        ("a[1].in.z[i] = a[1].in.z[i - 1];", False),
        ("a[1].x[i] = a[1].in.z[i - 1];", False),
        ("a[1].u.low[i] = a[1].u.high[i + 9];", False),
        ("a[c[i]].x[i] = 1;", True),
        ("a[c[i]].x[3] = 1;", False),
        ("a[i & 3].x[i] = 1; a[i].in = b[i].in;", False),
        ("sum += b[0].p[i];", False),
        ("sum += b[0].q[1][i];", False),
        ("a[i].x[1] = *b[i].in.z;", False),
    ],
)
def test_arrays_in_elements_count_as_the_elements(statement: str, is_parallel: bool, tmp_path: Path) -> None:
    assert (sequential(MEMBERS.format(statement=statement), tmp_path) == []) == is_parallel


@pytest.mark.parametrize(
    ("skips", "expected"),
    [
        ("if (a[i] < 0) continue;", ""),
        ("if (a[i] < 0) { last = i; continue; }", "'last' is carried"),
        ("if (a[i] < 0) break;", "it contains break, return or goto"),
        ("if (a[i] < a[i + 1]) continue;", "depend on each other through 'a'"),
    ],
)
def test_an_iteration_may_end_early(skips: str, expected: str, tmp_path: Path) -> None:
    text = f"""
void f(int n, int *restrict a, int *out)
{{
    int last = -1;
#pragma acc kernels copy(a[0:n + 1])
    for (int i = 0; i < n; ++i) {{
        {skips}
        a[i] = i;
    }}
    *out = last;
}}
"""
    told = sequential(text, tmp_path)
    assert len(told) == bool(expected)
    assert all(line == 6 and expected in message for line, message in told)
