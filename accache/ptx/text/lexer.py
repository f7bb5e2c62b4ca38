"""PTX text to tokens."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias, cast

from accache.base.diagnostics import Reporter
from accache.base.text import SourceFile

# A word is an instruction with its modifiers, a name, or a name with a component: ld.global.f32, %tid.x, $L__BB0_2.
_TOKEN = re.compile(
    r"""
    (?P<blank>(?:[ \t\r\n\f\v]+|//[^\n]*|/\*.*?\*/)+)
    |(?P<word>[A-Za-z_$%][\w$]*(?:(?:\.|::)[\w$]+)*)
    |(?P<dotted>\.[A-Za-z_]\w*(?:::[\w$]+)*)
    |(?P<number>0[fF][0-9a-fA-F]{8}\b|0[dD][0-9a-fA-F]{16}\b|0[xX][0-9a-fA-F]+U?\b|0[bB][01]+U?\b
        |\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+U?\b)
    |(?P<text>"(?:[^"\\\n]|\\.)*")
    |(?P<mark>[][{}()<>,;:=+\-@!|*~&^/%?])
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_SHOWN = 20


TokenKind: TypeAlias = Literal["word", "dotted", "number", "text", "mark", "end"]


class Token(NamedTuple):
    """A token: its kind (word, dotted, number, text, mark, or end), its text, and where it starts."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.start + len(self.text)


def tokens(source: SourceFile) -> tuple[Token, ...]:
    """The tokens of a text without blanks and comments; the last one is of kind ``end``.

    :raises CompileError: a place where no token starts.
    """
    found: list[Token] = []
    position, text = 0, source.text
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise Reporter().fail("ACC901", source.location(position), found=_shown(text[position : position + _SHOWN]))
        if match.lastgroup != "blank":
            found.append(Token(cast(TokenKind, match.lastgroup), match[0], position))
        position = match.end()
    found.append(Token("end", "", len(text.rstrip()) or 0))
    return tuple(found)


def _shown(text: str) -> str:
    """What stands in front of the first blank of a text, in ASCII, control characters among it."""
    word = re.split(r"[ \t\r\n]", text, maxsplit=1)[0]
    printed = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in word)
    return printed.encode("ascii", "backslashreplace").decode()
