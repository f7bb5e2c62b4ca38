"""Bugs planted in the translator are what they say, and the first are noticed; ``make mutate-translator`` tries all."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from translator_mutants.hook import planted
from translator_mutants.mutant import ROOT, Mutant
from translator_mutants.mutants import MUTANTS

FIRST = 2
"""How many are tried in every run of the tests: each takes a second of CPU or more."""


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.module}-{mutant.number}")
def test_a_bug_changes_one_place_and_names_a_test(mutant: Mutant) -> None:
    text = planted(mutant.path.read_text(), mutant.before, mutant.after)
    if not mutant.is_cpp:
        compile(text, mutant.path, "exec", dont_inherit=True)
    if mutant.equivalent:
        return
    file, _, name = mutant.test.partition("::")
    function, _, case = name.rstrip("]").partition("[")
    assert f"def {function}(" in (ROOT / file).read_text()
    known = re.compile(rf'"{re.escape(case)}": (_case)?\(')
    room = next(folder for folder in (ROOT / file).parents if folder.name != "behaviour")
    assert not case or any(known.search(path.read_text()) for path in room.rglob("*.py"))


def test_a_text_that_is_gone_or_stands_twice_is_an_error() -> None:
    for text in ("a = 2", "a = 1; a = 1"):
        with pytest.raises(AssertionError, match="times in the text"):
            planted(text, "a = 1", "a = 3")
    assert planted("b = a = 1", "a = 1", "a = 3") == "b = a = 3"


def test_there_are_enough_of_them() -> None:
    assert len(MUTANTS) == len({(mutant.module, mutant.before, mutant.after) for mutant in MUTANTS}) >= 100
    floors = {mutant.module.partition("/")[0] for mutant in MUTANTS}
    assert floors >= {"analysis", "caching", "lowering", "emit", "cpu", "l1"}


def try_some(*options: str) -> subprocess.CompletedProcess[str]:
    """The script that tries bugs."""
    command = [sys.executable, Path(__file__).with_name("run.py"), *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs a C compiler")
def test_the_first_ones_are_noticed() -> None:
    done = try_some("--first", str(FIRST), "--jobs", "1")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_bug_that_no_test_notices_is_told() -> None:
    test = "tests/cpu/test_launches.py::test_tokens_cover_the_text"
    done = try_some("--bug", "cpu/tokens", "Tokens of C++ text,", "Tokens of a text,", test)
    assert done.returncode == 1
    assert "survives: cpu/tokens" in done.stdout
    assert "1 bugs: 0 noticed, 0 change nothing, 1 not noticed" in done.stdout
