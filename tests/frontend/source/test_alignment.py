"""Preprocessed tokens find their places in the raw text again, behind macros too; what cannot be parsed is left out."""

from __future__ import annotations

import time

import pytest
from msgspec.structs import replace

from accache.base.diagnostics import Reporter
from accache.base.text import SourceFile
from accache.frontend.source.alignment import Unit, align
from accache.frontend.source.preprocess import PreprocessOptions, preprocess


def unit_of(text: str) -> Unit:
    source = SourceFile("main.c", text)
    return align(source, preprocess(source, PreprocessOptions(), Reporter()))


def test_a_preprocessor_that_tells_no_macros_does_too() -> None:
    text = f"{MACROS}int y = N + F(1, 2) + here;\n"
    source = SourceFile("main.c", text)
    silent = replace(preprocess(source, PreprocessOptions(), Reporter()), macros=frozenset(), constants=frozenset())
    assert place(align(source, silent), "here") == (5, 23)


def place(unit: Unit, token: str) -> tuple[int, int]:
    """Line and column of the only token of a spelling."""
    (index,) = [k for k, text in enumerate(unit.tokens) if text == token]
    found = unit.location(index)
    assert found.file == "main.c"
    return found.line, found.column


MACROS = "#define N 10 + 10\n#define F(a, b) ((b) - (a))\n#define ID(x) x\n#define EMPTY\n"


@pytest.mark.parametrize(
    ("line", "token"),
    [
        ("int y = N + here;", "here"),
        ("int y = F(1, 2) + here;", "here"),
        ("int y = F(1,\n 2) + here;", "here"),
        ("int y = F\n(1, 2) + N + here;", "here"),
        ("int y = ID(F)(1, 2) + here;", "here"),
        ("EMPTY int EMPTY y = N EMPTY + here;", "here"),
        ("int y = /* N */ N + /* é */ here;", "here"),
        ("int é = N, ü = N + hér\\u00e9;", "héré"),
        ("_Complex float y = 2.0i + 1.0if + here;", "here"),
        ("__extension__ int y __attribute__((unused)) = here;", "here"),
        ("int y = sizeof(__typeof__(N)) + here;", "here"),
        ("int y = ({ int z = 1; z; }) + here;", "here"),
        ("int y = __LINE__ + sizeof(__FILE__) + here;", "here"),
    ],
)
def test_a_token_behind_others_has_its_own_place(line: str, token: str) -> None:
    unit = unit_of(f"{MACROS}{line}\n")
    last = line.split("\n")[-1]
    assert place(unit, token) == (5 + line.count("\n"), last.index(token[:2]) + 1)


def test_what_a_macro_makes_stands_where_the_macro_is_used() -> None:
    unit = unit_of(f"{MACROS}int y = 1 + F(2, 3);\n")
    assert place(unit, "-") == (5, 13)
    assert [unit.location(k).length for k, text in enumerate(unit.tokens) if text == "-"] == [len("F(2, 3)")]


def test_a_line_that_does_not_fit_costs_no_other_its_place_and_no_time() -> None:
    odd = "#define OPEN (\nint odd[] = { OPEN 1, 2) };\n"  # a bracket that only a macro opens
    lines = "".join(f"int f{k}(int a, int b) {{ return (a + {k}) * b; }}\n" for k in range(300))
    before = time.process_time()
    unit = unit_of(f"{odd}int y = here;\n{lines}int z = there;\n")
    assert place(unit, "here") == (3, 9)
    assert place(unit, "there") == (304, 9)
    assert time.process_time() - before < 5


def test_lines_of_many_macro_uses_take_little_time() -> None:
    sums = "#define SUM(a) " + " + ".join(f"x[{k}] * (a)" for k in range(200)) + "\n"
    calls = "".join(f"int g{k}(int *x) {{ return SUM(1) {'+ x[0] ' * 60}; }}\n" for k in range(16))
    before = time.process_time()
    unit = unit_of(f"{sums}{calls}int z = there;\n")
    assert place(unit, "there") == (18, 9)
    assert time.process_time() - before < 3


def test_only_what_cannot_be_parsed_is_left_out() -> None:
    unit = unit_of("int a(int n) { void *p = &&x; }\nint b;\nvoid c(void) { &&x; }\nint d(int n);\n")
    tree, problems = unit.tree
    assert [getattr(item, "name", None) or item.decl.name for item in tree.ext] == ["a", "b", "c", "d"]
    assert [unit.location(index).line for index, _ in problems] == [1, 3]


def test_names_of_any_alphabet_are_read() -> None:
    tree, problems = unit_of('struct größe { int é; };\nint f(struct größe *ß) { return ß->é + sizeof "é"; }\n').tree
    assert problems == ()
    assert tree.ext[0].type.name == "größe"
    member = tree.ext[1].body.block_items[0].expr.left
    assert (member.name.name, member.field.name) == ("ß", "é")


def test_an_error_without_a_place_gets_one() -> None:
    unit = unit_of("int a;\nint b = * ;\n")
    assert [unit.location(index).line for index, _ in unit.tree[1]] == [2]
