"""Every generated program with every combination of options that can matter to it; each distinct emission runs once."""

from __future__ import annotations

from pathlib import Path

import pytest

from matrix.harness import Batch, Case, choices
from matrix.programs import all_programs
from matrix.selection import batch, one_choice_each

PARTS = 100
CHECKED_PARTS = 120

pytestmark = pytest.mark.matrix


@pytest.mark.parametrize("part", range(PARTS))
def test_every_choice_of_options(part: int, tmp_path: Path) -> None:
    wrong: list[str] = []
    for program in all_programs()[part::PARTS]:
        cases = [Case(program, options) for options in choices(program)]
        wrong += Batch(tmp_path / program.name, cases, distinct=True).differences()
    assert wrong == []


@pytest.mark.parametrize("part", range(CHECKED_PARTS))
def test_the_checker_finds_nothing(part: int, tmp_path: Path) -> None:
    assert Batch(tmp_path, batch(one_choice_each(), part, CHECKED_PARTS), check=True).differences() == []
