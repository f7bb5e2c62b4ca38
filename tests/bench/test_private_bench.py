"""bench/private.py counts what lines move: as little as L1 where that is large enough, and less where it is not."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench" / "private.py"


@pytest.mark.private
@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
def test_streams_that_pass_l1_move_less_by_lines() -> None:
    options = ["--streams", "2", "--bytes", "1", "--threads", "256,2048", "--no-sample"]
    done = subprocess.run([sys.executable, BENCH, *options], capture_output=True, text=True, check=True)
    cells = [cell.strip() for cell in done.stdout.splitlines()[2].split("|")[3:5]]
    few, many = ([float(part) for part in cell.split("/")] for cell in cells)
    assert few == [1, 1, 1]
    assert many[0] > 10
    assert max(many[1:]) < 3
