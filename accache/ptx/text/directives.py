"""Directives of PTX: lines of source files, sections for debuggers, and all that are a name with words."""

from __future__ import annotations

from accache.base.text import Span
from accache.ptx.text.cursor import Cursor
from accache.ptx.text.syntax import Directive, File, Immediate, Name, Section, SourceLine, Sum

_WITH_SEMICOLON = ("pragma", "alias")


def parse_directive(cursor: Cursor) -> Directive:
    """A directive with its words: up to the next directive, brace, or semicolon."""
    start = cursor.start
    name = cursor.take().text[1:]
    words: list[str] = []
    if cursor.accept("("):
        words.append("(")
        while cursor.text != ")":
            words.append(cursor.take().text)
        words.append(cursor.take().text)
    else:
        while _continues(cursor, words):
            words.append(cursor.take().text)
    if name in _WITH_SEMICOLON:
        cursor.expect(";")
    return Directive(name, tuple(words), Span(start, cursor.previous_end))


def parse_directives(cursor: Cursor) -> list[Directive]:
    """All directives that stand here, one behind the other."""
    found: list[Directive] = []
    while cursor.kind == "dotted":
        found.append(parse_directive(cursor))
    return found


def _continues(cursor: Cursor, words: list[str]) -> bool:
    """Whether the token here belongs to a directive: its words have commas between them."""
    if cursor.text == ",":
        return bool(words)
    return cursor.kind in ("word", "number", "text") and (not words or words[-1] == ",")


def parse_file(cursor: Cursor) -> File:
    """``.file number "name"``, and a time and size."""
    start = cursor.take().start
    number = cursor.integer("the number of a file")
    if cursor.kind != "text":
        raise cursor.unexpected("the name of a file")
    name = cursor.take().text[1:-1]
    stamp = None
    if cursor.accept(","):
        time = cursor.integer()
        cursor.expect(",")
        stamp = (time, cursor.integer())
    return File(number, name, stamp, Span(start, cursor.previous_end))


def parse_line(cursor: Cursor) -> SourceLine:
    """``.loc file line column``, and where the function is inlined."""
    start = cursor.take().start
    file, line, column = cursor.integer(), cursor.integer(), cursor.integer()
    function, inlined_at = None, None
    while cursor.accept(","):
        word = cursor.word("'function_name' or 'inlined_at'")
        if word == "function_name":
            name = Name(cursor.word("a label"))
            offset = Immediate(cursor.take().text) if cursor.accept("+") else None
            function = Sum(name, offset)
        else:
            inlined_at = (cursor.integer(), cursor.integer(), cursor.integer())
    return SourceLine(file, line, column, function, inlined_at, Span(start, cursor.previous_end))


def parse_section(cursor: Cursor) -> Section:
    """``.section name { ... }``; its text is everything between the braces."""
    start = cursor.take().start
    with cursor.inside("a section"):
        name = cursor.take().text
        begin = cursor.expect("{").end
        while cursor.text != "}" or cursor.kind == "end":
            cursor.take()
        end = cursor.take().start
    return Section(name, cursor.source.text[begin:end], Span(start, cursor.previous_end))
