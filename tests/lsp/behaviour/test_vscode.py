"""The extension for VS Code: what it starts, and that its problem matcher reads our messages."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from families import some

from accache import __version__
from accache.cli.main import main

ROOT = Path(__file__).parents[3]
EXTENSION = ROOT / "editors" / "vscode"
PACKAGE = json.loads((EXTENSION / "package.json").read_text())
VSCODE = """
exports.workspace = {
  getConfiguration: () => ({ get: (name) => ({ command: "accache", arguments: ["-DN=4"] })[name] }),
  onDidChangeConfiguration: (changed) => { exports.changed = changed; return {}; },
};
exports.commands = { registerCommand: () => ({}) };
exports.window = { showErrorMessage: (text) => exports.told.push(text) };
exports.told = [];
"""
CLIENT = """
exports.made = [];
exports.LanguageClient = class {
  constructor(id, name, server, options) { exports.made.push([server, options]); }
  async start() { if (exports.fails) throw new Error("not there"); }
  async stop() { exports.stopped = true; }
};
"""
RUN = """
const client = require("vscode-languageclient/node"), vscode = require("vscode"), extension = require(process.argv[1]);
const context = { subscriptions: [] };
(async () => {
  await extension.activate(context);
  client.fails = true;
  await vscode.changed({ affectsConfiguration: (name) => name === "accache" });
  await extension.deactivate();
  const { made, stopped } = client;
  console.log(JSON.stringify({ made, stopped, told: vscode.told, kept: context.subscriptions.length }));
})();
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_extension_starts_the_server_anew_when_settings_change(tmp_path: Path) -> None:
    for name, text in (("vscode/index.js", VSCODE), ("vscode-languageclient/node.js", CLIENT)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    command = ["node", "-e", RUN, str(EXTENSION / "extension.js")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "NODE_PATH": str(tmp_path)}
    )
    found = json.loads(done.stdout)
    server = {"command": "accache", "args": ["lsp", "-DN=4"]}
    assert found["made"] == [[server, {"documentSelector": [{"scheme": "file", "language": "c"}]}]] * 2
    assert found["stopped"]
    assert found["told"] == ["accache lsp does not start (pip install '.[lsp]' in a checkout of accache): not there"]
    assert found["kept"] == 2


def test_it_has_the_version_of_the_package() -> None:
    assert PACKAGE["version"] == __version__


def test_its_problem_matcher_reads_findings_which_have_no_column() -> None:
    pattern = PACKAGE["contributes"]["problemMatchers"][0]["pattern"]
    found = re.search(
        pattern["regexp"], "race.c:11: error: race in kernel k: read at race.c:11 by ... (127 times) [ACC701]"
    )
    assert found is not None
    parts = [found[pattern[part]] for part in ("file", "line", "column", "severity", "code")]
    assert parts == ["race.c", "11", None, "error", "ACC701"]


def test_its_problem_matcher_reads_our_messages(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("void f(int n, float *a)\n{\n#pragma acc paralel loop\n    for (int i = 0; i < n; i++)\n;\n}\n")
    told = CliRunner().invoke(main, ["translate", "-o", os.devnull, str(source)]).output
    pattern = PACKAGE["contributes"]["problemMatchers"][0]["pattern"]
    found = next(filter(None, (re.search(pattern["regexp"], line) for line in told.splitlines())))
    assert found[pattern["file"]] == str(source)
    assert found[pattern["line"]] == "3"
    assert found[pattern["code"]].startswith("ACC")
    assert json.dumps(pattern["regexp"]) in (ROOT / "docs" / "editors.md").read_text()


CODES = sorted((ROOT / "tests" / "bad_input" / "codes").glob("*.c"))
MATCHER = PACKAGE["contributes"]["problemMatchers"][0]["pattern"]
ESCAPE = re.compile(r"\x1b\[[\d;]*m")


def matched(text: str) -> list[tuple[str, int, int | None, str, str, str]]:
    """What the problem matcher makes of a terminal's text, of which VS Code drops the colours."""
    found = (re.search(MATCHER["regexp"], ESCAPE.sub("", line)) for line in text.splitlines())
    parts = ("file", "line", "column", "severity", "code", "message")
    rows = [[each[MATCHER[part]] for part in parts] for each in found if each is not None]
    return [(row[0], int(row[1]), int(row[2]) if row[2] else None, *row[3:]) for row in rows]


def told_as(form: str, path: Path, **environment: str) -> str:
    words = ["translate", "--diagnostics", form, "-o", os.devnull, str(path)]
    return CliRunner().invoke(main, words, env=environment).output


@pytest.mark.parametrize("path", some(CODES, 12), ids=lambda path: path.stem)
def test_its_problem_matcher_reads_each_message_that_has_a_place(path: Path) -> None:
    records = [each for each in json.loads(told_as("json", path)) if each["file"] is not None]
    expected = [
        (each["file"], each["line"], each["column"] or None, each["severity"], each["code"], each["message"])
        for each in records
    ]
    assert expected
    assert matched(told_as("text", path)) == expected


def test_its_problem_matcher_reads_colours_and_odd_names(tmp_path: Path) -> None:
    path = tmp_path / "of 3: it's a.c"
    path.write_text("void f(int n, float *a)\n{\n#pragma acc paralel loop\n    for (int i = 0; i < n; i++)\n;\n}\n")
    text = told_as("text", path, FORCE_COLOR="1")
    assert "\x1b[" in text
    assert matched(text) == [(str(path), 3, 13, "error", "ACC201", "unknown directive 'acc paralel'")]


def test_its_problem_matcher_reads_what_a_checked_run_finds(tmp_path: Path) -> None:
    path = tmp_path / "race.c"
    path.write_text(
        "int main(void)\n{\n    static float a[64];\n#pragma acc parallel loop copy(a)\n"
        "    for (int i = 0; i < 63; i++)\n        a[i + 1] = a[i] + 1;\n}\n"
    )
    found = matched(CliRunner().invoke(main, ["run", "--check", "-q", str(path)]).output)
    assert {row[:5] for row in found} == {(str(path), 6, None, "error", "ACC701")}
