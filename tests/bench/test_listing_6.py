"""Listing 6 of paper 004 lacks a barrier as printed: the checked run finds that, and nothing in the mended one."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from commands import accache

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from banks import AS_PRINTED, PROGRAM, settings, with_launches  # the folder is on the path only now

RACE = 3
"""The exit status of ``accache run --check`` where it finds something."""


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize(("program", "status"), [(AS_PRINTED, RACE), (PROGRAM, 0)], ids=["as printed", "mended"])
def test_the_missing_barrier_of_listing_6_is_found(program: str, status: int, tmp_path: Path) -> None:
    path = tmp_path / "listing_6.cu"
    path.write_text(with_launches(program, settings()[:1]))
    done = accache("run", "--check", "--target", "cpu", path)
    assert done.returncode == status, done.stderr
    line = next(number for number, text in enumerate(program.splitlines(), 1) if "T sum = " in text)
    assert (f"listing_6.cu:{line}: error: race in kernel relax" in done.stderr) == bool(status)
