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
def test_lines_of_written_arrays_write_whole_sectors_beside_shorter_lines() -> None:
    options = ["--streams", "1", "--bytes", "8", "--threads", "256"]
    done = subprocess.run([sys.executable, BENCH, *options], capture_output=True, text=True, check=True)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()]
    found = {row[0]: [float(cell) for cell in row[1:3]] for row in rows if row[0].startswith("16-byte lines")}
    loads, stores = found["16-byte lines, of written arrays 32"]
    assert loads <= 2.1
    assert stores <= 1.1 < found["16-byte lines"][1]


@pytest.mark.private
@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
@pytest.mark.parametrize("probed", [(), ("--probed",)])
def test_no_access_of_lines_takes_more_than_one_turn(probed: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, BENCH, "--costs", *probed], capture_output=True, text=True, check=True)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[2:]]
    assert [row[3] for row in rows] == ["", *["1.00"] * 7]
    assert [row[5] for row in rows] == ["0"] * 8
    assert (float(rows[1][1].split()[0]) > 80) == bool(probed)  # instructions a record, of lines of 16 bytes
