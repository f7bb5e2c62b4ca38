"""Tokens of C++ text, as far as cutting out launches and declarations needs them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, TypeAlias, cast

from msgspec import Struct

from accache.base.text import Span

_TOKEN = re.compile(
    r"""
      (?P<skip> \s+ | //(?:[^\\\n]|\\.|\\\n)* | /\*.*?\*/ | \\\r?\n )
    | (?P<string> (?=["uULR])
        (?: (?:u8|[uUL])?R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)" | (?:u8|[uUL])?"(?:[^"\\\n]|\\.)*" ) )
    | (?P<number> \.?\d(?:[eEpP][+-]|'?[\w.])* )
    | (?P<character> (?=['uUL]) (?:u8|[uUL])?'(?:[^'\\\n]|\\.)*' )
    | (?P<name> [A-Za-z_]\w* )
    | (?P<digraph> <% | %> | :> | <:(?! :(?![:>]) ) )
    | (?P<mark_> <<< | >>> | :: | . )
    """,
    re.VERBOSE | re.DOTALL,
)

_DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}"}


_BLOCK = r"/\*(?:[^*]|\*(?!/))*\*/"
BLANK = rf"(?:[ \t]|\\\r?\n|{_BLOCK})*"
HASH = rf"{BLANK}(?:[#]|%:){BLANK}"
"""What stands in front of the name of a directive, for patterns of directives."""
_COMMENT = rf"//(?:[^\\\n]|\\\r?\n|\\.)*|{_BLOCK}"
_STRING = r'"(?:[^"\\\n]|\\\r?\n|\\.)*"|\'(?:[^\'\\\n]|\\.)*\''
_LINE = re.compile(
    rf"""
      (?P<line> ^{HASH} (?:{_COMMENT}|{_STRING}|\\\r?\n|[^\n])* )
    | {_COMMENT}
    | (?:u8|[uUL])?R"(?P<mark>[^\s()\\]{{0,16}})\(.*?\)(?P=mark)"
    | {_STRING}
    | \d(?:'?[\w.])*
    | (?: [A-QS-Za-z_]\w*(?!["\w]) | [^\w/"'\n] )+
    | .
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


Kind: TypeAlias = Literal["string", "number", "character", "name", "mark_", "end"]


class Token(Struct, frozen=True):
    """A token and its half-open range of character offsets; spaces and comments are no tokens.

    The ``text`` of a bracket is the bracket where its digraph is written (``<:``). Readers put one of kind ``end``
    behind the last.
    """

    kind: Kind
    text: str
    start: int
    end: int

    @property
    def is_name(self) -> bool:
        """Whether this is an identifier or a keyword."""
        return self.kind == "name"


@lru_cache(maxsize=2)
def tokenise(text: str) -> tuple[Token, ...]:
    """The tokens of C++ text; never fails, an unfinished string is a run of single characters."""
    found = []
    for match in _TOKEN.finditer(text):
        kind, spelled = match.lastgroup, match.group()
        if kind == "digraph":
            kind, spelled = "mark_", _DIGRAPHS[spelled]
        if kind != "skip":
            found.append(Token(cast(Kind, kind), spelled, *match.span()))
    return tuple(found)


@lru_cache(maxsize=4)
def directive_spans(text: str) -> tuple[Span, ...]:
    """The places of the preprocessor's lines, of several lines if these go on; none is inside a comment or a string."""
    return tuple(Span(*found.span()) for found in _LINE.finditer(text) if found["line"])


OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {close: open_ for open_, close in OPENING.items()}


def closing(tokens: tuple[Token, ...], position: int) -> int:
    """The position of the bracket that closes the one at ``position``; the last token's if there is none."""
    depth = 0
    for index in range(position, len(tokens)):
        if tokens[index].text in OPENING:
            depth += 1
        elif tokens[index].text in CLOSING:
            depth -= 1
            if depth == 0:
                return index
    return len(tokens) - 1


def opening(tokens: tuple[Token, ...], position: int) -> int:
    """The position of the bracket that the one at ``position`` closes; the first token's if there is none."""
    depth = 0
    for index in range(position, -1, -1):
        if tokens[index].text in CLOSING:
            depth += 1
        elif tokens[index].text in OPENING:
            depth -= 1
            if depth == 0:
                return index
    return 0
