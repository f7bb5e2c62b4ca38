"""The tokens of a preprocessed file, each with its place in the raw text, and the tree that pycparser makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

from msgspec import Struct

from accache.base.properties import cached_property
from accache.base.text import Location, SourceFile, Span
from accache.frontend.source.definitions import code_tokens
from accache.frontend.source.gnu import REPLACED, is_mark
from accache.frontend.source.parser import UnreadableError, parse_c
from accache.frontend.source.preprocess import Preprocessed
from accache.frontend.source.tokens import CLOSING, DIRECTIVE, IDENTIFIER, NUMBER, OPENING, Token, matching, tokenise

_MARKER = re.compile(r'#\s*(?:line\s+)?(?P<line>\d+)(?:\s*"(?P<file>(?:\\.|[^"\\])*)")?(?P<flags>[\s\d]*)$')
_IMAGINARY = re.compile(r"[iIjJ]")
_PRAGMA = re.compile(r"#\s*pragma\s+acc\b")
_LONGEST_GROUP = 200  # lines that one macro call may span
_MOST_GROUPS = 3  # ways to continue a line in which something does not match
_MOST_CALLS = 4  # argument lists that one macro name may have behind it
_LARGEST_TABLE = 1_000_000  # raw tokens times preprocessed tokens of one group
_MOST_REPAIRS = 50  # functions that may be left out because pycparser cannot read them

_Lines: TypeAlias = "list[tuple[list[Token], list[int]]]"
"""Of each line that has any: its raw tokens, and the indices of its preprocessed ones."""


class Origin(Struct, frozen=True):
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


class Unit(Struct, frozen=True, dict=True):
    """A translation unit token by token; a token's index is its line in ``tree`` less one.

    ``marks`` are the attributes that change types: the index of the token behind each, and what stands for it.
    """

    source: SourceFile
    tokens: tuple[str, ...]
    origins: tuple[Origin, ...]
    marks: tuple[tuple[int, str], ...] = ()

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

    def location(self, index: int) -> Location:
        """Where the user wrote a token: the place of the macro's name for what a macro makes."""
        origin = self.origins[index]
        return self.source.locate(origin.span) if origin.span else Location(origin.file, origin.line)

    def spelled(self, index: int) -> str:
        """What the user wrote for a token: a macro's use for what the macro makes."""
        span = self.origins[index].span
        return self.source.text[span.start : span.end] if span else self.tokens[index]

    def holds_directive(self, index: int) -> bool:
        """Whether the file-scope declaration around a token has an acc pragma of the user's file in it."""
        item = self.file_scope_item(index)
        first, last = item if item is not None else (0, len(self.tokens))
        return any(self.is_main(k) and _PRAGMA.match(self.tokens[k]) for k in range(first, last))

    @cached_property
    def tree(self) -> tuple[Any, tuple[tuple[int, str], ...]]:
        """The syntax tree, and the token and reason of everything that could not be parsed and is left out."""
        lines = list(self.tokens)
        problems: list[tuple[int, str]] = []
        while True:
            try:
                return parse_c("\n".join(lines)), tuple(problems)
            except UnreadableError as error:
                index = min(error.line, len(lines)) - 1
                problems.append((max(index, 0), error.reason))
                span = self.file_scope_item(index)
                if span is None or len(problems) > _MOST_REPAIRS or not any(lines[span[0] : span[1]]):
                    return None, tuple(problems)
                self._leave_out(lines, span, index)

    def _leave_out(self, lines: list[str], span: tuple[int, int], index: int) -> None:
        """Blank the file-scope item around a token, or only the body if it is a function's and the token lies there."""
        start, end = span
        opening = self.pairs.get(end - 1, start) if self.tokens[end - 1] == "}" else start
        if start < opening < index:
            lines[opening:end] = [";"] + [""] * (end - opening - 1)
        else:
            lines[start:end] = [""] * (end - start)

    def file_scope_item(self, index: int) -> tuple[int, int] | None:
        """The file-scope declaration or function around a token, half open."""
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
    marks: list[tuple[int, str]] = []
    for token, origin in _output_tokens(preprocessed.text, source.name):
        if is_mark(token.text):
            marks.append((len(texts), token.text))
            continue
        texts.append(token.text.replace("\n", " ") if token.kind == DIRECTIVE else token.text.replace("\\\n", ""))
        origins.append(origin)
    _Matcher(source, preprocessed, texts, origins).match(code_tokens(source, preprocessed.inactive))
    return Unit(source, tuple(texts), tuple(origins), tuple(marks))


