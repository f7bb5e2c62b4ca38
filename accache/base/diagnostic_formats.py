"""Diagnostics for people and for programs: text with source lines, JSON, and SARIF 2.1.0."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from urllib.parse import quote

import msgspec
from msgspec import Struct

from accache import __version__
from accache.base.colours import BOLD, GREEN, OF_SEVERITIES, painted
from accache.base.diagnostics import Change, Diagnostic, FixIt, Severity, render_text
from accache.base.messages import MESSAGES
from accache.base.plain import plain
from accache.base.resources import templates
from accache.base.rule_names import RULE_NAMES
from accache.base.text import STDIN, Location, SourceFile, read_source_file

_CARET = r"(?m)^(      \| \s*)(\^~*)$"
_NO_UTF8 = re.compile("[\udc80-\udcff]")
_SHOWN_BYTES = 1 << 24  # of larger files, which are traces and not sources, no line is shown
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_text(
    diagnostics: tuple[Diagnostic, ...], sources: tuple[SourceFile, ...] = (), has_colours: bool = False
) -> str:
    """One paragraph a diagnostic, with its source line where the file is at hand or can still be read."""
    files = {source.name: source for source in sources}
    texts = ((found, render_text(found, lambda place: source_line(place, files))) for found in diagnostics)
    return "".join((_coloured(found, text) if has_colours else text) + "\n" for found, text in texts)


def _coloured(found: Diagnostic, text: str) -> str:
    """A paragraph with colours: its place, its severity and the caret."""
    place = painted(f"{found.location}:", BOLD) + " " if found.location else ""
    severity = painted(f"{found.severity.value}:", OF_SEVERITIES[found.severity.value])
    rest = re.sub(_CARET, lambda line: line[1] + painted(line[2], GREEN), text[len(str(found)) :], count=1)
    return f"{place}{severity} {found.message} [{found.code}]{rest}"


def as_json(diagnostics: tuple[Diagnostic, ...]) -> str:
    """A list with one object a diagnostic; what has no place has null for file, line and column."""
    return json.dumps(plain(tuple(map(record, diagnostics))), indent=2) + "\n"


def as_sarif(diagnostics: tuple[Diagnostic, ...]) -> str:
    """A log of one run in the Static Analysis Results Interchange Format 2.1.0 (OASIS)."""
    codes = sorted({found.code for found in diagnostics})
    driver = {"name": "accache", "version": __version__, "rules": [_rule(code) for code in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(found, codes.index(found.code)) for found in diagnostics],
    }
    return json.dumps({"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


FORMATS: dict[str, Callable[[tuple[Diagnostic, ...]], str]] = {"text": as_text, "json": as_json, "sarif": as_sarif}


def render(
    diagnostics: tuple[Diagnostic, ...],
    form: str,
    quiet: bool = False,
    sources: tuple[SourceFile, ...] = (),
    *,
    has_colours: bool = False,
) -> str:
    """Diagnostics in one of FORMATS; ``quiet`` keeps the errors only. ``sources`` are read from no file.

    Text ``has_colours`` of terminals if that is asked for.
    """
    kept = tuple(found for found in diagnostics if not quiet or found.severity is Severity.ERROR)
    return as_text(kept, sources, has_colours) if form == "text" else FORMATS[form](kept)


def source_line(location: Location, files: dict[str, SourceFile]) -> str:
    """The line of a file at a location, empty where there is none to read; ``files`` keeps what was read."""
    if location.file not in files:
        files[location.file] = _readable(location.file)
    return _NO_UTF8.sub("\ufffd", files[location.file].line_text(location.line))


def _readable(name: str) -> SourceFile:
    """A file, empty if it is too large to show, or a pipe, which has been read and may never end again."""
    path = Path(name)
    try:
        shown = path.is_file() and path.stat().st_size <= _SHOWN_BYTES
        return read_source_file(name) if shown or name == STDIN else SourceFile(name, "")
    except OSError:
        return SourceFile(name, "")


class ChangeRecord(Struct, frozen=True):
    """What stands between two places of a file becomes ``text``; lines and columns count from 1, the end excluded."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str


class FixRecord(Struct, frozen=True):
    """A mend as JSON has it."""

    title: str
    changes: tuple[ChangeRecord, ...]


class DiagnosticRecord(Struct, frozen=True):
    """A diagnostic as JSON has it; ``file``, ``line`` and ``column`` are null where it has no place."""

    code: str
    severity: Severity
    message: str
    hint: str | None
    file: str | None
    line: int | None
    column: int | None
    length: int
    fixes: tuple[FixRecord, ...] = ()


def record(found: Diagnostic) -> DiagnosticRecord:
    """A diagnostic as JSON has it."""
    place = found.location
    return DiagnosticRecord(
        found.code,
        found.severity,
        found.message,
        found.hint or None,
        file=place.file if place else None,
        line=place.line if place else None,
        column=(place.column or None) if place else None,
        length=found.length,
        fixes=tuple(FixRecord(fix.title, tuple(map(_change, fix.changes))) for fix in found.fixes),
    )


def _change(change: Change) -> ChangeRecord:
    start, end = change.start, change.end
    return ChangeRecord(start.file, start.line, start.column, end.line, end.column, change.text)


@cache
def _explanations() -> Mapping[str, str]:
    """What docs/diagnostics.md says of each code first."""
    return msgspec.json.decode((templates() / "diagnostics.json").read_bytes(), type=dict[str, str])


def _rule(code: str) -> dict[str, object]:
    """What SARIF says of a code: a name, the message, and what helps."""
    message = MESSAGES[code]
    hint = re.sub(r"{hint}", "", message.hint)
    help_text = f"{hint[:1].upper()}{hint[1:]}." if hint else ""
    return {
        "id": code,
        "name": RULE_NAMES[code],
        "shortDescription": {"text": message.text},
        "defaultConfiguration": {"level": message.severity},
        "help": {"text": " ".join(filter(None, (help_text, _explanations().get(code, ""))))},
    }


def _fix(fix: FixIt) -> dict[str, object]:
    """A mend as SARIF has it: each change takes out a region, which may be empty, and puts a text there."""
    replacements = [
        {
            "deletedRegion": {
                "startLine": change.start.line,
                "startColumn": change.start.column,
                "endLine": change.end.line,
                "endColumn": change.end.column,
            },
            "insertedContent": {"text": change.text},
        }
        for change in fix.changes
    ]
    place = {"uri": _uri(fix.changes[0].start.file)}
    changes = [{"artifactLocation": place, "replacements": replacements}]
    return {"description": {"text": fix.title}, "artifactChanges": changes}


def _result(found: Diagnostic, rule: int) -> dict[str, object]:
    text = f"{found.message} (hint: {found.hint})" if found.hint else found.message
    result: dict[str, object] = {
        "ruleId": found.code,
        "ruleIndex": rule,
        "level": found.severity.value,
        "message": {"text": text},
    }
    if found.location:
        physical = {"artifactLocation": {"uri": _uri(found.location.file)}, "region": _region(found)}
        result["locations"] = [{"physicalLocation": physical}]
    if found.fixes:
        result["fixes"] = [_fix(fix) for fix in found.fixes]
    return result


def _uri(file: str) -> str:
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _region(found: Diagnostic) -> dict[str, int]:
    assert found.location
    region = {"startLine": found.location.line}
    if found.location.column:
        region["startColumn"] = found.location.column
        region["endColumn"] = found.location.column + max(1, found.length)
    return region
