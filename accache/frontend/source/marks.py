"""Marks that tell what becomes of a file's lines in the preprocessor: put into its text, and read from the output."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from accache.base.resources import headers
from accache.base.text import Edit, Location, SourceFile, Span, splice
from accache.frontend.grammar import DIRECTIVES
from accache.frontend.source.tokens import COMMENT, DIRECTIVE, Token

_LINE = re.compile(r"#\s*(?:line\b|\d)")
_ACC = re.compile(r"#\s*pragma\s+acc\b")
_UNEXPANDED = re.compile(_ACC.pattern + r"\s*(?:init|shutdown|set)\b")  # gcc does not know these directives
_GROUP = "accache_group"
_BUILT_IN = "<built-in>"
_OUR_FLAGS = frozenset({"_OPENACC", "_REENTRANT"})  # what these define
_COMMAND_LINE = ("<command-line>", "<command line>")
PRAGMA = "accache_pragma"
"""How acc pragmas begin that are ordinary lines for the preprocessor."""
_PRAGMA_END = "accache_pragma_end"
_PART = " part "
_PROBE = f"#define {PRAGMA} {_GROUP}\n#pragma acc wait {PRAGMA}\n#undef {PRAGMA}\n"
_PROBE_EXPANDED = f"wait {_GROUP}"
_DIRECTIVE_WORDS = tuple(name.split()[0] for name in DIRECTIVES)
_DIRECTIVE = re.compile(rf"^[ \t]*(?:#[ \t]*pragma[ \t]+acc(?:\b|{'|'.join(_DIRECTIVE_WORDS)})|{PRAGMA}\b)", re.M)
_OUTPUT = re.compile(
    rf'^[ \t]*#(?:[ \t]*(?:line[ \t]+)?(?P<line>\d+)[ \t]*(?:"(?P<file>(?:\\.|[^"\\\n])*)")?(?P<flags>[ \t\d]*)'
    rf"|(?P<define>define|undef)[ \t]+(?P<macro>\w+)(?P<parameters>\([^)\n]*\))?(?P<value>[^\n]*)"
    rf"|pragma[ \t]+{_GROUP}[ \t]+(?P<group>\d+)"
    rf"|pragma[ \t]+acc(?P<acc>(?:\b|{'|'.join(_DIRECTIVE_WORDS)})[^\n]*)"  # gcc may lose the blank before a macro
    rf"|pragma\b(?P<other>[^\n]*))$|^[ \t]*{PRAGMA}\b(?P<ours>[\s\S]*?)\b{_PRAGMA_END}\b",
    re.M,
)
_MARKER = re.compile(r"^[ \t]*#[^\n]*$", re.M)
_IDLE = re.compile(r'# (?<![^\n]# )\d+ "(?:\\.|[^"\\\n])*"[ \d]*\n\s*(?=# \d+ ")')
"""A line marker with nothing behind it but another. Its first characters are looked for, which is quick."""
_COMMENT_OR_LITERAL = re.compile(rf"""(?P<comment>{COMMENT.pattern})|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'""", re.S)


def with_marks(source: SourceFile, tokens: tuple[Token, ...], groups: tuple[Token, ...], expand: bool = False) -> str:
    """The text the preprocessor reads: after each conditional line a mark with its number.

    ``#line`` directives of the user are blanked out, so that line numbers are those of the raw file.
    With ``expand``, acc pragmas become ordinary lines, for a preprocessor that expands no macros in
    pragmas; the probe in front finds out whether it does. Some directives need that in any case.
    """
    edits = []
    for part in source.parts[1:]:
        start = source.offset(part.line)
        edits.append(Edit(Span(start, start), _line_mark(source, part.line) + "\n"))
    for number, token in enumerate(groups):
        line = source.location(token.span.end).line + 1
        mark = f"\n#pragma {_GROUP} {number}\n{_line_mark(source, line)}"
        edits.append(Edit(Span(token.span.end, token.span.end), mark))
    for token in tokens:
        if token.kind == DIRECTIVE and _LINE.match(token.text):
            edits.append(Edit(token.span, "\n" * token.text.count("\n")))
        elif token.kind == DIRECTIVE and (_ACC if expand else _UNEXPANDED).match(token.text):
            line = source.location(token.span.end).line + 1
            text = _ACC.sub(PRAGMA, COMMENT.sub(" ", token.text))
            edits.append(Edit(token.span, f"{text} {_PRAGMA_END}\n{_line_mark(source, line)}"))
        elif token.kind == DIRECTIVE and (text := _COMMENT_OR_LITERAL.sub(_on_one_line, token.text)) != token.text:
            missing = token.text.count("\n") - text.count("\n")
            edits.append(Edit(token.span, text + "\n" * missing))
    text = splice(source, tuple(edits)).removeprefix("\ufeff").replace("\r\n", "\n")
    return f"{'' if expand else _PROBE}{_line_mark(source, 1, named=True)}\n{text}\n"


def _line_mark(source: SourceFile, line: int, *, named: bool = False) -> str:
    """The #line directive in front of a line.

    Where headers were put in place it has the line's number in its own file, for __LINE__, and says which part that is.
    """
    name = _escaped(source.name)
    if not source.parts:
        return f'#line {line} "{name}"' if named else f"#line {line}"
    number = bisect_right(source.parts, line, key=lambda part: part.line) - 1
    return f'#line {source.place(Location(source.name, line)).line} "{name}{_PART}{number}"'


def _on_one_line(found: re.Match[str]) -> str:
    """A blank for a comment that goes over several lines; other comments and literals stay."""
    return " " if found["comment"] and "\n" in found["comment"] else found[0]


