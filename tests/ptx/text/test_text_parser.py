"""PTX that is none: each code of the reader, at its place; texts cut off anywhere; random damage."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accache.base.diagnostics import CompileError
from accache.base.text import SourceFile
from accache.ptx.text.parser import parse

HEAD = ".version 9.0\n.target sm_90\n"
FORMS = (Path(__file__).parents[1] / "forms.ptx").read_text()


def found(text: str) -> list[tuple[str, int, int]]:
    """Code, line and column of what is wrong with a text; nothing if it is PTX."""
    try:
        parse(SourceFile("a.ptx", text))
    except CompileError as error:
        places = [(item.code, item.location) for item in error.diagnostics]
        return [(code, place.line, place.column) for code, place in places if place]
    return []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("ACC903", 1, 1)),
        ("\x7fELF", ("ACC901", 1, 1)),
        ("int main;", ("ACC902", 1, 1)),
        (".target sm_90\n", ("ACC902", 1, 1)),
        (".version 9.0\n", ("ACC903", 1, 13)),
        (HEAD + "é", ("ACC901", 3, 1)),
        (HEAD + ".visible 7", ("ACC902", 3, 10)),
        (HEAD + ".global .align x .b8 a;", ("ACC902", 3, 16)),
        (HEAD + "\x1f\n", ("ACC901", 3, 1)),
        (HEAD + ".global .b8 a[3;", ("ACC902", 3, 16)),
        (HEAD + ".global .b9 a;", ("ACC902", 3, 9)),
        (HEAD + ".global .b8 a = {1 2};", ("ACC902", 3, 20)),
        (HEAD + ".entry f(.b32 x)\n{\n}", ("ACC902", 3, 10)),
        (HEAD + ".entry f()\n{\nadd.s32 %a, %b %c;\n}", ("ACC902", 5, 16)),
        (HEAD + ".entry f()\n{\n@ add.s32 %a, %b, %c;\n}", ("ACC902", 5, 11)),
        (HEAD + ".entry f()\n{\nld.u32 %a, [%b;\n}", ("ACC902", 5, 15)),
        (HEAD + ".entry f()\n{\n.version 7\n}", ("ACC902", 5, 1)),
        (HEAD + ".entry f()\n{\n7;\n}", ("ACC902", 5, 1)),
        (HEAD + ".entry f()\n{\n.loc 1 x 2\n}", ("ACC902", 5, 8)),
        (HEAD + ".entry f()\n{\nret;\n", ("ACC903", 5, 5)),
        (HEAD + ".entry f()\n{\nad.s32 %a, %b, %c;\n}", ("ACC904", 5, 1)),
        (HEAD + ".entry f()\n{\n@%p ld.globl.u32 %a, [%b];\n}", ("ACC905", 5, 5)),
        (HEAD + ".entry f()\n{\nadd.s32 %a, %b;\n}", ("ACC906", 5, 1)),
        (HEAD + ".entry f()\n{\nret 1, 2;\n}", ("ACC906", 5, 1)),
        (HEAD + ".entry f()\n{\n.reg .b32 %r<99999999>;\n}", ("ACC907", 5, 14)),
        (HEAD + ".entry f()\n" + "{" * 100 + "}" * 100, ("ACC908", 4, 65)),
        (HEAD + ".entry f()\n{\nmov.b32 %r, " + "{" * 100, ("ACC908", 5, 76)),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, expected: tuple[str, int, int]) -> None:
    assert found(text) == [expected]


def test_all_wrong_instructions_are_told() -> None:
    text = HEAD + ".entry f()\n{\nad.s32 a;\nadd.foo.s32 a;\nret;\n}\n"
    assert [code for code, _, _ in found(text)] == ["ACC904", "ACC905", "ACC906"]


def test_no_part_of_a_function_is_taken_for_the_whole() -> None:
    begin = FORMS.index("{\n", FORMS.index(".entry"))
    end = FORMS.index("\n}\n", begin) + 2
    for cut in range(begin + 1, end, 11):
        assert [code for code, _, _ in found(FORMS[:cut])] in (["ACC903"], ["ACC901"], ["ACC902"])


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(FORMS)), st.text(max_size=5), st.integers(0, 12))
def test_a_damaged_text_is_read_or_refused(at: int, put: str, gone: int) -> None:
    found(FORMS[:at] + put + FORMS[at + gone :])