def _output_tokens(text: str, name: str) -> Iterator[tuple[Token, Origin]]:
    # What macros of system headers make is marked as theirs, in the user's file too.
    file, line, system, last = "", 1, False, 0
    for token in tokenise(SourceFile("", text)):
        start = token.span.start
        line, last = line + text.count("\n", last, start), start
        if token.kind == DIRECTIVE and (marker := _MARKER.match(token.text)) is not None:
            line = int(marker["line"]) - 1
            file = re.sub(r"\\(.)", r"\1", marker["file"]) if marker["file"] is not None else file
            system = "3" in marker["flags"].split()
        else:
            yield token, Origin(file, line, system and file != name)


class _Matcher(Struct, dict=True):
    """Gives preprocessed tokens their places, a line at a time or, where a macro call goes on, several."""

    source: SourceFile
    preprocessed: Preprocessed
    texts: list[str]
    origins: list[Origin]

    def match(self, tokens: Sequence[Token]) -> None:
        """Match all lines with the raw tokens."""
        raw_lines: dict[int, list[Token]] = {}
        line, last = 1, 0
        for token in tokens:
            start = token.span.start
            line, last = line + self.source.text.count("\n", last, start), start
            raw_lines.setdefault(line, []).append(token)
        lines: dict[int, list[int]] = {}
        for index, origin in enumerate(self.origins):
            if origin.file == self.source.name and not self.texts[index].startswith("#"):
                lines.setdefault(origin.line, []).append(index)
        numbers = sorted({*raw_lines, *lines})
        pairs = [(raw_lines.get(number, []), lines.get(number, [])) for number in numbers]
        position = 0
        while position < len(pairs):
            position = self._group(pairs, position)

    def _group(self, pairs: _Lines, position: int) -> int:
        """Match the lines that belong together from a position on; the position after them."""
        if self._place(pairs[position : position + 1]):
            return position + 1
        ends = _group_ends(pairs, position)
        for end in ends:
            if self._place(pairs[position:end]):
                return end
        for inner in range(position + 1, ends[0]):
            self._place(pairs[inner : inner + 1])
        return ends[0]

    def _place(self, pairs: _Lines) -> bool:
        """Match some lines as a whole; whether that can be done."""
        raw = [token for tokens, _ in pairs for token in tokens]
        output = [index for _, indices in pairs for index in indices]
        places = _match(raw, [self.texts[index] for index in output], self.preprocessed)
        for index, (span, first, last) in zip(output, places or (), strict=places is not None):
            old = self.origins[index]
            self.origins[index] = Origin(old.file, old.line, old.system, span, first, last)
        return places is not None


def _group_ends(pairs: _Lines, start: int) -> tuple[int, ...]:
    """Where a group of lines may end, the best first: no call must be open that could be one of a macro."""
    depth = 0
    ends: list[int] = []
    for position in range(start, min(start + _LONGEST_GROUP, len(pairs))):
        tokens = pairs[position][0]
        depth += sum({"(": 1, ")": -1}.get(token.text, 0) for token in tokens)
        following = pairs[position + 1][0] if position + 1 < len(pairs) else []
        waits = tokens and tokens[-1].kind == IDENTIFIER and following and following[0].text == "("
        if depth <= 0 and not waits:
            ends.append(position + 1)
        if len(ends) == _MOST_GROUPS:
            break
    return tuple(ends) or (start + 1,)


def _match(raw: list[Token], output: list[str], preprocessed: Preprocessed) -> list[tuple[Span, bool, bool]] | None:
    """For each output token its raw span and whether it is first and last of it; None if the two do not fit.

    The match with the fewest macro uses wins.
    """
    if [token.text for token in raw] == output:
        return [(token.span, True, True) for token in raw]
    if not raw or len(raw) * (len(output) + 1) > _LARGEST_TABLE:
        return None
    skips = [_macro_ends(raw, index, preprocessed) for index in range(len(raw))]
    costs = _costs([token.text for token in raw], output, skips)
    return _trace(raw, output, costs, skips) if 0 in costs[0] else None


