"""What system headers declare is left out where nothing names it, as far as a pattern can read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate
from accache.frontend.source import preprocess
from accache.frontend.source.system_headers import without_unused_declarations

SAMPLES = Path(__file__).parents[3] / "samples"


def kept(header: str, user: str) -> str:
    """What is left of a system header that a program includes."""
    text = f'# 1 "a.c"\n# 1 "/usr/include/h.h" 1 3 4\n{header}\n# 2 "a.c" 2\n{user}\n'
    found = without_unused_declarations(text)
    assert found.count("\n") == text.count("\n")
    return found.partition("3 4\n")[2].partition("\n# 2")[0]


@pytest.mark.parametrize(
    "header",
    [
        "extern double cos (double __x) __attribute__ ((__nothrow__ , __leaf__));",
        "extern int fprintf (FILE *__restrict __stream,\n      const char *__restrict __format, ...);",
        '__extension__ extern long long int atoll (const char *) __asm__ ("" "other");',
        "extern const unsigned short int **__ctype_b_loc (void);",
    ],
)
def test_a_prototype_goes_unless_it_is_named(header: str) -> None:
    name = next(name for name in ("cos", "fprintf", "atoll", "__ctype_b_loc") if name in header)
    assert kept(header, "int main(void) { return 0; }").strip() == ""
    assert kept(header, f"int main(void) {{ {name}(0); }}") == header
    assert header in kept(f"{header}\nstatic inline int g(void) {{ return {name}(0) != 0; }}", "g();")


@pytest.mark.parametrize(
    "header",
    ["typedef unsigned long int name_t;", "__extension__ typedef struct tag *name_t;", " typedef other_t  name_t ;"],
)
def test_a_typedef_goes_unless_it_is_named(header: str) -> None:
    assert kept(header, "int main(void) { return 0; }").strip() == ""
    assert kept(header, "name_t x;") == header
    assert header in kept(f"{header}\nstruct holder {{ name_t member; }};", "struct holder x;")


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("extern int daylight;", ["daylight"]),
        ("struct tag { int member; };", ["struct tag x;"]),
        ("struct tag;", ["struct tag *x;"]),
        ("union tag\n{\n  struct inner { int member; } part;\n  char other;\n};", ["union tag x;", "struct inner y;"]),
        ("typedef struct { int member; } record;", ["record x;"]),
        ("typedef struct tag { union { int a; char b; } member; } record;", ["record x;", "struct tag x;"]),
        ("__extension__ typedef struct { long long int quot; } record;", ["record x;"]),
        ("static __inline unsigned int\nswapped (unsigned int x)\n{\n  return x >> 16 | x << 16;\n}", ["swapped(1);"]),
    ],
)
def test_variables_records_and_functions_go_unless_they_are_named(header: str, names: list[str]) -> None:
    assert kept(header, "int member, other;").strip() == ""
    assert [kept(header, name) for name in names] == [header] * len(names)


def test_names_of_files_name_nothing() -> None:
    header = '# 3 "/usr/include/types/record.h" 1 3 4\ntypedef struct { int member; } record;\n'
    assert kept(header, "").strip() == '# 3 "/usr/include/types/record.h" 1 3 4'


def test_a_structure_that_others_need_stays_with_them() -> None:
    chain = "struct inner { int member; };\ntypedef struct { struct inner part; } outer;\nextern outer *found (void);"
    assert kept(chain, "found();") == chain
    assert kept(chain, "other();").strip() == ""


def test_what_is_named_names_others() -> None:
    chain = "typedef int first;\ntypedef first second;\nextern second f (int);extern int g (second);"
    assert kept(chain, "f(1);") == chain.replace("extern int g (second);", "")
    assert kept(chain, "second x;") == chain.partition("\nextern")[0] + "\n"
    assert kept(chain, "third x;") == "\n\n"


@pytest.mark.parametrize(
    "header",
    [
        "extern int first (void), second (void);",
        "extern void (*signal (int sig, void (*func) (int))) (int);",
        "extern int (*handler) (void);",
        "extern int table[4];",
        "typedef int (function) (void);",
        "typedef int one, two;",
        "typedef int row[4];",
        "typedef struct { enum { ONE } member; } record;",
        "typedef struct { struct { struct { int a; } b; } c; } deep;",
        '# 7 "/usr/include/h.h" 3 4'.join(("struct tag {\n", "\nint member; };")),
        "enum { ONE, TWO };",
        "struct tag { int member; } variable;",
        "static const int limit = 5;",
        "#pragma acc routine seq\nextern int f (int);",
        "#pragma acc routine seq\n\nstatic int f (int x) { return x; }",
        "static int g (int (*f) (void)) { return f (); }",
        "static int g (int c) { return c == '{'; }",
        'static const char *g (void) { return "}"; }',
        "static int g (void) { { { return 1; } } }",
        "typedef __typeof (sizeof (int)) size;",
        "typedef int aligned __attribute__ ((__aligned__ (8)));",
        "int after;",
        'extern int limit_of __asm__ ("other_limit");',
        "extern __typeof (sizeof (int)) big;",
        "extern double (plain) (double);",
        "extern size_t (plain) (double);",
        "extern const size_t (variable);",
        "extern unsigned int (variable);",
        "extern int aligned __attribute__ ((__aligned__ (8)));",
        "extern int sort (int *, int (*compare) (int, int));",
    ],
)
def test_other_declarations_stay(header: str) -> None:
    assert kept(header, "") == header


def test_long_declarations_are_read_at_once() -> None:
    header = f"extern int {'*' * 5000}x;\nextern {'int ' * 5000}x;\nstruct tag {{ {'int a; ' * 5000}}};"
    assert kept(header, "").strip() == ""
    header = f"extern {'int ' * 5000}(x);\nstruct tag {{ {'int a; {} ' * 5000}}} x;\nstatic {'int ' * 5000}x;"
    assert kept(header, "") == header


def test_headers_of_the_user_stay() -> None:
    text = '# 1 "a.c"\n# 1 "own.h" 1\nextern int f (int);\n# 2 "a.c" 2\n'
    assert without_unused_declarations(text) == text


@pytest.mark.parametrize("name", ["stencil", "histogram"])
def test_translations_are_what_they_were_with_all_prototypes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(SAMPLES / f"{name}.c")
    found = translate(path, Options())
    texts: list[str] = []
    monkeypatch.setattr(preprocess, "without_unused_declarations", lambda text: texts.append(text) or text)
    assert translate(path, Options()).joined == found.joined
    assert [len(without_unused_declarations(text)) < len(text) for text in texts] == [True]
