"""Generated programs without their cache directives, under ``--auto-cache``: as plain C, with no findings."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec.structs import replace

from accache.workflows.suggest.directives import applied
from matrix.bare import OPTIONS, bare, bare_cases, kernels
from matrix.builder import Program
from matrix.harness import Batch, label
from matrix.programs import FAMILIES, all_programs
from matrix.selection import default_programs

PARTS = 50

needs_compilers = pytest.mark.skipif(not (shutil.which("g++") and shutil.which("gcc")), reason="needs gcc and g++")


@needs_compilers
def test_a_few_of_each_family(tmp_path: Path) -> None:
    cases = [case for family in FAMILIES for made in default_programs(family)[:1] for case in bare_cases(made)]
    members = Batch(tmp_path, cases, distinct=True)
    assert members.differences(check=True) == []
    assert sum("_tile" in member.device for member in members.members) > len(members.members) // 4


def wrong_texts(programs: Iterable[Program], folder: Path) -> list[str]:
    """The programs whose kernels differ if their directives are written, or that get other ones the second time."""
    wrong = []
    path, written = folder / "bare.c", folder / "written.c"
    for program in map(bare, programs):
        path.write_text(program.text)
        for options in OPTIONS[:2]:
            text = applied(str(path), options).text
            written.write_text(text)
            as_written = kernels(str(written), replace(options, auto_cache=False))
            if kernels(str(path), options) != as_written or applied(str(written), options).text != text:
                wrong.append(f"{program.name} ({label(options)})")
    return wrong


def test_written_directives_are_those_that_auto_cache_decides(tmp_path: Path) -> None:
    assert wrong_texts((default_programs(family)[0] for family in FAMILIES[::2]), tmp_path) == []


@pytest.mark.matrix
@pytest.mark.parametrize("part", range(PARTS))
def test_written_directives_of_many_programs(part: int, tmp_path: Path) -> None:
    assert wrong_texts(all_programs()[part :: 4 * PARTS], tmp_path) == []


@pytest.mark.matrix
@pytest.mark.parametrize("part", range(PARTS))
def test_every_program(part: int, tmp_path: Path) -> None:
    cases = [case for made in all_programs()[part::PARTS] for case in bare_cases(made)]
    assert Batch(tmp_path, cases, distinct=True).differences(check=True) == []
