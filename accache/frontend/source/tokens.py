"""A tokenizer for raw C text: macros unexpanded, preprocessor lines kept whole, every token with its place."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from accache.base.text import SourceFile, Span

Kind: TypeAlias = Literal["identifier", "number", "string", "char", "punctuator", "directive"]
IDENTIFIER: Final = "identifier"
NUMBER: Final = "number"
STRING: Final = "string"
CHAR: Final = "char"
PUNCTUATOR: Final = "punctuator"
DIRECTIVE: Final = "directive"

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = frozenset(OPENING.values())


class Token(Struct, frozen=True):
    r"""A token; a ``directive`` is a whole preprocessor line with its continuations, without its newline.

    The ``text`` of an identifier has letters where the source may have universal character names (``\u00e9``), and
    that of a bracket is the bracket where the source may have its digraph (``<:``).
    """

    kind: Kind
    text: str
    span: Span


# A comment, and a backslash-newline, may stand anywhere; a literal that is not closed ends with its line.
_SPLICE = r"\\\r?\n"
_COMMENT = rf"/\*(?:[^*]|\*(?!/))*(?:\*/)?|//(?:{_SPLICE}|[^\n\\]|\\(?!\r?\n))*"
_STRING = r'"(?:\\\r\n|\\[\s\S]|[^"\\\n])*"?'
_CHAR = r"'(?:\\\r\n|\\[\s\S]|[^'\\\n])*'?"
_UNIVERSAL = r"\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
_TOKEN = re.compile(
    rf"""
      (?P<blank>(?:[\s\ufeff]|{_SPLICE}|{_COMMENT})+)
    | (?P<string>(?:u8|[uUL])?{_STRING})
    | (?P<char>(?:u8|[uUL])?{_CHAR})
    | (?P<identifier>(?:[^\W\d]|\$|{_UNIVERSAL})(?:[\w$]|{_UNIVERSAL})*)
    | (?P<number>\.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*)
    | (?P<digraph><[:%]|:>|%>|%:(?:%:)?)
    | (?P<punctuator>\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|[\s\S])
    """,
    re.VERBOSE,
)
DIGRAPHS: Final = {"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#", "%:%:": "##"}
"""Other spellings of punctuators."""
COMMENT = re.compile(_COMMENT)
_UNIVERSAL_NAME = re.compile(_UNIVERSAL)
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
    line = text.rfind("\n", 0, start) + 1
    token_end = start if text[line:start].strip(" \t\ufeff") else line
    while position < stop:
        found = match(text, position, stop)
        assert found is not None, "the last alternative matches any character"
        kind: Any = found.lastgroup  # of a token, or a blank, or a digraph
        close = found.end()
        if kind == "blank":
            position = close
            continue
        if text[position] == "#" and _starts_line(text, token_end, position):
            kind, close = DIRECTIVE, _directive_end(text, position, stop)
        spelled = text[position:close]
        if kind == IDENTIFIER and "\\" in spelled:
            spelled = _UNIVERSAL_NAME.sub(_letter, spelled)
        elif kind == "digraph":
            kind, spelled = PUNCTUATOR, DIGRAPHS[spelled]
        append(Token(kind, spelled, Span(position, close)))
        position = token_end = close
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


def unclosed(tokens: Sequence[Token], index: int) -> int:
    """The index of the innermost bracket without a partner, where the one at ``index`` has none."""
    opened: list[int] = []
    for position in range(index, len(tokens)):
        token = tokens[position]
        if token.kind == PUNCTUATOR and token.text in OPENING:
            opened.append(position)
        elif token.kind == PUNCTUATOR and token.text in CLOSING:
            if OPENING[tokens[opened[-1]].text] != token.text:
                break
            opened.pop()
    return opened[-1]


def _letter(found: re.Match[str]) -> str:
    """The letter that a universal character name stands for; the name itself where there is none."""
    code = int(found[0][2:], 16)
    return chr(code) if code <= sys.maxunicode else found[0]


def _starts_line(text: str, token_end: int, position: int) -> bool:
    """Whether no token stands before ``position`` on its line; the last token before it ends at ``token_end``."""
    line = text.rfind("\n", 0, position) + 1
    return token_end <= line and not text.endswith(("\\\n", "\\\r\n"), 0, line)


def _directive_end(text: str, position: int, stop: int) -> int:
    found = _DIRECTIVE.match(text, position, stop)
    assert found is not None
    close = found.end()
    return close - 1 if text[close - 1] == "\r" else close
