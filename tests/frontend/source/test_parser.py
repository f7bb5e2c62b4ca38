"""Our lexer remembers the tokens of lines; what it gives is what pycparser's own gives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pycparser.c_lexer import CLexer

from accache.frontend.source.parser import _Lexer, parse_c

SAMPLES = sorted((Path(__file__).parents[3] / "samples").glob("*.c"))
TEXTS = (
    "int\na\n[\n3\n]\n;\n\n\na",
    "int f(void) { return a[b[1]] + 0x1p3f; }",
    "#pragma acc loop gang\nfor\n(\n;\n;\n)\nx\n++\n;",
    "[[nodiscard]] int a;\n[\n[\nx\n]\n]\nint b;",
    "typedef\nint\nreal\n;\nreal\nx\n=\n'a'\n,\ny\n=\n\"b\"\n;",
    "",
    "\n\n",
)


def tokens(kind: type[CLexer], text: str) -> list[tuple[str, str, int, int]]:
    def fail(message: str, line: int, column: int) -> None:
        found.append(("error", message, line, column))

    found: list[tuple[str, str, int, int]] = []
    lexer = kind(fail)
    lexer.input(text)
    while (token := lexer.token()) is not None:
        found.append((token.type, token.value, token.lineno, token.column))
    return found


@pytest.mark.parametrize("text", TEXTS)
def test_tokens_are_those_of_the_parsers_own_lexer(text: str) -> None:
    for _ in range(2):
        assert tokens(_Lexer, text) == tokens(CLexer, text)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_so_are_those_of_samples(path: Path) -> None:
    words = "\n".join(re.findall(r"\w+|[^\w\s]", re.sub(r"//.*|/\*[\s\S]*?\*/|#.*|\".*?\"", "", path.read_text())))
    for _ in range(2):
        assert tokens(_Lexer, words) == tokens(CLexer, words)


def test_what_the_parser_does_to_a_word_is_not_remembered() -> None:
    """It makes a type's name of a word, which may be a variable's in the next text."""
    parse_c("typedef\nint\nword\n;\nword\nx\n;")
    assert tokens(_Lexer, "word") == [("ID", "word", 1, 1)]
