"""Runs the command line inside this process: what it printed, how it ended, and that it did not break."""

from __future__ import annotations

import io
import re
import shlex
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from accache.cli.main import main

HEADING = re.compile(
    r"^(?:(?P<file>[^\n]*?)(?::(?P<line>\d+))?(?::(?P<column>\d+))?: )??"
    r"(?P<severity>note|warning|error): (?P<message>.*) \[(?P<code>ACC\d{3})\]$"
)
_SOURCE = re.compile(r"^ *\d+ \| ")
_CARET = re.compile(r"^ {6}\| (?P<blank>\s*)(?P<caret>\^~*)$")


@dataclass(frozen=True)
class Printed:
    """One diagnostic as printed; line, column and width are 0 where there are none."""

    file: str
    line: int
    column: int
    severity: str
    message: str
    code: str
    width: int


@dataclass(frozen=True)
class Trial:
    """How one call of accache ended."""

    status: int
    output: bytes
    errors: str

    @property
    def printed(self) -> tuple[Printed, ...]:
        """The diagnostics on standard error, in order."""
        return read_text(self.errors)

    @property
    def codes(self) -> list[str]:
        """Their codes."""
        return [found.code for found in self.printed]


def accache(*arguments: str, text: bytes = b"") -> Trial:
    """Call accache with ``text`` on standard input; whatever is not an orderly exit is raised."""
    stdin = io.TextIOWrapper(io.BytesIO(text))
    stdout, stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape") for _ in range(2))
    status: object = 0
    with patch.object(sys, "stdin", stdin), redirect_stdout(stdout), redirect_stderr(stderr):
        try:
            main(arguments, prog_name="accache")
        except SystemExit as end:
            status = end.code
    stdout.flush()
    stderr.flush()
    assert isinstance(stdout.buffer, io.BytesIO)
    assert isinstance(stderr.buffer, io.BytesIO)
    assert isinstance(status, int)
    return Trial(status, stdout.buffer.getvalue(), stderr.buffer.getvalue().decode("utf-8", "surrogateescape"))


def translate(source: Path, *options: str) -> Trial:
    """Translate a file to standard output, tiles that do not pay included; an error leaves that empty."""
    trial = accache("translate", str(source), "--tune", "off", *options)
    assert_orderly(trial)
    return trial


def assert_orderly(trial: Trial) -> None:
    """Status 0 and a result, or status 1, an error with a code and a place, and nothing else."""
    assert trial.status in (0, 1), trial.errors
    if trial.status == 1:
        assert trial.output == b""
        assert any(found.severity == "error" for found in trial.printed), trial.errors


def read_text(errors: str) -> tuple[Printed, ...]:
    """Read printed diagnostics back; the caret must stand under the column that is named."""
    found: list[Printed] = []
    lines = errors.split("\n")
    for position, line in enumerate(lines):
        heading = HEADING.match(line)
        if heading is None:
            continue
        column = int(heading["column"] or 0)
        below = lines[position + 1 : position + 3]
        caret = _CARET.match(below[1]) if len(below) == 2 and _SOURCE.match(below[0]) else None
        if caret is not None:
            assert len(caret["blank"]) + 1 == column, errors
        width = len(caret["caret"]) if caret else 0
        place = (heading["file"] or "", int(heading["line"] or 0), column)
        found.append(Printed(*place, heading["severity"], heading["message"], heading["code"], width))
    return tuple(found)


def options_in(text: str) -> list[str]:
    """The options a test input asks for in a first line ``// options: ...``."""
    first = text.split("\n", 1)[0]
    return shlex.split(first.partition("options:")[2]) if first.startswith("// options:") else []
