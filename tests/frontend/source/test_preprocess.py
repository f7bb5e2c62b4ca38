"""Preprocessing: headers, #if groups, pragmas, failures, and what pycparser can read afterwards."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest
from pycparser.c_parser import CParser

from accache.base.diagnostics import CompileError, Reporter
from accache.base.text import Location, SourceFile
from accache.frontend.source.gnu import HALF, LAYOUT, MEANING, QUAD, STATEMENT_EXPRESSION, TYPEOF, standardise
from accache.frontend.source.marks import leaves_directives
from accache.frontend.source.preprocess import (
    Preprocessed,
    PreprocessOptions,
    first_complaint,
    marked_output,
    preprocess,
    read_source,
)

HEADERS = (
    "stdio stdlib math string stdint stdbool time sys/time complex assert limits float errno stdarg inttypes openacc"
)


def run(text: str, *arguments: str, name: str = "a.c") -> Preprocessed:
    return preprocess(SourceFile(name, text), PreprocessOptions(arguments=arguments), Reporter())


def words(text: str) -> list[str]:
    """Text without line markers."""
    return re.sub(r"^#.*", "", text, flags=re.M).split()


def parses(text: str) -> bool:
    return CParser().parse(re.sub(rf"{LAYOUT}|{MEANING}", "", text), "a.c") is not None


@pytest.mark.parametrize("header", HEADERS.split())
def test_system_headers_parse(header: str) -> None:
    assert parses(run(f"#include <{header}.h>\nint a;\n").text)


@pytest.mark.parametrize("expands", [True, False])
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("#pragma acc wait\n", True),
        ('_Pragma("acc wait")\n', True),
        ('#define WAIT _Pragma("acc wait")\nWAIT\n', True),
        ("# pragma acc init\n", True),
        ('#define WAIT _Pragma("acc wait")\n', False),
        ("#if 0\n#pragma acc wait\n#endif\n", False),
        ("#pragma omp barrier\n#pragma accelerate\n", False),
        ('char *text = "\\n#pragma acc wait\\n";\n', False),
    ],
)
def test_directives_that_are_left_are_seen(text: str, left: bool, expands: bool, tmp_path: Path) -> None:
    compiler = tmp_path / "cc"
    drop = "" if expands else 'for word; do shift; [ "$word" = -fopenacc ] || set -- "$@" "$word"; done\n'
    compiler.write_text(f'#!/bin/sh\n{drop}exec cc "$@"\n')
    compiler.chmod(0o755)
    output = marked_output(SourceFile("a.c", text), PreprocessOptions((str(compiler),)), Reporter())
    assert leaves_directives(output) == left


def test_a_header_beside_the_source_is_found_before_one_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.h").write_text("int wrong;\n")
    (tmp_path / "sub" / "a.h").write_text("int right;\n")
    monkeypatch.chdir(tmp_path)
    assert words(run('#include "a.h"\n', name="sub/a.c").text) == ["int", "right;"]


def test_uses_of_header_macros_parse() -> None:
    body = (
        "assert(n > 0); va_list p; va_start(p, n); n = va_arg(p, int); double complex c = I; n = offsetof(struct s, b);"
    )
    heads = "".join(f"#include <{name}.h>\n" for name in ("assert", "stdarg", "complex", "stddef"))
    assert parses(run(f"{heads}struct s {{ int a, b; }};\nvoid f(int n, ...) {{ {body} }}\n").text)


def test_the_openacc_header_is_found_without_a_compilers_own(tmp_path: Path) -> None:
    output = run("#include <openacc.h>\nint k = acc_device_nvidia;\n", "-nostdinc", f"-I{_own_stddef(tmp_path)}")
    assert "acc_get_device_type" in output.text
    assert output.openacc
    assert parses(output.text)


@pytest.mark.parametrize("directive", ["init device_num", "shutdown device_num", "set default_async", "wait"])
def test_macros_are_expanded_in_every_directive(directive: str) -> None:
    text = f"#define Q 3\nvoid f(void)\n{{\n#pragma acc {directive} \\\n(Q)\n}}\n#define Z 1\n#pragma acc wait(Z)\n"
    assert run(text).pragmas == ((4, f"{directive} (3)"), (8, "wait(1)"))


def test_our_openacc_header_is_found_before_the_compilers_own() -> None:
    output = run("#include <openacc.h>\nint k = acc_device_nvidia;\n")
    assert output.openacc
    assert "typedef int acc_device_t;" in output.text  # the compiler's own has enumerations for types
    assert not run("int k;\n").openacc


def _own_stddef(folder: Path) -> Path:
    (folder / "stddef.h").write_text("typedef unsigned long size_t;\n")
    return folder


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#if 0\nx\n#endif\ny\n", "\nx\n"),
        ("#if 1\nx\n#else\ny\n#endif\n", "\ny\n"),
        ("#ifdef Q\nx\n#elif 1\ny\n#else\nz\n#endif\n", "\nx\n|\nz\n"),
        ("#if 0\n#if 1\na\n#endif\nb\n#endif\nc\n", "\n#if 1\na\n#endif\nb\n"),
        ("#if 1\n#if 0\na\n#endif\nb\n#endif\nc\n", "\na\n"),
        ("/*\n#if 0\n*/ a\n", ""),
        ("#if 0 /* c\n d */\nx\n#endif\n", "\nx\n"),
        ("#if 0\r\nx\r\n#endif\r\ny\r\n", "\r\nx\r\n"),
        ("\ufeff#if 0\ndon't\n#endif\ny\n", "\ndon't\n"),
        ("#if D\nx\n#endif", "\nx\n"),
        ("#ifdef _OPENACC\nx\n#else\ny\n#endif\n", "\ny\n"),
        ("#ifdef __attribute__\nx\n#endif\n", "\nx\n"),
    ],
)
def test_inactive_groups(text: str, expected: str) -> None:
    assert "|".join(text[span.start : span.end] for span in run(text).inactive) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n#pragma acc loop\n", [(2, "loop")]),
        ("#pragma acc loop \\\n gang\n", [(1, "loop gang")]),
        ("#pragma acc loop \\\r\n gang\r\n", [(1, "loop gang")]),
        ("#define N (4*2)\n#pragma acc data copy(a[0:N])\n", [(2, "data copy(a[0:(4*2)])")]),
        ("#define P parallel\n#pragma acc P\n", [(2, "parallel")]),
        ('int a; _Pragma("acc loop") int b;\n', [(1, "loop")]),
        ("#define L(x) _Pragma(#x)\nint a;\nL(acc loop gang)\nL(acc wait)\n", [(3, "loop gang"), (4, "wait")]),
        ("#if 0\n#pragma acc loop\n#endif\n#pragma acc data\n", [(4, "data")]),
        ('#line 90 "b.y"\n#pragma acc loop\n', [(2, "loop")]),
        ("#pragma omp parallel\n#pragma accx\n", []),
        ("#pragma /* a\n b */ acc loop /* c\n\n d */ gang // e\n#pragma acc wait\n", [(1, "loop gang"), (5, "wait")]),
        ("#pragma acc loop /*\r\n */ gang\r\n#pragma acc wait\r\n", [(1, "loop gang"), (3, "wait")]),
        ('#define S "/*" \\\n "*/"\n#pragma acc loop bind("a/*")\n', [(3, 'loop bind("a/*")')]),
        ("#include <stdbool.h>\n#pragma acc wait if(true) // why\n", [(2, "wait if(1)")]),
    ],
)
def test_pragmas(text: str, expected: list[tuple[int, str]]) -> None:
    assert list(run(text).pragmas) == expected


def test_a_compiler_without_openacc_gives_the_same(tmp_path: Path) -> None:
    compiler = tmp_path / "plain"
    compiler.write_text(
        '#!/bin/sh\ncase "$*" in *-fopenacc*) echo "unknown argument: -fopenacc" >&2; exit 1;; esac\nexec cc "$@"\n'
    )
    compiler.chmod(0o755)
    text = "#include <stdbool.h>\n#define N 8\n#pragma acc data \\\n copy(a[0:N]) if(true) // c\nint a;\n"
    output = preprocess(SourceFile("a.c", text), PreprocessOptions((str(compiler),)), Reporter())
    assert ["".join(pragma.split()) for _, pragma in output.pragmas] == ["datacopy(a[0:8])if(1)"]
    assert parses(output.text)
    assert "int a" in output.text


def test_lines_and_names_stay(tmp_path: Path) -> None:
    text = "int a;\n#if 1\nint b = __LINE__;\n#endif\nint c = \\\n 1;\nconst char *f = __FILE__;\n"
    output = run(text, name=str(tmp_path / "q.c")).text
    assert "accache" not in output
    tree = CParser().parse(output, "x")
    assert [(node.name, node.coord.line) for node in tree.ext] == [("a", 1), ("b", 3), ("c", 5), ("f", 7)]
    assert tree.ext[1].init.value == "3"
    assert tree.ext[3].init.value == f'"{tmp_path}/q.c"'


def test_headers_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "mine.h").write_text("#pragma acc routine seq\nint g(int);\n")
    (tmp_path / "math.h").write_text("#error not this one\n")
    output = run('#include "mine.h"\n#include <math.h>\n#pragma acc loop\n', name=str(tmp_path / "a.c"))
    assert output.pragmas == ((3, "loop"),)
    assert output.included_pragmas == ((f"{tmp_path}/mine.h", 1),)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('int a;\n#include "nowhere.h"\n', 2, "nowhere.h"),
        ("\n\n#error no luck\n", 3, "no luck"),
        ("#if 1\nint a;\n", 1, "unterminated"),
    ],
)
def test_preprocessor_errors(text: str, line: int, reason: str) -> None:
    with pytest.raises(CompileError) as error:
        run(text)
    (found,) = error.value.diagnostics
    assert (found.code, found.location and found.location.line) == ("ACC103", line)
    assert reason in found.message


def test_a_message_is_the_same_in_every_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "translated"
    compiler.write_text('#!/bin/sh\n[ "$LC_ALL" = C ] && exec cc "$@"\necho "a.c:1:2: Fehler: nichts da" >&2; exit 1\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    with pytest.raises(CompileError, match=r"a\.c:1:2: error: .*#error no luck"):
        preprocess(SourceFile("a.c", "#error no luck\n"), PreprocessOptions((str(compiler),)), Reporter())


def test_a_tab_is_one_column() -> None:
    with pytest.raises(CompileError, match=r"a\.c:1:3: error: .*#error no"):
        run("\t#error no\n")
    source = SourceFile("a.c", "int f(void)\n{\n\treturn * ;\n}\n")
    assert first_complaint(source, PreprocessOptions()) == (
        Location("a.c", 3, 11),
        "expected expression before ';' token",
    )


def test_macros() -> None:
    output = run(
        "#include <stddef.h>\n#define N 1\n#define F(x) x\n#define G() 0\n#undef N\n#if 0\n#define Q\n#endif\n"
    )
    assert {"N", "F", "G", "NULL", "__STDC__"} <= output.macros
    assert {"N", "NULL", "F", "G"} & output.constants == {"N", "NULL"}
    assert not [name for name in output.macros if name == "Q" or name.startswith("accache")]
    assert "define" not in output.text


def test_a_missing_compiler() -> None:
    with pytest.raises(CompileError, match=r"cannot run '/nowhere/cc'.*ACC103"):
        preprocess(SourceFile("a.c", ""), PreprocessOptions(("/nowhere/cc",)), Reporter())


@pytest.mark.parametrize(
    ("name", "code"),
    [("nowhere.c", "ACC101"), ("a.cpp", "ACC102"), ("a.C", "ACC102"), ("a.f90", "ACC102"), (".", "ACC101")],
)
def test_files_that_are_not_read(name: str, code: str) -> None:
    with pytest.raises(CompileError) as error:
        read_source(name, Reporter())
    assert [found.code for found in error.value.diagnostics] == [code]


def test_bytes_survive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"\xef\xbb\xbfint a; // \xff\xe9\r\n"
    (tmp_path / "a.c").write_bytes(data)
    source = read_source(str(tmp_path / "a.c"), Reporter())
    assert source.text.encode("utf-8", "surrogateescape") == data
    assert parses(preprocess(source, PreprocessOptions(), Reporter()).text)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"int b;")))
    assert read_source("-", Reporter()).text == "int b;"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int f(int *__restrict p) __attribute__((pure(1), x));", "int f(int *restrict p) ;"),
        ("__extension__ typedef __builtin_va_list v;", "typedef int v;"),
        ('int f(void) __asm__ ("" "x)") __attribute__ ((leaf));', "int f(void) ;"),
        ('void f(void) { asm volatile goto ("nop" ::: "m"); }', "void f(void) { __accache_statement_expression ; }"),
        ('void f(int x) { asm volatile ("" : "+r" (x) : : "memory"); }', "void f(int x) { ; }"),
        ('void f(int x) { asm ("" : "=r" (x)); }', "void f(int x) { __accache_statement_expression ; }"),
        ("_Float64 a; __inline int b;", "double a; inline int b;"),
        ("_Float128 a; __fp16 b;", f"typedef struct {HALF} {HALF};typedef struct {QUAD} {QUAD};{QUAD} a; {HALF} b;"),
        ('char *s = "__restrict (";', 'char *s = "__restrict (";'),
        ("int x = __builtin_va_arg(p, struct s *);", "int x = 0 ;"),
        (
            '({ if (a\n# 4 "b"\n) ; else __assert_fail ("a", 1); })',
            '((a\n# 4 "b"\n) ? (void)0 : __assert_fail ("a", 1))',
        ),
        ("int y = ({ int z; z; });", f"int y = {STATEMENT_EXPRESSION} ;"),
        ("typeof(a) b;", f"typedef struct {TYPEOF} {TYPEOF};{TYPEOF} b;"),
    ],
)
def test_gnu_extensions(text: str, expected: str) -> None:
    output = standardise(text)
    assert output.split() == expected.split()
    assert output.count("\n") == text.count("\n")


@pytest.mark.parametrize("header", ["math", "complex"])
def test_what_stands_in_front_of_the_text_leaves_its_markers_on_lines_of_their_own(header: str) -> None:
    text = run(f"#include <{header}.h>\n_Float128 a;\n").text
    assert QUAD in text
    assert all(line.lstrip().startswith("#") for line in text.splitlines() if re.search(r'# \d+ "', line))
