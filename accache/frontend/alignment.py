"""The tokens of a preprocessed file, each with its place in the raw text, and the tree that pycparser makes of them."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pycparser.c_parser import CParser, ParseError

from accache.frontend.definitions import code_tokens
from accache.frontend.preprocess import Preprocessed
from accache.frontend.tokens import CLOSING, DIRECTIVE, IDENTIFIER, OPENING, Token, matching, tokenise
from accache.text import SourceFile, Span

_MARKER = re.compile(r'#\s*(?:line\s+)?(?P<line>\d+)(?:\s*"(?P<file>(?:\\.|[^"\\])*)")?(?P<flags>[\s\d]*)$')
_LONGEST_GROUP = 200  # lines that one macro call may span
_LARGEST_TABLE = 4_000_000  # raw tokens times preprocessed tokens of one group
_MOST_REPAIRS = 50  # functions that may be left out because pycparser cannot read them


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a preprocessed token comes from.

    ``span`` is the raw token, or the whole macro use that made it; ``first`` and ``last`` say whether
    it is the first and the last token of that use. None: another file, or no place could be found.
    """

    file: str
    line: int
    system: bool
    span: Span | None = None
    first: bool = True
    last: bool = True


@dataclass(frozen=True)
class Unit:
    """A translation unit token by token; a token's index is its line in ``tree`` less one."""

    source: SourceFile
    tokens: tuple[str, ...]
    origins: tuple[Origin, ...]

    @cached_property
    def pairs(self) -> dict[int, int]:
        """The index of each bracket's partner, both ways."""
        stack: list[int] = []
        found: dict[int, int] = {}
        for index, text in enumerate(self.tokens):
            if text in OPENING:
                stack.append(index)
            elif text in CLOSING and stack:
                found[index] = stack.pop()
                found[found[index]] = index
        return found

    def is_main(self, index: int) -> bool:
        """Whether a token belongs to the user's file."""
        return self.origins[index].file == self.source.name

    def raw(self, first: int, last: int) -> Span | None:
        """The raw text of the tokens ``first`` to ``last``; None where it starts or ends inside a macro."""
        start, end = self.origins[first], self.origins[last]
        if start.span is None or end.span is None or not (start.first and end.last):
            return None
        return Span(start.span.start, end.span.end)

    def end(self, start: int) -> int:
        """The last token of the assignment expression that starts at ``start``."""
        index, questions = start, 0
        while index < len(self.tokens):
            text = self.tokens[index]
            if text in OPENING:
                index = self.pairs.get(index, len(self.tokens))
            elif text in (",", ";", ")", "]", "}") or (text == ":" and not questions):
                break
            questions += {"?": 1, ":": -1}.get(text, 0)
            index += 1
        return index - 1

    def split(self, opening: int) -> list[tuple[int, int]]:
        """First and last token of the comma-separated items in a bracket."""
        items, start, close = [], opening + 1, self.pairs[opening]
        while start < close:
            end = self.end(start)
            items.append((start, end))
            start = end + 2
        return items

    def declaration_start(self, name: int) -> int:
        """The first specifier of the declaration that declares the token ``name``."""
        index = name
        while index > 0:
            text = self.tokens[index - 1]
            if text in (")", "]"):
                index = self.pairs[index - 1]
            elif text == "}" and (opening := self._tag_or_value(self.pairs[index - 1])) is not None:
                index = opening
            elif (
                text in (";", "{", "}", ":")
                or text.startswith("#")
                or (text == "(" and self.tokens[index - 2] == "for")
            ):
                break
            else:
                index -= 1
        return index

    def _tag_or_value(self, brace: int) -> int | None:
        """The start of the struct body or initialiser whose brace is given; None for a block."""
        before = self.tokens[max(0, brace - 2) : brace]
        if any(word in ("struct", "union", "enum") for word in before) or before[-1:] == ("=",):
            return brace
        return None

    @cached_property
    def tree(self) -> tuple[Any, tuple[tuple[int, str], ...]]:
        """The syntax tree, and the token and reason of everything that could not be parsed and is left out."""
        lines = list(self.tokens)
        problems: list[tuple[int, str]] = []
        gc.disable()
        try:
            while True:
                try:
                    return CParser().parse("\n".join(lines), ""), tuple(problems)
                except ParseError as error:
                    index = _line(error) - 1
                    problems.append((min(max(index, 0), len(lines) - 1), str(error)))
                    span = self._file_scope_item(index)
                    if span is None or len(problems) > _MOST_REPAIRS or not any(lines[span[0] : span[1]]):
                        return None, tuple(problems)
                    lines[span[0] : span[1]] = [""] * (span[1] - span[0])
        finally:
            gc.enable()

    def _file_scope_item(self, index: int) -> tuple[int, int] | None:
        """The file-scope declaration around a token, or a function's body if the token lies in one, half open."""
        start = position = 0
        while position < len(self.tokens):
            text = self.tokens[position]
            close = self.pairs.get(position, position) if text in OPENING else position
            is_body = text == "{" and position > 0 and self.tokens[position - 1] == ")"
            if text == ";" or is_body or text.startswith("#"):
                if start <= index <= close:
                    return start, close + 1
                start = close + 1
            position = close + 1
        return None


