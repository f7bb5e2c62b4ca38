"""docs/ agrees with the program: an entry for every code, examples that are tested, output that is printed."""

from __future__ import annotations

import configparser
import re
import shlex
from pathlib import Path

import pytest
from test_codes import CODES, ELSEWHERE
from trial import accache

from accache.base.messages import MESSAGES

ROOT = Path(__file__).parents[2]
DIAGNOSTICS = (ROOT / "docs" / "diagnostics.md").read_text()
_ENTRY = re.compile(r"^### (ACC\d{3})\n\n`([^\n]*)`\n\n(.*?)(?=^##|\Z)", re.M | re.S)
ENTRIES = {found[1]: found for found in _ENTRY.finditer(DIAGNOSTICS)}


def test_every_code_has_an_entry_and_every_entry_a_code() -> None:
    headings = re.findall(r"^### (\w+)$", DIAGNOSTICS, re.M)
    lacking = {code: f"### {code}\n\n{quoted(code)}\n\n" for code in MESSAGES if code not in ENTRIES}
    assert not lacking, f"docs/diagnostics.md lacks entries that begin so: {lacking}"
    assert headings == sorted(MESSAGES), "the entries of docs/diagnostics.md are sorted, and each has a code"


def quoted(code: str) -> str:
    """The line in which an entry quotes its message."""
    return f"`{MESSAGES[code].severity}: {MESSAGES[code].text}`"


@pytest.mark.parametrize("code", MESSAGES)
def test_an_entry_quotes_its_message_and_a_tested_example(code: str) -> None:
    entry = ENTRIES[code]
    assert f"`{entry[2]}`" == quoted(code)
    examples = re.findall(r"^```c\n(.*?)^```", entry[3], re.M | re.S)
    assert len(examples) == (code not in ELSEWHERE), "an example between ```c and ```, part of a file in codes/"
    for example in examples:
        wanted = [line.strip() for line in example.splitlines()]
        inputs = [path.read_text().splitlines() for path in CODES.glob(f"{code}*.c")]
        assert any(in_order(wanted, [line.strip() for line in lines]) for lines in inputs), example


LEARNERS = (ROOT / "docs" / "cache-directive.md").read_text()
PROGRAMS = re.findall(r"^```c\n(/\* (\S+) \*/\n.*?)^```", LEARNERS, re.M | re.S)
SESSIONS = re.findall(r"^```console\n\$ accache ([^\n]*)\n(.*?)^```", LEARNERS, re.M | re.S)


@pytest.mark.parametrize(("command", "expected"), SESSIONS, ids=[command for command, _ in SESSIONS])
def test_the_output_shown_to_learners_is_printed(
    command: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text, name in PROGRAMS:
        (tmp_path / name).write_text(text)
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    monkeypatch.chdir(tmp_path)
    trial = accache(*shlex.split(command))
    printed = trial.errors + trial.output.decode()
    position = 0
    for part in expected.split("..."):
        position = printed.find(part.strip("\n"), position)
        assert position >= 0, f"not printed: {part}\nbut:\n{printed}"


def test_every_program_and_every_session_for_learners_is_used() -> None:
    assert len(PROGRAMS) == LEARNERS.count("```c\n")
    assert len(SESSIONS) == LEARNERS.count("```console\n")
    for _, name in PROGRAMS:
        assert any(name in command for command, _ in SESSIONS), name


def test_every_dependency_is_listed_with_its_version() -> None:
    setup = configparser.ConfigParser(interpolation=None)
    setup.read(ROOT / "setup.cfg")
    wanted = setup["options"]["install_requires"].split("\n")
    wanted += [line for extra in setup["options.extras_require"].values() for line in extra.split("\n")]
    plain = (re.split("[;,]", line)[0] for line in wanted if line and "%" not in line)
    needed = {tuple(line.split(" >= ")) if ">=" in line else (line, "any") for line in plain}
    text = (ROOT / "docs" / "dependencies.md").read_text()
    listed = {tuple(found) for found in re.findall(r"^\| ([\w-]+) \| (any|\d[\d.]*) \|", text, re.M)}
    python = ("Python", setup["options"]["python_requires"].removeprefix(">="))
    assert python in listed
    assert listed - {python} == needed


def in_order(wanted: list[str], lines: list[str]) -> bool:
    """Whether all wanted lines are there, in their order."""
    rest = iter(lines)
    return all(line in rest for line in wanted)
