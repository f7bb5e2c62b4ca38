"""README.md says what is so: its commands and options exist, its example is what is printed, its list is complete."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from configparser import RawConfigParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from accache.cli.main import COMMANDS, main

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text()
CALLS = sorted(set(re.findall(rf"\baccache ((?:{'|'.join(COMMANDS)})\b[^`\n#]*)", TEXT)))


def test_every_command_is_shown() -> None:
    assert {call.split()[0] for call in CALLS} == set(COMMANDS)


@pytest.mark.parametrize("call", CALLS)
def test_options_exist(call: str) -> None:
    words = shlex.split(call.split(" -- ")[0])
    options = {word.split("=")[0] for word in words if word.startswith("--")}
    known = CliRunner().invoke(main, [words[0], "--help"]).output
    assert {option for option in options if not re.search(rf"(?<![\w-]){option}(?![\w-])", known)} == set()


def test_options_that_the_text_names_exist() -> None:
    known = "".join(CliRunner().invoke(main, [command, "--help"]).output for command in COMMANDS)
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", TEXT))
    assert len(options) > 15
    assert options - set(re.findall(r"--[a-z][a-z-]*", known)) == set()


def test_the_example_is_what_accache_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of dots stands for some that are left out, dots at the end of a line for its rest."""
    command, shown = re.findall(r"^    \$ accache (.+)\n((?:(?: {4}.*)?\n)+)", TEXT, re.M)[0]
    monkeypatch.chdir(ROOT)
    printed = CliRunner().invoke(main, shlex.split(command)).stdout
    lines = [line[4:] for line in shown.rstrip().split("\n")]
    assert len(lines) > 5
    assert re.match("".join(map(_pattern, lines)), printed)


def _pattern(line: str) -> str:
    if line.strip() == "...":
        return r"(?:.*\n)+?"
    return re.escape(line.removesuffix("...")) + (r".*\n" if line.endswith("...") else r"\n")


def test_every_page_of_the_docs_is_listed() -> None:
    listed = re.findall(r"^- \[(docs/[\w-]+\.md)\]\((?:docs/[\w-]+\.md)\): ", TEXT, re.M)
    assert sorted(listed) == sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))


def test_commands_of_pytest_in_documents_run_tests() -> None:
    texts = [path.read_text() for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))]
    commands = sorted({found for text in texts for found in re.findall(r"`pytest ([^`]+)`", text)})
    assert len(commands) > 5
    for command in commands:
        words = [
            sys.executable,
            "-m",
            "pytest",
            *shlex.split(command),
            "--collect-only",
            "-q",
            "-p",
            "no:cacheprovider",
        ]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, f"pytest {command}: {done.stdout[-200:]}"


def test_every_extra_is_listed() -> None:
    config = RawConfigParser()
    config.read(ROOT / "setup.cfg")
    listed = re.search(r"^Extras, (.*?);$", TEXT, re.M | re.S)
    assert listed is not None
    names = set(re.findall(r"`(\w+)`", listed[1]))
    assert names == set(config["options.extras_require"]) - {"test", "dev"}
