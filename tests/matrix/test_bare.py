"""Generated programs without their cache directives, under ``--auto-cache``: as plain C, with no findings."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from matrix.bare import bare_cases
from matrix.harness import Batch
from matrix.programs import FAMILIES, all_programs
from matrix.selection import default_programs

PARTS = 50

needs_compilers = pytest.mark.skipif(not (shutil.which("g++") and shutil.which("gcc")), reason="needs gcc and g++")


@needs_compilers
def test_a_few_of_each_family(tmp_path: Path) -> None:
    cases = [case for family in FAMILIES for made in default_programs(family)[:2] for case in bare_cases(made)]
    members = Batch(tmp_path, cases, distinct=True)
    assert members.differences(check=True) == []
    assert sum("_tile" in member.device for member in members.members) > len(members.members) // 4


@pytest.mark.matrix
@pytest.mark.parametrize("part", range(PARTS))
def test_every_program(part: int, tmp_path: Path) -> None:
    cases = [case for made in all_programs()[part::PARTS] for case in bare_cases(made)]
    assert Batch(tmp_path, cases, distinct=True).differences(check=True) == []
