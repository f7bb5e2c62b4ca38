"""Macros that make directives together with other code, written out where they are used.

Before: ``EACH(i, n) a[i] = 0;``, where EACH makes a pragma and the head of a loop. After: the line as the preprocessor
writes it, with ``_Pragma`` for its pragmas, so that it stays one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from accache.base.diagnostics import Reporter
from accache.base.text import SourceFile
from accache.frontend.source.constructs import hidden_pragmas, macro_use
from accache.frontend.source.definitions import active_tokens
from accache.frontend.source.preprocess import Preprocessed, PreprocessOptions, preprocess
from accache.frontend.source.tokens import COMMENT, IDENTIFIER, Token, matching, tokenise

_MARKER = r'#\s*(?:line\s+)?(?P<line>\d+)(?:\s*"(?P<file>(?:\\.|[^"\\])*)")?[\s\d]*$'
_PRAGMA = r"\s*#\s*pragma\b(.*)"
_JOINING = rf"""(?s){COMMENT.pattern}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\\\r?\n"""
_DEFINITION = r"\s*#\s*(?:define|undef)\b"


def expand_directives(
    source: SourceFile, preprocessed: Preprocessed, options: PreprocessOptions, reporter: Reporter
) -> tuple[SourceFile, Preprocessed]:
    """Write out the lines in which macros hide pragmas.

    The result is the same program: where the preprocessor would make something else of a line that is written out, as
    of a macro that makes its own name, the file stays as it is.
    """
    hidden = hidden_pragmas(source, preprocessed)
    if not hidden:
        return source, preprocessed
    written = _written(source, preprocessed)
    groups = _groups(source, preprocessed, {*hidden, *_with_hidden_braces(source, preprocessed, written)})
    rows = source.text.split("\n")
    uses = []
    for first, last in groups:
        use = source.place(macro_use(source, preprocessed, first))
        uses += [(first, max(use.column, 1), use.length)]
        indent = rows[first - 1][: len(rows[first - 1]) - len(rows[first - 1].lstrip())]
        rows[first - 1 : last] = [indent + _of(written, first, last), *[""] * (last - first)]
    changed = replace(source, text="\n".join(rows), uses=tuple(uses))
    again = preprocess(changed, options, reporter)
    now = _written(changed, again)
    is_same = all(_squeezed(_of(now, *group)) == _squeezed(_of(written, *group)) for group in groups)
    return (changed, again) if is_same else (source, preprocessed)


def _groups(source: SourceFile, preprocessed: Preprocessed, lines: Iterable[int]) -> list[tuple[int, int]]:
    """The first and the last line of the runs of lines that macro calls with pragmas join."""
    tokens = active_tokens(source, preprocessed.inactive)
    calls = [*_calls(source, tokens, preprocessed), *_joined_lines(source)]
    found: list[tuple[int, int]] = []
    for line in sorted(lines):
        first = last = line
        while True:
            met = [(start, end) for start, end in calls if start <= last and first <= end]
            wider = min([first, *(start for start, _ in met)]), max([last, *(end for _, end in met)])
            if wider == (first, last):
                break
            first, last = wider
        if not found or found[-1][1] < first:
            found.append((first, last))
    return found


def _calls(source: SourceFile, tokens: Sequence[Token], preprocessed: Preprocessed) -> Iterator[tuple[int, int]]:
    """First and last line of the uses of macros with arguments."""
    for index, token in enumerate(tokens[:-1]):
        if token.kind != IDENTIFIER or token.text not in preprocessed.macros or tokens[index + 1].text != "(":
            continue
        close = matching(tokens, index + 1)
        if close is not None:
            yield source.location(token.span.start).line, source.location(tokens[close].span.end - 1).line


def _joined_lines(source: SourceFile) -> Iterator[tuple[int, int]]:
    """First and last line of comments and continued lines."""
    for found in re.finditer(_JOINING, source.text):
        if "\n" in found[0] and not found[0].startswith(('"', "'")):
            yield source.location(found.start()).line, source.location(found.end() - 1).line + found[0].startswith("\\")


def _with_hidden_braces(
    source: SourceFile, preprocessed: Preprocessed, written: Mapping[int, Sequence[str]]
) -> Iterator[int]:
    """The lines in which macros make braces that have their partners elsewhere."""
    spelled: dict[int, list[str]] = {}
    for token in active_tokens(source, preprocessed.inactive):
        spelled.setdefault(source.location(token.span.start).line, []).append(token.text)
    for line, pieces in written.items():
        made = [token.text for token in tokenise(SourceFile("", "\n".join(pieces)))]
        if _depth(made) != _depth(spelled.get(line, [])):
            yield line


def _depth(tokens: Sequence[str]) -> int:
    return tokens.count("{") - tokens.count("}")


def _written(source: SourceFile, preprocessed: Preprocessed) -> dict[int, list[str]]:
    """What the preprocessor makes of each line of a file, pragmas as operators."""
    found: dict[int, list[str]] = {}
    line, is_ours = 0, False
    for row in preprocessed.written.split("\n"):
        marker = re.match(_MARKER, row)
        if marker is not None:
            line = int(marker["line"]) - 1
            name = marker["file"]
            is_ours = is_ours if name is None else re.sub(r"\\(.)", r"\1", name) == source.name
        elif is_ours and row.strip() and not re.match(_DEFINITION, row):
            found.setdefault(line, []).append(_in_line(row))
        line += 1
    return found


def _of(written: Mapping[int, Sequence[str]], first: int, last: int) -> str:
    """What the preprocessor makes of some lines, as one line."""
    return " ".join(piece for line in range(first, last + 1) for piece in written.get(line, ()))


def _in_line(row: str) -> str:
    """A row of the preprocessor's output, a pragma as an operator."""
    pragma = re.match(_PRAGMA, row)
    if pragma is None:
        return row.strip()
    text = pragma[1].strip().replace("\\", "\\\\").replace('"', '\\"')
    return f'_Pragma("{text}")'


def _squeezed(text: str) -> str:
    return "".join(text.split())