def align(source: SourceFile, preprocessed: Preprocessed) -> Unit:
    """The tokens of the preprocessor's output, matched with the raw ones line by line.

    Raw tokens that do not come out are macro uses; between them everything must match, else the
    tokens of the line have no place.
    """
    texts: list[str] = []
    origins: list[Origin] = []
    for token, origin in _output_tokens(preprocessed.text, source.name):
        texts.append(token.text.replace("\n", " ") if token.kind == DIRECTIVE else token.text.replace("\\\n", ""))
        origins.append(origin)
    _match_lines(source, preprocessed, texts, origins)
    return Unit(source, tuple(texts), tuple(origins))


def _output_tokens(text: str, name: str) -> Iterator[tuple[Token, Origin]]:
    # What macros of system headers make is marked as theirs, in the user's file too.
    output = SourceFile("", text)
    file, line, system, last = "", 1, False, 1
    for token in tokenise(output):
        here = output.location(token.span.start).line
        line, last = line + here - last, here
        if token.kind == DIRECTIVE and (marker := _MARKER.match(token.text)) is not None:
            line = int(marker["line"]) - 1
            file = re.sub(r"\\(.)", r"\1", marker["file"]) if marker["file"] is not None else file
            system = "3" in marker["flags"].split()
        else:
            yield token, Origin(file, line, system and file != name)


def _match_lines(source: SourceFile, preprocessed: Preprocessed, texts: list[str], origins: list[Origin]) -> None:
    raw_lines: dict[int, list[Token]] = {}
    for token in code_tokens(source, preprocessed.inactive):
        raw_lines.setdefault(source.location(token.span.start).line, []).append(token)
    lines: dict[int, list[int]] = {}
    for index, origin in enumerate(origins):
        if origin.file == source.name and not texts[index].startswith("#"):
            lines.setdefault(origin.line, []).append(index)
    numbers = sorted({*raw_lines, *lines})
    position = 0
    while position < len(numbers):
        raw: list[Token] = []
        output: list[int] = []
        end = position
        for number in numbers[position : position + _LONGEST_GROUP]:
            end += 1
            raw += raw_lines.get(number, [])
            output += lines.get(number, [])
            places = _match(raw, [texts[index] for index in output])
            if places is not None:
                break
        else:
            position += 1
            continue
        for index, (span, first, last) in zip(output, places, strict=True):
            old = origins[index]
            origins[index] = Origin(old.file, old.line, old.system, span, first, last)
        position = end


def _match(raw: list[Token], output: list[str]) -> list[tuple[Span, bool, bool]] | None:
    """For each output token its raw span and whether it is first and last of it; None if the two do not fit.

    The match with the fewest macro uses wins.
    """
    if [token.text for token in raw] == output:
        return [(token.span, True, True) for token in raw]
    if not raw or len(raw) * (len(output) + 1) > _LARGEST_TABLE:
        return None
    skips = [_macro_ends(raw, index) for index in range(len(raw))]
    infinite = len(raw) + 1
    width = len(output) + 1
    cost = [[infinite] * width for _ in range(len(raw) + 1)]
    cost[len(raw)][-1] = 0
    cheapest = [[infinite] * width for _ in range(len(raw) + 1)]  # over all output positions from here on
    cheapest[len(raw)] = [0] * width
    for i in range(len(raw) - 1, -1, -1):
        for j in range(width - 1, -1, -1):
            best = cost[i + 1][j + 1] if j < len(output) and raw[i].text == output[j] else infinite
            best = min([best, *(1 + cheapest[end][j] for end in skips[i])])
            cost[i][j] = best
            cheapest[i][j] = min(best, cheapest[i][j + 1]) if j + 1 < width else best
    if cost[0][0] >= infinite:
        return None
    return _trace(raw, output, cost, skips)


def _trace(
    raw: list[Token], output: list[str], cost: list[list[int]], skips: list[tuple[int, ...]]
) -> list[tuple[Span, bool, bool]]:
    places: list[tuple[Span, bool, bool]] = []
    i = j = 0
    while i < len(raw):
        if j < len(output) and raw[i].text == output[j] and cost[i][j] == cost[i + 1][j + 1]:
            places.append((raw[i].span, True, True))
            i, j = i + 1, j + 1
            continue
        wanted = cost[i][j] - 1
        end, stop = next(
            (end, stop) for end in skips[i] for stop in range(j, len(output) + 1) if cost[end][stop] == wanted
        )
        span = Span(raw[i].span.start, raw[end - 1].span.end)
        places += [(span, at == j, at == stop - 1) for at in range(j, stop)]
        i, j = end, stop
    return places


def _macro_ends(raw: list[Token], index: int) -> tuple[int, ...]:
    """Where a macro use that starts at a token may end: after the name, or after its arguments."""
    follows = raw[index + 1].text if index + 1 < len(raw) else ""
    if raw[index].text == "(" and follows == "{":  # a GNU statement expression, which became one name
        close = matching(raw, index)
        return (close + 1,) if close is not None else ()
    if raw[index].kind != IDENTIFIER:
        return (index + 1,) if raw[index].kind not in ("punctuator",) else ()
    if follows != "(":
        return (index + 1,)
    close = matching(raw, index + 1)
    return (index + 1,) if close is None else (index + 1, close + 1)


def _line(error: ParseError) -> int:
    found = re.match(r"[^:]*:(\d+)", str(error))
    return int(found[1]) if found else 0
