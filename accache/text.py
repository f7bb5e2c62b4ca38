"""Source files, positions in them, and edits spliced into their raw text."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, order=True)
class Location:
    """A place in a file; line and column count from 1, column in characters (0: unknown)."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Span:
    """The half-open range [start, end) of character offsets in one source file."""

    start: int
    end: int


@dataclass(frozen=True)
class SourceFile:
    """The raw text of one file.

    Bytes that are not UTF-8 survive as surrogate escapes and line endings are kept, so
    writing ``text`` back gives the file's bytes again. Where headers were put in the place of their
    #include, ``lines`` holds the file and line that each line of ``text`` comes from.
    """

    name: str
    text: str
    lines: tuple[tuple[str, int], ...] = ()

    @property
    def title(self) -> str:
        """The user's name of the file."""
        return self.lines[0][0] if self.lines else self.name

    def place(self, location: Location) -> Location:
        """Where the user wrote what is found at a place of this file; places of other files stay as they are."""
        if not self.lines or location.file != self.name:
            return location
        file, line = self.lines[min(max(location.line, 1), len(self.lines)) - 1]
        return Location(file, line if location.line else 0, location.column)

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offset of the first character of every line."""
        starts = [0]
        position = self.text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        return tuple(starts)

    def location(self, offset: int) -> Location:
        """The line and column of a character offset."""
        line = bisect_right(self.line_starts, offset)
        return Location(self.name, line, offset - self.line_starts[line - 1] + 1)

    def offset(self, line: int, column: int = 1) -> int:
        """The character offset of a line and column."""
        return self.line_starts[line - 1] + column - 1

    def line_text(self, line: int) -> str:
        """One line without its line ending; empty past the end of the file."""
        if not 1 <= line <= len(self.line_starts):
            return ""
        start = self.line_starts[line - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")


@dataclass(frozen=True)
class Edit:
    """Replace the text of a span; an empty span inserts."""

    span: Span
    text: str


def splice(source: SourceFile, edits: tuple[Edit, ...]) -> str:
    """Apply edits to a file's raw text; every other character comes back unchanged.

    Edits with the same start are applied in the order given. Overlapping edits are a bug.

    >>> splice(SourceFile("a.c", "int a;"), (Edit(Span(4, 5), "b"),))
    'int b;'
    """
    pieces: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: edit.span.start):
        if edit.span.start < position:
            raise ValueError(f"overlapping edits at offset {edit.span.start} of {source.name}")
        pieces += [source.text[position : edit.span.start], edit.text]
        position = edit.span.end
    pieces.append(source.text[position:])
    return "".join(pieces)
