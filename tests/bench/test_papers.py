"""bench/papers.py makes figures: those that take no compiler here, and one with nvcc, by the command."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from figures.kept import kept, the  # the folder is on the path only now

BENCH = Path(__file__).parents[2] / "bench" / "papers.py"
STRIDES = {"2^12": [50, 50, 50, 50, 50, 100], "2^15": [50, 50, 50, 50, 100, 100], "2^20": [50, 100, 100, 100, 100, 100]}
"""Rows of 002's Figure 7 by its hash: the bits of 2^12 to 2^18 that it takes are 13, 14, 15 and 17, of 2^20 none."""


def made(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCH), "--quick", "--out", str(folder), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_figures_are_written_in_three_forms_beside_what_the_paper_has(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    done = made(tmp_path, "--only", "002-figure-7", "--only", "004-table-2")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{name}.{kind}" for name in ("002-figure-7", "004-table-2") for kind in ("csv", "json", "png")
    ]
    record = json.loads((tmp_path / "002-figure-7.json").read_text())
    assert record["command"] == "python bench/papers.py --only 002-figure-7"
    rates: dict[str, list[int]] = {}
    for stride, _, rate, _ in record["rows"]:
        rates.setdefault(stride, []).append(rate)
    assert {stride: rates[stride] for stride in STRIDES} == STRIDES
    with (tmp_path / "004-table-2.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    gemm = {
        row["language"]: (row["statements"], row["the paper's programs"]) for row in rows if row["sample"] == "gemm"
    }
    assert gemm == {"OpenACC": ("10", "84"), "OpenACC + cache": ("11", "94"), "CUDA": ("28", "116")}
    assert (tmp_path / "002-figure-7.png").read_bytes().startswith(b"\x89PNG")
    assert "| 2^20 | 128 | 100 | 0 |" in done.stdout


def test_a_figure_that_there_is_not_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    done = made(tmp_path, "--only", "002-figure-99")
    assert done.returncode == 2
    assert "no figure is called 002-figure-99; there are 000-figure-2, " in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.nvcc
@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
def test_all_figures_can_be_made(tmp_path: Path) -> None:
    """The forms of gemm: tiles of 16 make 1/16 of the loads, by hand as by rbi; rbc asks more of threads than rbi.

    The smallest sizes are those of the numbers that are kept: these are still what the translator's kernels ask for.
    """
    pytest.importorskip("matplotlib")
    done = made(tmp_path)
    assert done.returncode == 0, done.stderr
    names = {path.stem for path in tmp_path.glob("*.json")}
    assert {name.partition("-")[0] for name in names} == {"000", "001", "002", "003", "004"}
    assert all(json.loads(path.read_text())["rows"] for path in tmp_path.glob("*.json"))
    for name in ("004-figure-3", "004-figure-4", "004-figure-5", "004-stencil"):
        made_now = json.loads((tmp_path / f"{name}.json").read_text())
        for row in (dict(zip(made_now["columns"], row, strict=True)) for row in made_now["rows"]):
            known = the(kept().rows[name], size=row["size"], form=row["form"])
            stale = f"{name} has moved: python bench/papers.py --keep, and see tests/bench/test_evaluation_document.py"
            assert row["loads"] == known["loads"], stale
            assert row["instructions"] == pytest.approx(known["instructions"], rel=0.05), stale
    record = json.loads((tmp_path / "004-figure-3.json").read_text())
    rows = {row[1]: dict(zip(record["columns"], row, strict=True)) for row in record["rows"]}
    assert rows["none"]["loads"] == 16 * rows["rbi"]["loads"] == 16 * rows["cuda"]["loads"]
    assert rows["none"]["instructions"] < rows["rbi"]["instructions"] < rows["rbc"]["instructions"]
    assert rows["rbc"]["instructions"] < rows["ehc"]["instructions"]
