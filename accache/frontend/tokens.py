"""A tokenizer for raw C text: macros unexpanded, preprocessor lines kept whole, every token with its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from accache.text import SourceFile, Span

IDENTIFIER = "identifier"
NUMBER = "number"
STRING = "string"
CHAR = "char"
PUNCTUATOR = "punctuator"
DIRECTIVE = "directive"

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = frozenset(OPENING.values())


@dataclass(frozen=True, slots=True)
class Token:
    """A token; a ``directive`` is a whole preprocessor line with its continuations, without its newline."""

    kind: str
    text: str
    span: Span


# A comment, and a backslash-newline, may stand anywhere; a literal that is not closed ends with its line.
_SPLICE = r"\\\r?\n"
_COMMENT = rf"/\*(?:[^*]|\*(?!/))*(?:\*/)?|//(?:{_SPLICE}|[^\n\\]|\\(?!\r?\n))*"
_STRING = r'"(?:\\\r\n|\\[\s\S]|[^"\\\n])*"?'
_CHAR = r"'(?:\\\r\n|\\[\s\S]|[^'\\\n])*'?"
_TOKEN = re.compile(
    rf"""
      (?P<blank>(?:[\s\ufeff]|{_SPLICE}|{_COMMENT})+)
    | (?P<string>(?:u8|[uUL])?{_STRING})
    | (?P<char>(?:u8|[uUL])?{_CHAR})
    | (?P<identifier>[^\W\d][\w$]*|\$[\w$]*)
    | (?P<number>\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)
    | (?P<punctuator>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|[\s\S])
    """,
    re.VERBOSE,
)
_DIRECTIVE = re.compile(rf'#(?:{_COMMENT}|{_SPLICE}|"(?:\\[^\r\n]|[^"\\\n])*"|[^\n])*')


def tokenise(source: SourceFile, start: int = 0, end: int | None = None) -> tuple[Token, ...]:
    """The tokens of ``source.text[start:end]``, with spans in the whole file; blanks and comments are left out.

    Any text gives tokens: what C has no token for becomes a punctuator of one character.
    """
    text = source.text
    stop = len(text) if end is None else end
    match = _TOKEN.match
    tokens: list[Token] = []
    append = tokens.append
    position = start
    fresh_from = 0  # where the text begins that must be blank for a '#' to start a directive
    while position < stop:
        found = match(text, position, stop)
        assert found is not None, "the last alternative matches any character"
        kind = found.lastgroup
        assert kind is not None
        close = found.end()
        if kind == "blank":
            position = close
            continue
        if text[position] == "#" and _starts_line(text, fresh_from, position):
            kind, close = DIRECTIVE, _directive_end(text, position, stop)
        append(Token(kind, text[position:close], Span(position, close)))
        position = fresh_from = close
    return tuple(tokens)


def matching(tokens: Sequence[Token], index: int) -> int | None:
    """The index of the bracket that closes the one at ``index``; None where brackets do not pair."""
    expected: list[str] = []
    for position in range(index, len(tokens)):
        token = tokens[position]
        if token.kind != PUNCTUATOR:
            continue
        if token.text in OPENING:
            expected.append(OPENING[token.text])
        elif token.text in CLOSING:
            if expected.pop() != token.text:
                return None
            if not expected:
                return position
    return None


def _starts_line(text: str, after: int, position: int) -> bool:
    """Whether nothing but blanks and comments stands between the line's start (or ``after``) and ``position``."""
    line = text.rfind("\n", 0, position) + 1
    if after >= line:
        return after == 0 and line == 0
    return text[line - 2 : line - 1] != "\\" and _blank_to(text, max(line, after), position)


def _blank_to(text: str, start: int, position: int) -> bool:
    """Whether text[start:position] holds no token; a comment that began on an earlier line counts as blank."""
    return all(c.isspace() or c == "\ufeff" for c in text[start:position]) or text[start:position].rstrip().endswith(
        "*/"
    )


def _directive_end(text: str, position: int, stop: int) -> int:
    found = _DIRECTIVE.match(text, position, stop)
    assert found is not None
    close = found.end()
    return close - 1 if text[close - 1] == "\r" else close
