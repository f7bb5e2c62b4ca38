"""Listing 6 of paper 004 lacks a barrier as printed: the checked run finds that, and nothing in the mended one."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from commands import accache

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from banks import PROGRAM, as_printed  # the folder is on the path only now

RACE = 3
"""The exit status of ``accache run --check`` where it finds something."""


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize(("is_printed", "status"), [(True, RACE), (False, 0)], ids=["as printed", "mended"])
def test_the_missing_barrier_of_listing_6_is_found(is_printed: bool, status: int, tmp_path: Path) -> None:
    path = tmp_path / "listing_6.cu"
    program = as_printed(PROGRAM.read_text()) if is_printed else PROGRAM.read_text()
    path.write_text(program)
    done = accache("run", "--check", "--target", "cpu", path)
    assert done.returncode == status, done.stderr
    line = next(number for number, text in enumerate(program.splitlines(), 1) if "T sum = " in text)
    assert (f"listing_6.cu:{line}: error: race in kernel relax" in done.stderr) == bool(status)
