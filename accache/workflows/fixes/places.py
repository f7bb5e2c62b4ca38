"""Directives and loops in a raw text: the places that fix-its change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from accache.base.diagnostics import Change, FixIt
from accache.base.text import Edit, Location, SourceFile, Span, splice
from accache.frontend.source.definitions import active_tokens
from accache.frontend.source.tokens import CLOSING, DIRECTIVE, IDENTIFIER, OPENING, Token, matching, tokenise

ASSIGNING = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"))


class Pragma(Struct, frozen=True):
    """A directive in a text: its place, its words behind ``#``, and those of each item of its list."""

    span: Span
    words: tuple[Token, ...]
    items: tuple[tuple[Token, ...], ...]

    @property
    def is_cache(self) -> bool:
        """Whether it is a cache directive."""
        return [word.text for word in self.words[:3]] == ["pragma", "acc", "cache"]

    @property
    def modifier(self) -> str:
        """The word in front of the colon of a cache directive; '' if there is none."""
        return self.words[4].text if [word.text for word in self.words[5:6]] == [":"] else ""


def pragma_at(source: SourceFile, place: Location) -> Pragma | None:
    """The directive that holds a place of the file itself; None if there is none, as where a macro makes it."""
    if place.file != source.name or not place.column:
        return None
    offset = source.offset(place.line, place.column)
    found = (token for token in active_tokens(source) if token.kind == DIRECTIVE)
    token = next((token for token in found if token.span.start <= offset < token.span.end), None)
    return pragma_of(source, token) if token is not None else None


def pragma_of(source: SourceFile, token: Token) -> Pragma:
    """A line of the preprocessor as a directive."""
    words = tokenise(source, token.span.start + 1, token.span.end)
    return Pragma(token.span, words, tuple(_items(words)))


def _items(words: Sequence[Token]) -> Iterator[tuple[Token, ...]]:
    """What stands between the commas of the first parentheses, without a modifier in front of a colon."""
    opening = next((number for number, word in enumerate(words) if word.text == "("), len(words))
    close = matching(words, opening) if opening < len(words) else None
    if close is None:
        return
    first = opening + 1
    if words[first].kind == IDENTIFIER and words[first + 1].text == ":":
        first += 2
    depth, begin = 0, first
    for number in range(first, close + 1):
        text = words[number].text
        if number == close or (text == "," and not depth):
            yield tuple(words[begin:number])
            begin = number + 1
        depth += (text in OPENING) - (text in CLOSING)


def sections_of(item: Sequence[Token]) -> tuple[tuple[Token, ...], ...]:
    """The brackets of a subarray, each with what stands in it; none where it is no name with brackets alone."""
    found: list[tuple[Token, ...]] = []
    position = 1
    while position < len(item):
        close = matching(item, position) if item[position].text == "[" else None
        if close is None:
            return ()
        found.append(tuple(item[position : close + 1]))
        position = close + 1
    return tuple(found)


def spelled(tokens: Sequence[Token]) -> str:
    """Tokens with a blank where the text has one or more."""
    pieces = [tokens[0].text] if tokens else []
    for before, token in pairwise(tokens):
        pieces += [" " * (token.span.start > before.span.end), token.text]
    return "".join(pieces)


def is_assigned(name: str, tokens: Sequence[Token]) -> bool:
    """Whether a variable may change in some tokens: assigned, counted, or its address taken."""
    for number, token in enumerate(tokens):
        if token.text == name:
            before = tokens[number - 1].text if number else ""
            after = tokens[number + 1].text if number + 1 < len(tokens) else ""
            if before in ("++", "--", "&") or after in ASSIGNING:
                return True
    return False


def whole_lines(source: SourceFile, pragma: Pragma) -> Span | None:
    """The lines of a directive; None if something else stands on them."""
    begin = source.text.rfind("\n", 0, pragma.span.start) + 1
    end = source.text.find("\n", pragma.span.end) + 1
    if source.text[begin : pragma.span.start].strip() or source.text[pragma.span.end : end].strip():
        return None
    return Span(begin, end)


def fix_of(source: SourceFile, title: str, edits: Sequence[Edit]) -> FixIt:
    """A fix-it with its changes at lines and columns."""

    def at(offset: int) -> Location:
        return source.location(offset, 0)

    return FixIt(title, tuple(Change(at(edit.span.start), at(edit.span.end), edit.text) for edit in edits))


def with_fixes(source: SourceFile, fixes: Sequence[FixIt]) -> str:
    """The text with fix-its applied that do not overlap."""
    return splice(source, tuple(edit for fix in fixes for edit in edits_of(source, fix)))


def edits_of(source: SourceFile, fix: FixIt) -> tuple[Edit, ...]:
    """The changes of a fix-it as edits of the text they are about."""
    return tuple(
        Edit(
            Span(
                source.offset(change.start.line, change.start.column), source.offset(change.end.line, change.end.column)
            ),
            change.text,
        )
        for change in fix.changes
    )


def overlap(first: Sequence[Edit], second: Sequence[Edit]) -> bool:
    """Whether two lists of edits meet; insertions at one place do."""
    return any(
        one.span.start < other.span.end and other.span.start < one.span.end
        if one.span.start < one.span.end and other.span.start < other.span.end
        else one.span.start <= other.span.end and other.span.start <= one.span.end
        for one in first
        for other in second
    )
