"""Where directives go in a C text: in front of a loop, or at the top of its body, in the user's indentation."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from msgspec import Struct

from accache.base.diagnostics import CompileError, Reporter
from accache.base.properties import cached_property
from accache.base.text import Edit, SourceFile, Span, splice
from accache.caching.auto.chunks import Chunk
from accache.caching.auto.proposals import Anchor
from accache.frontend.source.constructs import is_body, statement_after
from accache.frontend.source.definitions import active_tokens
from accache.frontend.source.tokens import DIRECTIVE, Token, matching

WIDTH = 120
"""Columns of a line; what a directive names may take several of them."""


def advice_of(chunk: Chunk) -> str:
    """The words of advice to tile a loop."""
    names = ", ".join(chunk.texts)
    return f"tile the loop over {chunk.variable} by {chunk.length}, from {chunk.tile_variable} on, for cache({names})"


def with_insertions(
    source: SourceFile,
    inactive: tuple[Span, ...],
    directives: Sequence[tuple[Anchor, str]],
    chunks: Sequence[Chunk] = (),
) -> str:
    """The text with directives for subarrays at their places, and a comment in front of each loop to be tiled.

    Where the place is the whole body of a loop or an if, it gets braces: other compilers take the directive for it.

    Raises:
        CompileError: a loop stands in another file (ACC980), or its words are not in the text (ACC981).
    """
    places: dict[Anchor, list[str]] = {}
    for anchor, name in directives:
        places.setdefault(anchor, []).append(name)
    text = _Text(source, inactive, active_tokens(source, inactive))
    last_first = sorted(places.items(), key=lambda place: place[0].loop, reverse=True)  # braces close inside out
    edits = [edit for anchor, texts in last_first for edit in text.edits(anchor, texts)]
    comments = (text.comment(chunk) for chunk in chunks)
    return splice(source, (*(edit for edit in comments if edit is not None), *edits))


def edits_for(source: SourceFile, anchor: Anchor, texts: list[str]) -> tuple[Edit, ...]:
    """What puts directives at one place of a text whose #if groups are not known; raises as ``with_insertions``."""
    return tuple(_Text(source, (), active_tokens(source)).edits(anchor, texts))


def indentation_at(source: SourceFile, offset: int) -> tuple[str, str]:
    """The blanks that the line of an offset begins with, and how it ends."""
    text = _Text(source, (), active_tokens(source))
    token = text.tokens[bisect_left(text.tokens, offset, key=lambda token: token.span.start)]
    return text.indentation(token), text.newline(token)


class _Text(Struct, frozen=True, dict=True):
    """A text and its tokens, preprocessor lines among them."""

    source: SourceFile
    inactive: tuple[Span, ...]
    tokens: Sequence[Token]

    def edits(self, anchor: Anchor, texts: list[str]) -> Iterator[Edit]:
        """What puts directives at their place."""
        if anchor.loop.file != self.source.name:
            raise Reporter().fail("ACC980", anchor.loop, name=texts[0])
        number = self.number_at(anchor)
        if number is None:
            raise Reporter().fail("ACC981", anchor.loop, name=texts[0])
        while number and not anchor.is_inside and _is_pragma(self.tokens[number - 1]):
            number -= 1
        first = self.tokens[number]
        start = self.line_start(first)
        indentation, newline = self.indentation(first), self.newline(first)
        lines = _directives(texts, indentation if self.indents_pragmas else "")
        if self.source.text[start : first.span.start].strip():  # something stands in front of it on its line
            added = newline + newline.join([*lines, indentation])
            start = first.span.start
        else:
            added = "".join(line + newline for line in lines)
        try:
            yield from self.braces(number, newline)
        except CompileError:
            raise Reporter().fail("ACC981", anchor.loop, name=texts[0]) from None
        yield Edit(Span(start, start), added)

    def comment(self, chunk: Chunk) -> Edit | None:
        """A comment above a loop's line, if there is none yet and the loop is in the text."""
        number = self.number_at(Anchor(chunk.loop, False)) if chunk.loop.file == self.source.name else None
        if number is None:
            return None
        while number and _is_pragma(self.tokens[number - 1]):
            number -= 1
        first = self.tokens[number]
        start = self.line_start(first)
        text = f"{self.indentation(first)}/* accache: {advice_of(chunk)} */{self.newline(first)}"
        is_there = self.source.text.endswith(text, 0, start)
        return None if is_there or self.source.text[:start].endswith("\\\n") else Edit(Span(start, start), text)

    @cached_property
    def indents_pragmas(self) -> bool:
        """Whether the user indents directives as code; else they begin lines."""
        pragmas = [token for token in self.tokens if _is_pragma(token)]
        return any(self.line_start(token) < token.span.start for token in pragmas)

    def number_at(self, anchor: Anchor) -> int | None:
        """The number of the token in front of which a directive goes: that of the loop, or the first of its body."""
        offset = self.source.offset(anchor.loop.line, anchor.loop.column)
        loop = bisect_left(self.tokens, offset, key=lambda token: token.span.start)
        is_there = loop < len(self.tokens) and self.tokens[loop].span.start == offset
        if not is_there or self.tokens[loop].text != "for":
            return None
        if not anchor.is_inside:
            return loop
        close = matching(self.tokens, loop + 1)
        if close is None or close + 2 >= len(self.tokens):
            return None
        return close + 2 if self.tokens[close + 1].text == "{" else close + 1

    def braces(self, number: int, newline: str) -> Iterator[Edit]:
        """Braces around a statement that is the whole body of another."""
        statement = statement_after(self.source, self.tokens[number].span.start, self.inactive)
        if not is_body(self.source, statement.start, self.inactive):
            return
        before = next(token for token in reversed(self.tokens[:number]) if token.kind != DIRECTIVE)
        yield Edit(Span(before.span.end, before.span.end), " {")
        end = self.source.text.find("\n", statement.end)
        end = len(self.source.text) if end < 0 else end - newline.count("\r")
        rest = self.source.text[statement.end : end]
        if not rest.strip().startswith("//") and rest.strip():
            end = statement.end
        yield Edit(Span(end, end), f"{newline}{self.indentation(before)}}}")

    def line_start(self, token: Token) -> int:
        """Where the line of a token begins."""
        return self.source.text.rfind("\n", 0, token.span.start) + 1

    def indentation(self, token: Token) -> str:
        """The blanks that the line of a token begins with."""
        line = self.source.text[self.line_start(token) : token.span.start]
        return line[: len(line) - len(line.lstrip())]

    def newline(self, token: Token) -> str:
        """How the line of a token ends."""
        end = self.source.text.find("\n", token.span.start)
        return "\r\n" if end > 0 and self.source.text[end - 1] == "\r" else "\n"


def _directives(texts: list[str], indentation: str) -> list[str]:
    """The lines of directives, each as long as a line may be; pragmas begin where the code around does."""
    lines: list[str] = []
    for text in texts:
        joined = f"{lines[-1][:-1]}, {text})" if lines else ""
        if lines and len(joined) <= WIDTH:
            lines[-1] = joined
        else:
            lines.append(f"{indentation}#pragma acc cache({text})")
    return lines


def _is_pragma(token: Token) -> bool:
    return token.kind == DIRECTIVE and token.text.lstrip("# \t").startswith("pragma")