def place_in_file(source: SourceFile, place: Location) -> Location:
    """Where the user wrote what the C compiler names by a file with headers in it, and the number of a part."""
    name, _, number = place.file.rpartition(_PART)
    if not source.parts or name != source.name:
        return place
    return Location(source.parts[int(number)].file, place.line, place.column)


def expands_pragmas(output: str) -> bool:
    """Whether the preprocessor that wrote an output expands macros in acc pragmas."""
    return f"#pragma acc {_PROBE_EXPANDED}" in output


def leaves_directives(output: str) -> bool:
    """Whether the preprocessor has left an acc pragma in a marked text, beside our probe."""
    return len(_DIRECTIVE.findall(output)) > 1


def without_idle_markers(text: str) -> str:
    r"""Preprocessed text without the line markers that say where nothing stands.

    >>> without_idle_markers('# 0 "<built-in>"\n# 1 "a.c"\n\n# 9 "a.c"\nint a;\n# 20 "a.c"\n')
    '# 9 "a.c"\nint a;\n# 20 "a.c"\n'
    """
    return _IDLE.sub("", text)


class Reader:
    """Walks the preprocessor's output, following its line markers."""

    def __init__(self, output: str, source: SourceFile) -> None:
        self.output = output
        self.source = source
        self.groups: set[int] = set()
        self.pragmas: list[tuple[int, str]] = []
        self.included: list[tuple[str, int]] = []
        self.entries: list[tuple[int, str]] = []
        self.header, self.seen = "", 0
        self.macros: dict[str, str] = {}
        self.constants: set[str] = set()
        self.own: set[str] = set()
        self.theirs = {"_OPENACC", PRAGMA}
        self.given: dict[str, str | None] = {}
        self.before: set[str] = set()
        self.headers: dict[str, None] = {}
        self.entered = False
        self.file, self.line, self.depth, self.system = "", 1, 0, False
        self.openacc = False

    def text(self) -> str:
        """The output without our marks, without macro definitions and without pragmas of system headers."""
        return without_idle_markers("".join(self._pieces()))

    def _pieces(self) -> Iterator[str]:
        position = 0
        for found in _OUTPUT.finditer(self.output):
            between = self.output[position : found.start()]
            self.line += between.count("\n")
            yield between
            position = found.end()
            kind = found.lastgroup
            if kind == "value":
                self._definition(found)
            elif kind == "flags":
                position += 1  # its own line break does not count
                yield self._marker(found) + "\n"
            elif kind == "group":
                self.groups.add(int(found["group"]))
            elif kind != "other":
                yield self._pragma(" ".join(_MARKER.sub("", found["acc"] or found["ours"] or "").split()))
            elif not self.system:
                yield found.group()
        yield self.output[position:]

    def _marker(self, found: re.Match[str]) -> str:
        """Follow a line marker, and pass it on; in a text with headers in place it counts the lines of that."""
        self.line = int(found["line"])
        self.file = found["file"] if found["file"] is not None else self.file
        flags = found["flags"].split()
        name, _, number = self.file.rpartition(_PART)
        moved = bool(self.source.parts) and name == _escaped(self.source.name)
        if moved:
            part = self.source.parts[int(number)]
            self.line += part.line - part.first
            self.file = name
        if "1" in flags and self.depth == 0:
            self.header, self.seen = _unescaped(self.file), len(self.included)
        self.depth += ("1" in flags) - ("2" in flags)
        if "2" in flags and self.depth == 0 and len(self.included) > self.seen and self.line > 1:
            self.entries.append((self.line - 1, self.header))
        self.system = "3" in flags
        self.entered = self.entered or self.file == _escaped(self.source.name)
        if "1" in flags and self.entered and not self.system:
            self.headers[_unescaped(self.file)] = None
        self.openacc = self.openacc or self.file.rpartition("/")[2] == "openacc.h"
        return " ".join((f'# {self.line} "{self.file}"', *flags)) if moved else found.group()

    def _definition(self, found: re.Match[str]) -> None:
        define, name, parameters, value = found.group("define", "macro", "parameters", "value")
        is_definition = define == "define"
        if self.file in _COMMAND_LINE and name not in _OUR_FLAGS:
            self.given[name] = f"{parameters or ''} {value.strip()}" if is_definition else None
        elif not self.entered:
            self.before.add(name)
        if not is_definition:
            self.own.discard(name)
            return
        self.macros[name] = value.strip()
        if parameters is None:
            self.constants.add(name)
        theirs = self.system or self.file == _BUILT_IN or self.file.startswith(_escaped(str(headers())))
        (self.theirs if theirs else self.own).add(name)

    def _pragma(self, text: str) -> str:
        """Note an acc pragma; its line in the output, which our probe does not get."""
        if text == _PROBE_EXPANDED:
            return ""
        if self.depth <= 0:
            self.pragmas.append((self.line, text))
        elif not self.system:
            self.included.append((_unescaped(self.file), self.line))
        return f"#pragma acc {text}"


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')


def _unescaped(name: str) -> str:
    return re.sub(r"\\(.)", r"\1", name)


def inactive(source: SourceFile, groups: tuple[Token, ...], active: frozenset[int]) -> tuple[Span, ...]:
    """The raw text between conditional lines whose mark did not come out, neighbours joined."""
    spans: list[Span] = []
    for number, token in enumerate(groups):
        if number in active:
            continue
        end = groups[number + 1].span.start if number + 1 < len(groups) else len(source.text)
        if spans and number - 1 not in active:
            spans[-1] = Span(spans[-1].start, end)
        else:
            spans.append(Span(token.span.end, end))
    return tuple(spans)
