"""Pragmas, statements and definitions in the raw text."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.diagnostics import CompileError, Reporter
from accache.base.options import Options
from accache.base.text import SourceFile, Span
from accache.driver import translate
from accache.frontend.source.constructs import PragmaSite, enclosing_definition, find_pragmas, statement_after
from accache.frontend.source.definitions import definitions
from accache.frontend.source.groups import kept_lines
from accache.frontend.source.preprocess import PreprocessOptions, preprocess


def sites(text: str, reporter: Reporter | None = None) -> tuple[PragmaSite, ...]:
    source, found = SourceFile("a.c", text), reporter or Reporter()
    return find_pragmas(source, preprocess(source, PreprocessOptions(), found), found)


@pytest.mark.parametrize(
    ("text", "spans", "spelled", "expanded"),
    [
        ("#pragma acc loop\nint a;\n", ["#pragma acc loop"], ["loop"], ["loop"]),
        ("\ufeff\r\n # pragma  acc wait\r\nint a;\r\n", ["# pragma  acc wait"], ["wait"], ["wait"]),
        ("#pragma acc wait(1)// é\n", ["#pragma acc wait(1)// é"], ["wait(1)"], ["wait(1)"]),
        ("#pragma \\\n acc loop \\\n  gang\n", ["#pragma \\\n acc loop \\\n  gang"], ["loop gang"], ["loop gang"]),
        ("#define N 4\n#pragma acc wait(N)\n", ["#pragma acc wait(N)"], ["wait(N)"], ["wait(4)"]),
        ('int a; _Pragma ( "acc loop" ) int b;\n', ['_Pragma ( "acc loop" )'], ["loop"], ["loop"]),
        ("#if 0\n#pragma acc loop\n#else\n#pragma acc wait\n#endif\n", ["#pragma acc wait"], ["wait"], ["wait"]),
        ("// #pragma acc loop\n#pragma omp for\n#pragma accx\n", [], [], []),
        ("#define P(x) _Pragma(#x)\nP(acc wait) int a;\n", ["P(acc wait)"], ["P(acc wait)"], ["wait"]),
        ("#define P(x) _Pragma(#x)\n#define Q P(acc loop)\n\n Q\n", ["Q"], ["Q"], ["loop"]),
        (
            '#define Q _Pragma("acc loop")\nint a; Q _Pragma("acc wait") Q\n',
            ["Q", '_Pragma("acc wait")', "Q"],
            ["Q", "wait", "Q"],
            ["loop", "wait", "loop"],
        ),
    ],
)
def test_pragma_sites(text: str, spans: list[str], spelled: list[str], expanded: list[str]) -> None:
    found = sites(text)
    assert [text[site.span.start : site.span.end] for site in found] == spans
    assert [site.spelled for site in found] == spelled
    assert [site.expanded for site in found] == expanded
    assert all(text[: site.span.start].count("\n") + 1 == site.line for site in found)


def test_a_pragma_among_other_text_of_a_macro() -> None:
    reporter = Reporter()
    assert sites('#define LOOP(i) _Pragma("acc loop") for (i = 0; i < 9; i++)\nLOOP(k) ;\n', reporter) == ()
    assert [(found.code, found.location and found.location.line) for found in reporter.diagnostics] == [("ACC210", 2)]


def test_pragmas_of_included_files_are_not_dropped_in_silence(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("\n#pragma acc routine seq\n")
    source, reporter = SourceFile(str(tmp_path / "a.c"), '#include "h.h"\n'), Reporter()
    assert find_pragmas(source, preprocess(source, PreprocessOptions(), reporter), reporter) == ()
    assert [(found.code, str(found.location)) for found in reporter.diagnostics] == [("ACC105", f"{tmp_path}/h.h:2:1")]


@pytest.mark.parametrize(
    ("before", "statement", "after"),
    [
        ("", "{ a; { b; } }", " c;"),
        ("", "a = b;", " c;"),
        ("", ";", " c;"),
        ("", "for (;;) for (;;) a[i] = (b){1};", " c;"),
        ("\n#pragma acc loop gang\n", "for (;;)\n#pragma acc loop\n  for (;;) x;", " y;"),
        ("\n", "if (a) if (b) c; else d; else { e; }", " else2;"),
        ("", "if (a) b; else if (c) d; else e;", " f;"),
        ("", "do a; while (b);", " c;"),
        ("", "do { a; } while (b);", " while (c);"),
        ("", "while (a) { b; }", " c;"),
        ("", "switch (a) { case 1: b; }", " c;"),
        ("", "x: case a ? b : 2: default: y = 1;", " c;"),
        ("", "double t[2] = {1, 2}, s;", " c;"),
        ("", "struct p { int a; } q;", " c;"),
        ('_Pragma("acc loop") ', 'for (;;) _Pragma("acc cache(a)") { }', " c;"),
        ("/* } */ ", 's = "}"; ', ""),
        ("", "p = (struct q){1};", " c;"),
        ("", "return f(a)(b);", " c;"),
        ("\r\n", "for (;;)\r\n  a;", "\r\nb;"),
    ],
)
def test_statement_after(before: str, statement: str, after: str) -> None:
    text = f"void f() {{ #{before}{statement}{after} }}"
    start = len("void f() { #")
    span = statement_after(SourceFile("a.c", text), start)
    assert text[span.start : span.end] == statement.strip()


@pytest.mark.parametrize(
    "statement", ["EACH(i, n) { a; }", "EACH(i, n) EACH (j, f(n)) a = b;", "ALL a;", "if (a) ALL b; else { c; }"]
)
def test_macros_may_be_heads_of_loops(statement: str) -> None:
    source = SourceFile("a.c", f"{statement} d;")
    span = statement_after(source, 0, loop_macros=frozenset({"EACH", "ALL"}))
    assert source.text[span.start : span.end] == statement


def test_a_macro_that_was_no_head_of_a_loop_is_found_out(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    early = "#pragma acc serial copy(a[0:2])\n    EACH(0)\n    a[1] = 2;\n"
    later = "#undef EACH\n#define EACH(n) for (int i = 0; i < n; ++i)\n"
    path.write_text(f"#define EACH(n) a[n] = 1;\nvoid f(int *a)\n{{\n{early}}}\n{later}")
    with pytest.raises(CompileError) as error:
        translate(str(path), Options())
    assert [found.code for found in error.value.diagnostics] == ["ACC208"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("}", "ACC207"),
        ("", "ACC207"),
        ("FOREVER { a; }", "ACC208"),
        ("EACH(i, n) { a; }", "ACC208"),
        ("BEGIN(i) a = 1; END", "ACC208"),
        ("EACH(i, n) for (;;) ;", "ACC208"),
        ("{ a;", "ACC208"),
        ("a = b }", "ACC208"),
        ("do a; until (b);", "ACC208"),
        ("for (;;) }", "ACC207"),
        ("\n#if __A\nfor (;;)\n#else\nfor (i;;)\n#endif\n{ }", "ACC209"),
        ("for (;;) {\n#if _OPENMP\n}\n", "ACC209"),
        ("for (;;)\n#if __cplusplus < A\n{ }\n#endif\n", "ACC209"),
    ],
)
def test_statements_that_are_refused(text: str, code: str) -> None:
    source = SourceFile("a.c", text)
    groups = text.find("#else"), text.find("#endif")
    inactive = (Span(groups[0] + 5, groups[1]),) if groups[0] >= 0 else ()
    with pytest.raises(CompileError) as error:
        statement_after(source, 0, inactive)
    assert [found.code for found in error.value.diagnostics] == [code]


@pytest.mark.parametrize(
    ("last", "kept"),
    [
        ("#ifdef A", ()),
        ("#  if defined A // again", ()),
        ("#if defined( A )", ()),
        ("#if (defined(A))", ()),
        ("#ifndef A", ("#endif", "#ifndef A")),
        ("#ifdef A\n#else", ("#endif", "#ifdef A", "#else")),
        ("#if A /* not\n the same */", ("#endif", "#if A")),
        ("#ifdef A\n#ifdef _OPENACC", ("#endif", "#ifdef A", "#ifdef _OPENACC")),
    ],
)
def test_a_statement_may_end_in_another_group(last: str, kept: tuple[str, ...]) -> None:
    text = f"#ifdef A\nf();\n{{\n#endif\n#if B\n b;\n#endif\n{last}\n}}\n#endif\nc;"
    source = SourceFile("a.c", text)
    span = statement_after(source, text.index(";") + 1)
    assert text[span.end :] == "\n#endif\nc;"
    assert kept_lines(source, span) == kept


def test_definitions_are_kept_with_their_groups() -> None:
    text = "{\n#if A\n#if B\n#define C \\\n 3 // c\n#endif\n#endif\n#if D\n#endif\n#undef E\n}"
    kept = ("#if A", "#if B", "#define C 3", "#endif", "#endif", "#undef E")
    assert kept_lines(SourceFile("a.c", text), Span(0, len(text))) == kept


def test_whole_groups_inside_a_statement() -> None:
    text = "for (;;) {\n#if A\n a; }\n#else\n b;\n#endif\n}\nc;"
    skipped = Span(text.index("A") + 1, text.index("#else"))
    span = statement_after(SourceFile("a.c", text), 0, (skipped,))
    assert text[span.end :] == "\nc;"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("int f(int a) { }", ["f"]),
        ("static inline void f(void) { } int x; struct s { int a; } v; int g() { }", ["f", "g"]),
        ("int f(a, b) int a; int b; { }", ["f"]),
        ("int a[] = { 1 }; int f(void) { }", ["f"]),
        ("struct s f(struct t { int a; } *p) { }", ["f"]),
        ("struct s *f(void) { } union u { int a; }; enum { A, B };", ["f"]),
        ("int (*f(int a))(double) { }", ["f"]),
        ("int *(f)(int a) { }", ["f"]),
        ("int f(int) __attribute__((noinline)); int f(int a) __attribute__((x)) { }", ["f"]),
        ("__attribute__((noinline)) static void f(int a) { }", ["f"]),
        ("DECLARE(x) int y; int f(int a) { }", ["f"]),
        ('extern "C" { int f(void) { } }', ["f"]),
        ("#define X {\nint f(void) {\n#if 1\n}\n#endif\nint g(void) { }", ["f", "g"]),
        ("f(void) { } g() { }", ["f", "g"]),
        ("DECLARE(x) int y; " * 2000 + "int f(int a) { }", ["f"]),
        ("int f(void) {", []),
        ("} int f(void) { }", ["f"]),
    ],
)
def test_definitions(text: str, names: list[str]) -> None:
    assert [definition.name for definition in definitions(SourceFile("a.c", text))] == names


def test_enclosing_definition() -> None:
    text = "int a;\nstatic int f(int n)\n{ return n; }\nint g(void) { }\n#pragma acc declare copyin(a)\n"
    source = SourceFile("a.c", text)
    found = enclosing_definition(source, text.index("return"))
    assert text[found.span.start : found.span.end] == "static int f(int n)\n{ return n; }"
    assert text[found.body.start : found.body.end] == "{ return n; }"
    with pytest.raises(CompileError, match="ACC211"):
        enclosing_definition(source, text.index("#pragma"))
