"""Diagnostics: the registry of messages, the collector passes report to, and their text forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum

from msgspec import Struct, field

from accache.base.messages import MESSAGES
from accache.base.text import Location


class Severity(Enum):
    """How bad a finding is; only errors stop a translation."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


class Change(Struct, frozen=True):
    """What stands from one place of a file up to another becomes ``text``; it is inserted where both are the same."""

    start: Location
    end: Location
    text: str


class FixIt(Struct, frozen=True):
    """A mend for a mistake, in words and as changes of one file that do not overlap.

    It is offered where the program is known to translate with it, and to be right about what was wrong.
    """

    title: str
    changes: tuple[Change, ...]


class Diagnostic(Struct, frozen=True):
    """One message to the user, with its place, its code, an optional hint, and mends for it (``workflows/fixes``)."""

    code: str
    severity: Severity
    message: str
    location: Location | None = None
    length: int = 1
    hint: str = ""
    fixes: tuple[FixIt, ...] = ()

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        return f"{place}{self.severity.value}: {self.message} [{self.code}]"


class Error(Exception):
    """What accache raises of a user's input: ``CompileError`` of programs, ``OptionError`` of options."""


class CompileError(Error):
    """The user's input cannot be translated; carries what was found."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[type[CompileError], tuple[tuple[Diagnostic, ...]]]:
        """Come out of another process as it went in."""
        return type(self), (self.diagnostics,)


class Reporter(Struct, dict=True):
    """Collects diagnostics while passes run; the one mutable value passes share."""

    diagnostics: list[Diagnostic] = field(default_factory=list)

    def report(self, code: str, location: Location | None = None, **values: object) -> None:
        """Add the message registered under ``code``, its placeholders filled from ``values``."""
        message = MESSAGES[code]
        found = Diagnostic(
            code,
            Severity(message.severity),
            message.text.format(**values),
            location,
            location.length if location else 1,
            message.hint.format(**values),
        )
        self.include((found,))

    def include(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Add what another reporter collected; what is known already is not repeated."""
        for found in diagnostics:
            if found not in self.diagnostics:
                self.diagnostics.append(found)

    @property
    def has_errors(self) -> bool:
        """Whether any error was reported so far."""
        return any(found.severity is Severity.ERROR for found in self.diagnostics)

    def stop_on_errors(self) -> None:
        """Raise CompileError with everything collected if any of it is an error."""
        if self.has_errors:
            raise CompileError(tuple(self.diagnostics))

    def fail(self, code: str, location: Location | None = None, **values: object) -> CompileError:
        """Report an error that makes going on pointless; the caller raises the result."""
        self.report(code, location, **values)
        return CompileError(tuple(self.diagnostics))


def render_text(found: Diagnostic, line_of: Callable[[Location], str]) -> str:
    """A diagnostic as compilers print it: the message, the source line, a caret, the hint."""
    lines = [str(found)]
    source = line_of(found.location) if found.location else ""
    if found.location and source:
        lines.append(f"{found.location.line:>5} | {source}")
        if found.location.column:
            blank = "".join(c if c == "\t" else " " for c in source[: found.location.column - 1])
            width = max(1, min(found.length, len(source) - found.location.column + 1))
            lines.append(f"      | {blank}^{'~' * (width - 1)}")
    if found.hint:
        lines.append(f"      = hint: {found.hint}")
    lines += [f"      = fix: {fix.title} (accache fix)" for fix in found.fixes]
    return "\n".join(lines)
