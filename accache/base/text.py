"""Source files and standard input, positions in them, and edits spliced into their raw text."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from functools import lru_cache
from pathlib import Path
from typing import TextIO

from msgspec import Struct
from msgspec.structs import replace

from accache.base.properties import cached_property

STDIN = "<stdin>"
"""The name of standard input in messages; on the command line it is ``-``."""
BYTE_ORDER_MARK = "\ufeff"
_LONE_RETURN = re.compile(r"\r(?!\n)")


class Location(Struct, frozen=True):
    """A place in a file; line and column count from 1, column in characters (0: unknown).

    ``length`` is how many characters what stands there has, for a caret as long; it makes no difference
    between two places.
    """

    file: str
    line: int
    column: int = 0
    length: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Location) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __lt__(self, other: Location) -> bool:
        return self._key() < other._key()

    def _key(self) -> tuple[str, int, int]:
        return self.file, self.line, self.column


class Span(Struct, frozen=True):
    """The half-open range [start, end) of character offsets in one source file."""

    start: int
    end: int


class Part(Struct, frozen=True):
    """Lines that stand together: from ``line`` of a text on they are those of ``file`` from ``first`` on."""

    line: int
    file: str
    first: int


class SourceFile(Struct, frozen=True, dict=True):
    """The raw text of one file.

    Bytes that are not UTF-8 survive as surrogate escapes and line endings are kept, so
    writing ``text`` back gives the file's bytes again; but a carriage return alone is a line feed, as it is
    for C compilers. Where headers were put in the place of their
    #include, ``lines`` holds the file and line that each line of ``text`` comes from. ``uses`` are lines that hold
    what a macro makes, each with the column and length of the macro's name, which is all that the user wrote of it.
    """

    name: str
    text: str
    lines: tuple[tuple[str, int], ...] = ()
    uses: tuple[tuple[int, int, int], ...] = ()

    @property
    def is_made(self) -> bool:
        """Whether the text is not the one that the user wrote."""
        return bool(self.lines or self.uses)

    @property
    def title(self) -> str:
        """The user's name of the file."""
        return self.lines[0][0] if self.lines else self.name

    def place(self, location: Location) -> Location:
        """Where the user wrote what is found at a place of this file; places of other files stay as they are."""
        if not self.is_made or location.file != self.name:
            return location
        column, length = location.column, location.length
        if location.column and location.line in self._use_of_line:
            column, length = self._use_of_line[location.line]
        if not self.lines:
            return Location(location.file, location.line, column, length)
        file, line = self.lines[min(max(location.line, 1), len(self.lines)) - 1]
        return Location(file, line if location.line else 0, column, length)

    @cached_property
    def _use_of_line(self) -> dict[int, tuple[int, int]]:
        return {line: (column, length) for line, column, length in self.uses}

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Where headers were put in place: the runs of lines that come from one file."""
        parts: list[Part] = []
        for number, (file, line) in enumerate(self.lines, 1):
            last = parts[-1] if parts else None
            if last is None or (last.file, last.first + number - last.line) != (file, line):
                parts.append(Part(number, file, line))
        return tuple(parts)

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Offset of the first character of every line."""
        starts = [0]
        position = self.text.find("\n")
        while position >= 0:
            starts.append(position + 1)
            position = self.text.find("\n", position + 1)
        return tuple(starts)

    def location(self, offset: int, length: int = 1) -> Location:
        """The line and column of a character offset, where something of a length stands."""
        line = bisect_right(self.line_starts, offset)
        return Location(self.name, line, offset - self.line_starts[line - 1] + 1, length)

    def locate(self, span: Span) -> Location:
        """Where a span starts, and how long it is."""
        return self.location(span.start, max(1, span.end - span.start))

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


def read_source_file(name: str) -> SourceFile:
    """The file of a name; ``-`` and STDIN are standard input.

    :raises OSError: it cannot be read.
    """
    is_input = name in ("-", STDIN)
    data = standard_input() if is_input else Path(name).read_bytes()
    return SourceFile(STDIN if is_input else name, text_of(data))


def text_of(data: bytes) -> str:
    r"""The text of a source file's bytes: as SourceFile holds it.

    >>> text_of(b"int a;\r\nint b;\rint c;")
    'int a;\r\nint b;\nint c;'
    """
    return _LONE_RETURN.sub("\n", data.decode("utf-8", "surrogateescape"))


def without_mark(source: SourceFile) -> SourceFile:
    """A file without the byte-order mark that may stand in front of its first line, which compilers pass over."""
    return replace(source, text=source.text.removeprefix(BYTE_ORDER_MARK))


def standard_input() -> bytes:
    """All of standard input, as often as it is asked for."""
    return _everything(sys.stdin)


@lru_cache(maxsize=1)
def _everything(stream: TextIO) -> bytes:
    return stream.buffer.read()


class Edit(Struct, frozen=True):
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