def _costs(raw: list[str], output: list[str], skips: list[tuple[int, ...]]) -> list[dict[int, int]]:
    """For each raw token the output positions from where both rests fit, each with the fewest macro uses of a fit.

    Most tokens are no macros and fit few positions: only the others take as long as there are positions.
    """
    places: dict[str, list[int]] = {}
    for position, text in enumerate(output):
        places.setdefault(text, []).append(position)
    costs: list[dict[int, int]] = [{} for _ in raw] + [{len(output): 0}]
    cheapest: dict[int, list[int]] = {}
    for index in range(len(raw) - 1, -1, -1):
        behind = costs[index + 1]
        costs[index] = {place: behind[place + 1] for place in places.get(raw[index], ()) if place + 1 in behind}
        for end in skips[index]:
            if end not in cheapest:
                cheapest[end] = _cheapest(costs[end])
            _with_use(costs[index], cheapest[end])
    return costs


def _cheapest(costs: dict[int, int]) -> list[int]:
    """For each output position the least cost from there on; the last position that has one ends the list."""
    last = max(costs, default=-1)
    worst = max(costs.values(), default=0)
    backwards = accumulate((costs.get(place, worst) for place in range(last, -1, -1)), min)
    return list(backwards)[::-1]


def _with_use(costs: dict[int, int], cheapest: list[int]) -> None:
    """Add to the costs of a token those of a macro use that ends where ``cheapest`` goes on."""
    for place, cost in enumerate(cheapest):
        if costs.get(place, cost + 2) > cost + 1:
            costs[place] = cost + 1


def _trace(
    raw: list[Token], output: list[str], costs: list[dict[int, int]], skips: list[tuple[int, ...]]
) -> list[tuple[Span, bool, bool]]:
    places: list[tuple[Span, bool, bool]] = []
    i = j = 0
    while i < len(raw):
        if j < len(output) and raw[i].text == output[j] and costs[i][j] == costs[i + 1].get(j + 1):
            places.append((raw[i].span, True, True))
            i, j = i + 1, j + 1
            continue
        wanted = costs[i][j] - 1
        end, stop = next(
            (end, stop) for end in skips[i] for stop in range(j, len(output) + 1) if costs[end].get(stop) == wanted
        )
        span = Span(raw[i].span.start, raw[end - 1].span.end)
        places += [(span, at == j, at == stop - 1) for at in range(j, stop)]
        i, j = end, stop
    return places


def _macro_ends(raw: list[Token], index: int, preprocessed: Preprocessed) -> tuple[int, ...]:
    """Where a macro use, or GNU C that was made standard, may end that starts at a token: its name or its arguments."""
    token = raw[index]
    follows = raw[index + 1].text if index + 1 < len(raw) else ""
    if token.text == "(" and follows == "{":  # a GNU statement expression, which became one name
        close = matching(raw, index)
        return (close + 1,) if close is not None else ()
    if token.kind == NUMBER:
        return (index + 1,) if _IMAGINARY.search(token.text) else ()
    if token.kind != IDENTIFIER:
        return ()
    replaced = token.text in REPLACED or token.text.startswith("__")  # __LINE__ is nowhere defined
    is_constant = replaced or token.text in preprocessed.constants or not preprocessed.macros
    if not is_constant and token.text not in preprocessed.macros:
        return ()
    ends = [index + 1]
    while len(ends) <= _MOST_CALLS and ends[-1] < len(raw) and raw[ends[-1]].text == "(":
        close = matching(raw, ends[-1])
        if close is None:
            break
        ends.append(close + 1)
    return tuple(ends if is_constant else ends[1:])


def first_token(node: Any) -> int:
    """The first token of a node that has a place; prefix operators and parentheses may precede it."""
    lines = [node.coord.line] if node.coord else []
    lines += [first_token(child) + 1 for _, child in node.children()]
    return min((line for line in lines if line > 0), default=0) - 1
