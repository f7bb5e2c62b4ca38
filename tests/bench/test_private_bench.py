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
def test_lines_move_less_where_auto_takes_them_and_only_there() -> None:
    options = ["--streams", "2,4", "--bytes", "1", "--threads", "256,2048", "--no-sample"]
    done = subprocess.run([sys.executable, BENCH, *options], capture_output=True, text=True, check=True)
    rows = [[cell.strip() for cell in line.split("|")[3:5]] for line in done.stdout.splitlines()[2:]]
    for arrays, row in zip((2, 4), rows, strict=True):
        for cell in row:
            alone, narrow, wide = (float(part) for part in cell.rstrip(" *").split("/"))
            taken = wide if arrays <= 3 else narrow
            assert (taken < alone) == cell.endswith("*"), cell
    assert rows[0][0] == "1.0 / 1.0 / 1.0"
    assert rows[0][1].endswith("/ 1.0 *")


@pytest.mark.private
@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
def test_no_access_of_lines_takes_more_than_one_turn() -> None:
    done = subprocess.run([sys.executable, BENCH, "--costs"], capture_output=True, text=True, check=True)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[2:]]
    assert [row[3] for row in rows] == ["", *["1.00"] * 6]
    assert [row[5] for row in rows] == ["0"] * 7
