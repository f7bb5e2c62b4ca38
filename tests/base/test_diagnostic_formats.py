"""Diagnostics as text, JSON and SARIF."""

from __future__ import annotations

import json
import os
import re
import runpy
from pathlib import Path

from accache.base.diagnostic_formats import as_json, as_sarif, as_text, render, source_line
from accache.base.diagnostics import Diagnostic, Severity
from accache.base.messages import MESSAGES
from accache.base.resources import templates
from accache.base.rule_names import RULE_NAMES
from accache.base.text import Location

ROOT = Path(__file__).parents[2]
WARNING = Diagnostic("ACC401", Severity.WARNING, "not cached", Location("my dir/a.c", 3, 9), 5, "use a constant")
ERROR = Diagnostic("ACC201", Severity.ERROR, "unknown", Location("/nowhere/b.c", 2))
NOTE = Diagnostic("ACC601", Severity.NOTE, "no nvcc")
ALL = (WARNING, ERROR, NOTE)


def test_text_shows_the_line(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_bytes(b"int \xff;\r\nint b;\n")
    name = str(tmp_path / "a.c")
    assert source_line(Location(name, 2), {}) == "int b;"
    found = Diagnostic("ACC104", Severity.ERROR, "bad", Location(name, 2, 5))
    assert as_text((found,)) == f"{name}:2:5: error: bad [ACC104]\n    2 | int b;\n      |     ^\n"


def test_text_does_without_a_line_it_cannot_read() -> None:
    assert as_text((ERROR, NOTE)) == "/nowhere/b.c:2: error: unknown [ACC201]\nnote: no nvcc [ACC601]\n"


def test_a_pipe_is_not_read_again(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert source_line(Location(str(tmp_path / "pipe"), 1), {}) == ""


def test_quiet_keeps_errors() -> None:
    assert render(ALL, "text", quiet=True).count("\n") == 1
    assert render((), "text") == ""


def test_json_has_one_object_a_diagnostic() -> None:
    first, second, third = json.loads(as_json(ALL))
    assert first == {
        "code": "ACC401",
        "severity": "warning",
        "message": "not cached",
        "hint": "use a constant",
        "file": "my dir/a.c",
        "line": 3,
        "column": 9,
        "length": 5,
        "fixes": [],
    }
    assert (second["column"], second["hint"]) == (None, None)
    assert (third["file"], third["line"], third["column"]) == (None, None, None)


def test_sarif_has_what_2_1_0_requires() -> None:
    log = json.loads(as_sarif((*ALL, WARNING)))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert run["tool"]["driver"]["name"] == "accache"
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == ["ACC201", "ACC401", "ACC601"]
    assert [rules[result["ruleIndex"]] for result in run["results"]] == ["ACC401", "ACC201", "ACC601", "ACC401"]
    assert [result["level"] for result in run["results"]] == ["warning", "error", "note", "warning"]


def test_rules_have_names_of_their_own() -> None:
    assert RULE_NAMES.keys() == MESSAGES.keys()
    assert len(set(RULE_NAMES.values())) == len(RULE_NAMES)
    assert [name for name in RULE_NAMES.values() if not re.fullmatch(r"([A-Z][a-z0-9]*){1,8}", name)] == []
    (run,) = json.loads(as_sarif(ALL))["runs"]
    assert [rule["name"] for rule in run["tool"]["driver"]["rules"]] == [
        "UnknownDirective",
        "ReadonlyCacheWritten",
        "ToolNotInstalled",
    ]


def test_sarif_places() -> None:
    warning, error, note = json.loads(as_sarif(ALL))["runs"][0]["results"]
    place = warning["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "my%20dir/a.c"
    assert place["region"] == {"startLine": 3, "startColumn": 9, "endColumn": 14}
    assert warning["message"]["text"] == "not cached (hint: use a constant)"
    place = error["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "file:///nowhere/b.c"}, "region": {"startLine": 2}}
    assert "locations" not in note


def test_no_diagnostics_is_a_document_too() -> None:
    assert json.loads(as_json(())) == []
    assert json.loads(as_sarif(()))["runs"][0]["results"] == []


def test_the_help_of_a_rule_is_what_the_documents_say_first() -> None:
    document = ROOT / "docs" / "diagnostics.md"
    scope = runpy.run_path(str(ROOT / "docs" / "explanations.py"))
    kept = json.loads((templates() / "diagnostics.json").read_text(encoding="utf-8"))
    assert kept == scope["explanations"](document.read_text(encoding="utf-8")), "run: python docs/explanations.py"
    assert kept.keys() == MESSAGES.keys()
    (driver,) = (run["tool"]["driver"] for run in json.loads(as_sarif(ALL))["runs"])
    helps = {rule["id"]: rule["help"]["text"] for rule in driver["rules"]}
    assert helps["ACC401"] == "Take 'readonly:' out. readonly: is a promise that the region does not write the array."
