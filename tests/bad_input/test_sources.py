"""C that is legal but unusual, or nearly right: translated, or refused at the right place."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from trial import Trial, accache, translate

LOOP = "int i = 0; i < n; ++i"


def program(body: str, clauses: str = "copy(a[0:n])", before: str = "") -> str:
    return f"{before}void f(float *a, int n)\n{{\n#pragma acc parallel loop {clauses}\n{body}\n}}\n"


def tried(tmp_path: Path, text: str, *options: str) -> Trial:
    path = tmp_path / "main.c"
    path.write_text(text)
    return translate(path, "-q", *options)


def ok(tmp_path: Path, text: str, *options: str) -> str:
    trial = tried(tmp_path, text, *options)
    assert (trial.status, trial.errors) == (0, ""), trial.errors
    return trial.output.decode()


@pytest.mark.parametrize(
    "head",
    [
        "int i = 0; i <= n - 1; ++i",
        "int i = 0; n > i; i++",
        "int i = n - 1; i >= 0; --i",
        "int i = 0; i != n; i += 1",
        "int i = 0; i < n; i = i + 2",
        "int i = n; i > 0; i = i - 3",
        "int i = 0; i < n; i = 2 + i",
        "long i = 0; i < n; i += 7L",
        "unsigned i = 0; i < n; ++i",
        "unsigned char i = 0; i < 9; ++i",
        "short i = 0; i < n; i += 2",
        "int i = 2 * n; i < 3 * n; i++",
        "int i = 0; i < n; i += n",
        "int i = 0; i + 2 < n; ++i",
        "unsigned i = 0; 9u > i + 1u; ++i",
        "int i = 0; i + 2u < 9u; ++i",
    ],
)
def test_a_canonical_loop(head: str, tmp_path: Path) -> None:
    assert "threadIdx" in ok(tmp_path, program(f"    for ({head})\n        a[0] = i;"))


@pytest.mark.parametrize(
    "head",
    [
        "; ;",
        "int i = 0; ; ++i",
        "int i = 0; i < n; ",
        "int i = 0; i < n; i *= 2",
        "int i = 1; i < n; i <<= 1",
        "int i = 0; i < n; i += a[0]",
        "unsigned long i = 0; i + n < 9; ++i",
        "unsigned long i = 2; i - 1 < 9u; ++i",
        "int i = 0; i + 1 < 9u; ++i",
        "int i = 0; i + i < n; ++i",
        "int i = -1; i + 2u < 9u; ++i",
        "unsigned i = -1; i + 2u < 9u; ++i",
        "unsigned i = n; i + 2u < 9u; ++i",
        "int i = 0; 9 - i > n; ++i",
        "int i = 0; i < n; i += 0",
        "int i = 0; i < n; --i",
        "int i = 0; i > n; ++i",
        "int i = 0; i * i < n; ++i",
        "int i = 0; i < n && a[i] > 0; ++i",
        "int i = 0; i == n; ++i",
        "int i = 0; a[i] > 0; ++i",
        "int i = 0, j = 0; i < n; ++i, ++j",
        "float i = 0; i < n; ++i",
        "int i = 0; i < n; i = n",
        "int i = 0; i < n; i += i",
        "int i = 0; i != n; i += 2",
    ],
)
def test_a_loop_that_is_not_canonical(head: str, tmp_path: Path) -> None:
    trial = tried(tmp_path, program(f"    for ({head})\n        a[0] = 1;"))
    assert trial.status == 1, "translated"
    assert [(item.code, item.line, item.column) for item in trial.printed] == [("ACC306", 4, 5)]


@pytest.mark.parametrize(
    "body",
    [
        "{ i += 1; a[i] = 0; }",
        "{ int *p = &i; *p = 3; a[i] = 1; }",
        "{ if (a[i] > 0) break; a[i] = 0; }",
    ],
)
def test_a_body_that_changes_its_loop(body: str, tmp_path: Path) -> None:
    trial = tried(tmp_path, program(f"    for ({LOOP})\n        {body}"))
    assert trial.status == 1, "translated"


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("f(a, i);", "ACC343"),
        ("g(a, i);", "ACC318"),
        ("a[i] = rand();", "ACC318"),
        ("a[i] = undeclared(i);", "ACC318"),
        ('perror("no");', "ACC318"),
        ("a[i] = *(float *)realloc(0, 4);", "ACC318"),
        ("a[i] = x;", "ACC302"),
        ("a[i] = a.x;", "ACC303"),
        ("return;", "ACC244"),
        ("goto out;", "ACC244"),
        ("(*g)(a, i);", "ACC304"),
        ("a[i] = ({ 1; });", "ACC301"),
        ("static int last = 0; a[i] = last;", "ACC317"),
        ("long double x = i; a[i] = x > 1;", "ACC319"),
        ("_Complex long double x = i; a[i] = x == 1;", "ACC319"),
        ("_Complex int x = i; a[i] = x == 1;", "ACC319"),
        ("a[i] = 2i == 1;", "ACC301"),
        ("volatile _Complex float x = i; a[i] = x == 1;", "ACC301"),
        ("_Complex float x = i; x++; a[i] = x == 1;", "ACC301"),
        ("_Complex float x = i; a[i] = ~x == 1;", "ACC301"),
        ("int k = 0; _Complex float x[9]; x[k++] += 1.0; a[i] = x[0] == 1;", "ACC301"),
        ("_Complex float x = i; a[i] = cexpf(x) == 1;", "ACC318"),
        ('__asm__("nop");', "ACC3"),
        ("int (*p)(int) = 0; a[i] = p(i);", "ACC3"),
        ("a[i] = (int[]){1, 2}[0];", "ACC3"),
        ("a[i] = _Generic(i, int: 1);", "ACC"),
        ("typeof(i) x = i; a[i] = x;", "ACC301"),
        ("__auto_type x = i; a[i] = x;", "ACC301"),
        ("_Float16 x = 1; a[i] = x;", "ACC301"),
        ("a[i] = (float)(__float128)i;", "ACC301"),
        ("int x[n]; x[0] = 1; a[i] = x[0];", "ACC301"),
        ("int (*x)[n] = 0; a[i] = sizeof *x;", "ACC301"),
        ("int x[2] = {[2] = 2}; a[i] = x[1];", "ACC301"),
        ("int x[2] = {1, 2, 3}; a[i] = x[1];", "ACC301"),
        ("struct { int x, y; } z = {.z = 1}; a[i] = z.y;", "ACC301"),
        ("typedef struct { int x; } T; T y = {1}; struct { T t; } z = {.t = y, .t.x = 2}; a[i] = z.t.x;", "ACC301"),
        ("union { int x; float y; } z = {.y = 1}; a[i] = z.y;", "ACC301"),
        ("int x = {{1}}; a[i] = x;", "ACC301"),
        ("typedef struct { int v[2]; } T; int *x = (T){{i}}.v; a[i] = *x;", "ACC301"),
        ("typedef struct { int v; } T; int *x = &(T){i}.v; a[i] = *x;", "ACC301"),
        ("a[i] = 'ab';", "ACC301"),
        ("a[i] = '\\u00e9';", "ACC301"),
        ("a[i] = __imag__ 2.0i;", "ACC104"),
        ("switch (i) { case 1 ... n: a[i] = 1; }", "ACC301"),
    ],
)
def test_what_a_kernel_cannot_have(statement: str, code: str, tmp_path: Path) -> None:
    before = "#include <stdio.h>\n#include <stdlib.h>\nint g(float *, int);\n"
    text = program(f"    for ({LOOP}) {{\n        {statement}\n    }}\n    out: ;", before=before)
    trial = tried(tmp_path, text)
    assert trial.status == 1, "translated"
    assert any(found.startswith(code) for found in trial.codes), trial.errors
    assert all(item.line in (3, 8) and item.column for item in trial.printed), trial.errors
    assert not re.search(r"__accache|\b[A-Z][a-z]+[A-Z]\w*", trial.errors), "a name of our own"


@pytest.mark.parametrize(
    "statement",
    [
        "a[i] = '\\0' + '\\x7f' + '\\xff' + '\\n' + '\\'' + L'x' + u'\\x1234';",
        "a[i] = 0b101 + 0x1p3 + 0x1.8p0f + 1e5f + 07 + 10u + 10LL;",
        "_Float32 x = 1; _Float64 y = x; a[i] = y;",
        'a[i] = "abc"[i % 3];',
        "register int x = i; volatile int y = x; a[i] = y;",
        '_Alignas(16) float x = 1; _Static_assert(sizeof x == 4, ""); a[i] = x;',
    ],
)
def test_what_a_kernel_can_have(statement: str, tmp_path: Path) -> None:
    ok(tmp_path, program(f"    for ({LOOP}) {{\n        {statement}\n    }}"))


def nest(depth: int) -> str:
    heads = "".join(f"for (int i{k} = 0; i{k} < n; ++i{k})\n" for k in range(depth))
    return f"{heads} a[{' + '.join(f'i{k}' for k in range(depth))}] = 1;"


def test_sixty_four_loops_in_each_other(tmp_path: Path) -> None:
    ok(tmp_path, program(nest(64), "copy(a[0:64*n])"))
    ok(tmp_path, program(nest(64), "seq copy(a[0:64*n])"))
    assert tried(tmp_path, program(nest(64), "collapse(64) copy(a[0:64*n])")).status in (0, 1)


@pytest.mark.parametrize("depth", [16, pytest.param(64, marks=pytest.mark.matrix)])
def test_many_loops_in_a_kernels_construct(depth: int, tmp_path: Path) -> None:
    ok(tmp_path, program(nest(depth), "copy(a[0:64*n])").replace("parallel loop", "kernels"))


def test_collapse_of_four_loops_is_refused_for_what_it_is(tmp_path: Path) -> None:
    trial = tried(tmp_path, program(nest(4), "collapse(4) copy(a[0:64*n])"))
    assert "ACC308" not in trial.codes


def test_a_loop_that_cannot_be_collapsed_is_told_alone(tmp_path: Path) -> None:
    triangle = "for (int i = 0; i < n; ++i)\nfor (int j = 0; j <= i; ++j)\na[i*n + j] = i - j;"
    assert tried(tmp_path, program(triangle, "collapse(2) copy(a[0:n*n])")).codes == ["ACC306"]


@pytest.mark.parametrize("operators", ["+", "-*/+"])
def test_sixty_four_operators_deep(operators: str, tmp_path: Path) -> None:
    deep = "a[i]"
    for k in range(64):
        deep = f"({deep} {operators[k % len(operators)]} {k + 1})"
    ok(tmp_path, program(f"    for ({LOOP})\n        a[i] = {deep};"))
    index = "i"
    for k in range(64):
        index = f"({index} + {k})"
    ok(tmp_path, program(f"    for ({LOOP})\n        a[{index}] = 1;"))


@pytest.mark.parametrize(
    "deep",
    [
        "(" * 1000 + "i" + ")" * 1000,
        "-~" * 500 + "i",
        "i" + " + 1" * 2000,
        "a[" * 300 + "0" + "]" * 300,
        "i ? 1 : " * 500 + "2",
    ],
    ids=["parentheses", "unary", "sum", "subscripts", "conditionals"],
)
@pytest.mark.parametrize("place", ["kernel", "host"])
def test_deep_expressions(place: str, deep: str, tmp_path: Path) -> None:
    text = program(f"    for ({LOOP})\n        a[i] = {deep if place == 'kernel' else 1};")
    host = f"int g(int i, int *a)\n{{\n    return {deep if place == 'host' else 1};\n}}\n"
    trial = tried(tmp_path, host + text)
    assert trial.status in (0, 1)


def test_deep_blocks_and_conditions(tmp_path: Path) -> None:
    for opening in ("{", "if (n > 1)", "do {", "switch (n) { case 1:"):
        closing = {"{": "}", "do {": "} while (0);", "switch (n) { case 1:": "}"}.get(opening, "")
        body = f"{(opening + chr(10)) * 200} a[i] = 1; {closing * 200}"
        assert tried(tmp_path, program(f"    for ({LOOP}) {{\n {body} }}")).status in (0, 1)


def test_long_lines(tmp_path: Path) -> None:
    text = program(f"    for ({LOOP}) {{" + " a[i] += 1;" * 1000 + " }")
    start = time.process_time()
    ok(tmp_path, text)
    assert time.process_time() - start < 60
    wrong = tried(tmp_path, program(f"    for ({LOOP}) {{" + " " * 50_000 + "a[i] = x; }"))
    assert [item.code for item in wrong.printed] == ["ACC302"]


@pytest.mark.parametrize("defined", [(), ("-DGPU",)])
def test_directives_in_if_groups(defined: tuple[str, ...], tmp_path: Path) -> None:
    text = (
        program(f"    for ({LOOP})\n        a[i] = 1;")
        .replace("#pragma acc", "#ifdef GPU\n#pragma acc")
        .replace("a[0:n])\n", "a[0:n])\n#else\n#pragma omp parallel for\n#endif\n")
    )
    output = ok(tmp_path, text, *defined)
    assert ("__global__" in output) == bool(defined)


def test_directives_in_macros(tmp_path: Path) -> None:
    before = "#define ACC(text) _Pragma(#text)\n#define LOOP ACC(acc parallel loop copy(a[0:n]))\n#define ALL a[0:n]\n"
    body = f"    for ({LOOP})\n        a[i] = 1;"
    for directive in ("LOOP", "ACC(acc parallel loop copy(ALL))", "#pragma acc parallel loop copy(ALL)"):
        text = program(body, before=before).replace("#pragma acc parallel loop copy(a[0:n])", directive)
        assert "__global__" in ok(tmp_path, text)


def test_functions_with_the_same_locals(tmp_path: Path) -> None:
    one = program(f"    for ({LOOP}) {{\n        float t = a[i];\n        a[i] = t * t;\n    }}")
    output = ok(
        tmp_path, one + one.replace("f(", "g(") + one.replace("f(", "static_(").replace("float *a", "double *a")
    )
    assert output.count("__global__") == 3
    assert output.count("float t = a[i];") == 3


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (program(f"    for ({LOOP}) {{\n        a[i] = 1;"), 0),
        (program(f"    for ({LOOP})\n        a[i] = 1;\n    }}"), 0),
        (program(f"    for ({LOOP}\n        a[i] = 1;"), 0),
        (program(f"    for ({LOOP})\n        a[i = 1;"), 0),
        (program(f"    for ({LOOP})\n        a[i] = 'x;"), 5),
        (program(f'    for ({LOOP})\n        a[i] = "x;'), 5),
        (program(f"    for ({LOOP})\n        a[i] = 1; /* not closed"), 5),
        ("#if 1\n" + program(f"    for ({LOOP})\n        a[i] = 1;"), 1),
        ("#endif\n" + program(f"    for ({LOOP})\n        a[i] = 1;"), 1),
        (program(f"    for ({LOOP})\n        a[i] = 1;", "copy(a[0:n]))"), 3),
        (program(f"    for ({LOOP})\n        a[i] = 1;", "copy[a]"), 3),
        (program(f"    for ({LOOP})\n        a[i] = 1;", "copy(a[0:n)]"), 3),
        (program(f"    for ({LOOP})\n        a[i] = 1;", "copy(a[0:n], )"), 3),
        (program(f"    for ({LOOP})\n        a[i] = 1;", "copy(3)"), 3),
        (program(f"    for ({LOOP})\n        a[i] = 1;", "\\"), 4),
    ],
)
def test_what_does_not_balance(text: str, line: int, tmp_path: Path) -> None:
    trial = tried(tmp_path, text)
    assert trial.status == 1, "translated"
    if line:
        assert trial.printed[0].line == line, trial.errors


def test_an_extra_semicolon_or_brace_between_directive_and_loop(tmp_path: Path) -> None:
    for between in ("    ;\n", "    {}\n", "    int k;\n"):
        trial = tried(tmp_path, program(f"{between}    for ({LOOP})\n        a[i] = 1;"))
        assert trial.codes == ["ACC206"]


def test_a_syntax_error_names_its_place(tmp_path: Path) -> None:
    trial = tried(tmp_path, program(f"    for ({LOOP})\n        a[i] = * ;"))
    assert [(item.code, item.line) for item in trial.printed] == [("ACC104", 5)]


UNREADABLE = [
    ("int g(void) { return 1 + ; }\n", 1),
    ("int g(void) { return x; }\n", 1),
    ("This text has no C.\n", 1),
    ("#include <openacc.h>\nint g(void) { return 1 + ; }\n", 2),
    ("\nint g(void) { return 1 + ; }\n" + program(f"    for ({LOOP})\n        a[i] = 1;"), 2),
]
"""Texts that are wrong in a place that no directive is about, and the line of it."""


@pytest.mark.parametrize("command", [("explain",), ("explain", "--json"), ("translate",), ("run",), ("fix",)])
@pytest.mark.parametrize(("text", "line"), UNREADABLE)
def test_what_is_no_c_is_told_where_no_directive_is(
    text: str, line: int, command: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / "main.c"
    path.write_text(text)
    trial = accache(*command, str(path))
    assert (trial.status, trial.output) == (1, b"")
    assert [(Path(item.file), item.code, item.line) for item in trial.printed] == [(path, "ACC104", line)]


@pytest.mark.parametrize(
    ("mistake", "code"),
    [("int g(void) { return 1 + ; }", "ACC104"), ("#include <nowhere.h>", "ACC103"), ("#error no", "ACC103")],
)
def test_a_mistake_in_a_header_with_directives_is_told_at_its_place(mistake: str, code: str, tmp_path: Path) -> None:
    header = tmp_path / "kernels.h"
    header.write_text(program(f"    for ({LOOP})\n        a[i] = 1;") + mistake + "\n")
    trial = tried(tmp_path, '\n#include "kernels.h"\n')
    assert [(Path(item.file), item.code, item.line) for item in trial.printed] == [(header, code, 7)]


def test_what_the_parser_does_not_know_and_the_c_compiler_takes_is_left_alone(tmp_path: Path) -> None:
    before = "int g(int n) { switch (n) { case 1 ... 3: return 1; } return n ?: 2; }\n"
    assert before in ok(tmp_path, program(f"    for ({LOOP})\n        a[i] = 1;", before=before))


def test_columns_after_macros(tmp_path: Path) -> None:
    before = "#define LONG_NAME 1\n#define SHORT 1000000 + 1000000\n"
    text = program(f"    for ({LOOP}) {{\n        a[LONG_NAME] = x;\n        a[SHORT] = y;\n    }}", before=before)
    trial = tried(tmp_path, text)
    assert [(item.line, item.column) for item in trial.printed] == [(7, 24), (8, 20)]
