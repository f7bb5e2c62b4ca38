"""Colours of messages: when there are any, what they paint, and that nothing else changes."""

from __future__ import annotations

import io
import re

import pytest

from accache.base.colours import are_wanted
from accache.base.diagnostic_formats import render
from accache.base.diagnostics import Diagnostic, Severity
from accache.base.text import Location, SourceFile

SOURCE = SourceFile("a.c", "int a;\n\tb | c;\n")
TOLD = (
    Diagnostic("ACC401", Severity.WARNING, "not cached | at all", Location("a.c", 2, 4), 3, "use | this"),
    Diagnostic("ACC811", Severity.ERROR, "nowhere"),
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "wanted"),
    [
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (Terminal(), {}, False),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": ""}, True),
        (io.StringIO(), {"TERM": "xterm"}, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True),
        (io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_when_there_are_colours(
    stream: io.StringIO, environment: dict[str, str], wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TERM", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert are_wanted(stream) is wanted


def test_the_place_the_severity_and_the_caret_are_painted() -> None:
    text = render(TOLD, "text", False, (SOURCE,), has_colours=True)
    assert re.findall("\x1b\\[[\\d;]+m(.*?)\x1b\\[0m", text) == ["a.c:2:4:", "warning:", "^~~", "error:"]
    assert re.sub("\x1b\\[[\\d;]*m", "", text) == render(TOLD, "text", False, (SOURCE,))


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_programs_read_no_colours(form: str) -> None:
    assert render(TOLD, form, False, (SOURCE,), has_colours=True) == render(TOLD, form)
