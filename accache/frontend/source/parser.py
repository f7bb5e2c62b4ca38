"""pycparser behind one door: identifiers of any alphabet, and the token at which reading stopped."""

from __future__ import annotations

import re
from typing import Any

from pycparser import c_ast
from pycparser.c_lexer import CLexer
from pycparser.c_parser import CParser, ParseError

_OUTSIDE_ASCII = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|[^\x00-\x7f]""")
_ENCODED = re.compile(r"\$u([0-9a-f]+)\$")
_PLACE = re.compile(r"[^:]*:(?P<line>\d+)(?::\d+)?: (?P<reason>.*)", re.S)


class UnreadableError(Exception):
    """The parser gave up: at which line (from 1), and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


class _Lexer(CLexer):  # type: ignore[misc]
    """Knows the line of the last token it gave: some of the parser's errors name none."""

    last_line = 1

    def token(self) -> Any:
        """The next token."""
        found = super().token()
        self.last_line = found.lineno if found is not None else self.last_line
        return found


class _Parser(CParser):  # type: ignore[misc]
    """Refuses directives between a declaration and its semicolon, which some versions of pycparser put behind it."""

    def _parse_declaration_end(self, decls: list[Any]) -> list[Any]:
        found = super()._parse_declaration_end(decls)
        for node in found:
            if isinstance(node, c_ast.Pragma) and node.string.split()[:1] == ["acc"]:
                raise ParseError(f"{node.coord}: expected ';' before '#pragma'")
        return [node for node in found if not isinstance(node, c_ast.Pragma)]


def parse_c(text: str) -> Any:
    """Pycparser's tree for preprocessed C.

    :raises UnreadableError: the parser does not understand it.
    """
    parser = _Parser(lexer=_Lexer)
    plain = text.isascii()
    try:
        tree = parser.parse(text if plain else _OUTSIDE_ASCII.sub(_encoded, text))
    except ParseError as error:
        found = _PLACE.match(str(error))
        line, reason = (int(found["line"]), found["reason"]) if found else (parser.clex.last_line, str(error))
        raise UnreadableError(line, _in_words(_decoded(reason))) from None
    if not plain:
        _decode_names(tree)
    return tree


def _in_words(reason: str) -> str:
    """An error of the parser as a sentence a C programmer understands."""
    reason = reason.removeprefix(": ")
    reason = reason[:1].lower() + reason[1:]
    return re.sub(r"^before: (.*)$", r"syntax error before '\1'", reason, flags=re.S)


def _encoded(found: re.Match[str]) -> str:
    """A letter outside of ASCII as the parser can read it; literals stay."""
    return found[1] or f"$u{ord(found[0]):x}$"


def _decoded(text: str) -> str:
    return _ENCODED.sub(lambda found: chr(int(found[1], 16)), text)


def _decode_names(tree: Any) -> None:
    """Give every name in a tree its own letters back."""
    pending = [tree]
    while pending:
        node = pending.pop()
        for attribute in node.attr_names:
            value = getattr(node, attribute)
            if isinstance(value, str) and "$u" in value:
                setattr(node, attribute, _decoded(value))
            elif isinstance(value, list):
                setattr(node, attribute, [_decoded(item) if isinstance(item, str) else item for item in value])
        pending += [child for _, child in node.children()]
