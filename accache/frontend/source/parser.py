"""pycparser behind one door: identifiers of any alphabet, and the token at which reading stopped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from pycparser import c_ast
from pycparser.c_lexer import CLexer
from pycparser.c_parser import CParser, ParseError

_OUTSIDE_ASCII = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|[^\x00-\x7f]""")
_ENCODED = re.compile(r"\$u([0-9a-f]+)\$")
_ATTRIBUTE = re.compile(r"\[\s*\[")
_MOST_REMEMBERED = 20_000
"""Lines of which the token is kept: the words of some large units."""
_PLACE = re.compile(r"[^:]*:(?P<line>\d+)(?::\d+)?: (?P<reason>.*)", re.S)


RANGE = "..."
"""The operator between the first and the last value of GNU C's ``case 1 ... 5:`` and ``[1 ... 5] = 0``."""


class UnreadableError(Exception):
    """The parser gave up: at which line (from 1), and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


class _Lexer(CLexer):  # type: ignore[misc]
    """Reads text line by line, and remembers of lines that are one token which one: all lines of a unit are.

    Knows the line of the last token it gave, too: some of the parser's errors name none.
    """

    last_line = 1
    _remembered: ClassVar[dict[str, Any]] = {}

    def input(self, text: str, filename: str = "") -> None:
        """Start with a text."""
        super().input(text, filename)
        is_whole = _ATTRIBUTE.search(text) is not None  # attributes may go over lines
        self._tokens = iter(super().token, None) if is_whole else self._of_lines(text.split("\n"))

    def token(self) -> Any:
        """The next token."""
        found = next(self._tokens, None)
        self.last_line = found.lineno if found is not None else self.last_line
        return found

    def _of_lines(self, lines: Sequence[str]) -> Iterator[Any]:
        """The tokens of some lines."""
        remembered = self._remembered
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            known = remembered.get(line)
            if known is not None:
                yield _with_line(known, number)
                continue
            found = self._read(line, number)
            if len(found) == 1:
                if len(remembered) >= _MOST_REMEMBERED:
                    remembered.clear()
                remembered[line] = _with_line(found[0], number)
            yield from found

    def _read(self, line: str, number: int) -> list[Any]:
        """The tokens of one line, by the parser's own rules."""
        lexer = CLexer(lambda message, _, column: self.error_func(message, number, column))
        lexer.input(line, self.filename)
        found = list(iter(lexer.token, None))
        for token in found:
            token.lineno = number
        return found


def _with_line(token: Any, number: int) -> Any:
    """A token like another, in some line: the parser changes those that it gets."""
    return type(token)(token.type, token.value, number, token.column, token.filename)


class _Parser(CParser):  # type: ignore[misc]
    """Reads GNU C's ``a ?: b``, whose second operand is its condition, and the ranges of labels and designators.

    Refuses directives between a declaration and its semicolon, which some versions of pycparser put behind it.
    """

    def _parse_conditional_expression(self) -> Any:
        condition = self._parse_binary_expression()
        if not self._accept("CONDOP"):
            return condition
        then = condition
        if not self._accept("COLON"):
            then = self._parse_expression()
            self._expect("COLON")
        return c_ast.TernaryOp(condition, then, self._parse_conditional_expression(), condition.coord)

    def _parse_constant_expression(self) -> Any:
        first = super()._parse_constant_expression()
        if not self._accept("ELLIPSIS"):
            return first
        return c_ast.BinaryOp(RANGE, first, super()._parse_constant_expression(), first.coord)

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
