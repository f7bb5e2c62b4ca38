"""Prototypes and typedefs of system headers that nothing names are left out; nothing else is."""

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
    assert header in kept(f"{header}\nstatic inline int g(void) {{ return {name}(0) != 0; }}", "")


@pytest.mark.parametrize(
    "header",
    ["typedef unsigned long int name_t;", "__extension__ typedef struct tag *name_t;", " typedef other_t  name_t ;"],
)
def test_a_typedef_goes_unless_it_is_named(header: str) -> None:
    assert kept(header, "int main(void) { return 0; }").strip() == ""
    assert kept(header, "name_t x;") == header
    assert header in kept(f"{header}\nstruct holder {{ name_t member; }};", "")


def test_what_is_named_names_others() -> None:
    chain = "typedef int first;\ntypedef first second;\nextern second f (int);extern int g (second);"
    assert kept(chain, "f(1);") == chain.replace("extern int g (second);", "")
    assert kept(chain, "second x;") == chain.partition("\nextern")[0] + "\n"
    assert kept(chain, "third x;") == "\n\n"


@pytest.mark.parametrize(
    "header",
    [
        "extern int daylight;",
        "extern int first (void), second (void);",
        "extern void (*signal (int sig, void (*func) (int))) (int);",
        "extern int (*handler) (void);",
        "extern int table[4];",
        "typedef int (function) (void);",
        "typedef int one, two;",
        "typedef int row[4];",
        "typedef struct { int member; } record;",
        "typedef __typeof (sizeof (int)) size;",
        "typedef int aligned __attribute__ ((__aligned__ (8)));",
        "int after;",
        "struct tag { int member; };",
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
    header = f"extern int {'*' * 5000}x;\nextern {'int ' * 5000}x;"
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
