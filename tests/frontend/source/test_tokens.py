"""The tokenizer: kinds, spans, preprocessor lines, and text that is not C."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accache.base.text import SourceFile
from accache.frontend.source.tokens import matching, tokenise


def spelled(text: str) -> list[str]:
    return [token.text for token in tokenise(SourceFile("a.c", text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a+=b", ["a", "+=", "b"]),
        ("x<<=1; y->z...", ["x", "<<=", "1", ";", "y", "->", "z", "..."]),
        ("1.5e+3f 0x1p-3 .5 1'000", ["1.5e+3f", "0x1p-3", ".5", "1'000"]),
        (r'L"a\"b" u8"c" ' + r"'\''", [r'L"a\"b"', 'u8"c"', r"'\''"]),
        ("a /* b\n */ c // d\ne", ["a", "c", "e"]),
        ("a // b \\\n still comment\nc", ["a", "c"]),
        ("a/**/b", ["a", "b"]),
        ("größe = π;", ["größe", "=", "π", ";"]),
        ("\ufeffint a;", ["int", "a", ";"]),
        ("a\\\nb", ["a", "b"]),
        ("#pragma acc loop\r\nint a;\r\n", ["#pragma acc loop", "int", "a", ";"]),
        ("  # define A \\\n  B\nC", ["# define A \\\n  B", "C"]),
        ("#define A /* b\n c */ d\ne", ["#define A /* b\n c */ d", "e"]),
        ('#define S "/*"\na', ['#define S "/*"', "a"]),
        ("/* x */ #if 1\na", ["#if 1", "a"]),
        ("a # b", ["a", "#", "b"]),
        ("\ufeff#if 1\n", ["#if 1"]),
        ("a<:b:>=<%c%>%:%:d", ["a", "[", "b", "]", "=", "{", "c", "}", "##", "d"]),
        ("a<b<=c<<:", ["a", "<", "b", "<=", "c", "<<", ":"]),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert spelled(text) == expected


def test_kinds() -> None:
    tokens = tokenise(SourceFile("a.c", "#if 1\nint a1 = 'c' + \"s\" + 2;"))
    assert [token.kind for token in tokens] == [
        *("directive", "identifier", "identifier", "punctuator", "char"),
        *("punctuator", "string", "punctuator", "number", "punctuator"),
    ]


def test_a_part_of_the_text() -> None:
    source = SourceFile("a.c", "#pragma acc loop gang\nint a;")
    tokens = tokenise(source, 11, 21)
    assert [(token.text, token.span.start) for token in tokens] == [("loop", 12), ("gang", 17)]
    assert not any(token.kind == "directive" for token in tokenise(SourceFile("a.c", "a # b"), 1))
    assert [token.text for token in tokenise(SourceFile("a.c", "a;\n  #if b"), 5)] == ["#if b"]


@given(st.text(alphabet="ab1.#\"'\\/*\n\r (){}é\ufeff$@"))
def test_any_text_gives_ordered_spans_of_its_own_text(text: str) -> None:
    position = 0
    for token in tokenise(SourceFile("a.c", text)):
        assert position <= token.span.start < token.span.end
        assert text[token.span.start : token.span.end] == token.text
        position = token.span.end


@pytest.mark.parametrize(("text", "expected"), [("(a[1]{})b", 7), ("((a)", None), ("(a]", None), ("(')')", 2)])
def test_matching(text: str, expected: int | None) -> None:
    assert matching(tokenise(SourceFile("a.c", text)), 0) == expected
