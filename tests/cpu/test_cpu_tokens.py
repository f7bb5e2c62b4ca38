"""The preprocessor's lines of a text: what looks like one in a comment or a string is none."""

from __future__ import annotations

import pytest

from accache.cpu.tokens import directive_spans


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("int a;\n # if 1\nint b; # c\n#endif", [" # if 1", "#endif"]),
        ("/* a\n# b */ int c;\n/* d */ # if 1", ["/* d */ # if 1"]),
        ("#define A /* b\n c */ 3 // d \\\n e\nint f;", ["#define A /* b\n c */ 3 // d \\\n e"]),
        ('# \\\n define A "/*" \'"\'\nint b; /* */', ['# \\\n define A "/*" \'"\'']),
        ("%:define A 1'000\r\n#error don't\n", ["%:define A 1'000\r", "#error don't"]),
        ('auto a = R"(\n#if 1\n)", b = u8R"x(\n#if 1\n)" )x"; char c = \'"\';\n#if 2\n', ["#if 2"]),
        ('const char *a = "b\\\n#if 1\\\n";\n// c \\\n#if 2\n#if 3', ["#if 3"]),
    ],
)
def test_directives_are_found(text: str, lines: list[str]) -> None:
    assert [text[span.start : span.end] for span in directive_spans(text)] == lines
