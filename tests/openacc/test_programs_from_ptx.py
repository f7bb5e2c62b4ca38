"""All launches of the programs, executed again from what nvcc makes of them, leave the memory that they should."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import accache

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))


@pytest.mark.ptx
@pytest.mark.skipif(not (shutil.which("g++") and shutil.which("nvcc")), reason="needs g++ and nvcc")
@pytest.mark.parametrize("tune", ["model", "off"])
@pytest.mark.parametrize("program", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_launches_agree(program: Path, tune: str) -> None:
    done = accache("run", "--ptx", "--tune", tune, program)
    assert done.returncode == 0, done.stderr
