"""Random kernels with and without copies, of ``make preload``: one program of it, and what makes it fail."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import random_copies
from random_copies import FOUND_NOTHING, KERNELS, Outcome, compare, main, wrong

CHECKED = FOUND_NOTHING + "26 kernels: nothing was found"


def run(output: str, errors: str, status: int) -> subprocess.CompletedProcess[str]:
    return subprocess.CompletedProcess((), status, output, errors)


def test_one_program_leaves_the_same_memory(tmp_path: Path) -> None:
    found = compare(3, tmp_path)
    assert not found.wrong
    assert found.copies > KERNELS // 2


@pytest.mark.parametrize(
    ("line", "told", "reason"),
    [
        (0, ["k0_ 0"], ""),
        (3, ["k3_ 8"], "k3_ 8"),
        (-1, ["19 launches with copies"], "19 launches with copies"),
        (3, [], "lines are missing"),
    ],
)
def test_both_versions_of_each_kernel_have_to_agree(line: int, told: list[str], reason: str) -> None:
    lines = [*(f"k{number}_ 0" for number in range(KERNELS)), "20 launches with copies"]
    lines[line : line + 1 or None] = told
    assert wrong(run("\n".join(lines), CHECKED, 0), 20) == reason


@pytest.mark.parametrize(
    ("told", "status"),
    [("accache: --check, 49 launches of 26 kernels: nothing was found", 0), ("race", 3), (CHECKED, 1)],
)
def test_all_launches_have_to_pass_the_checker(told: str, status: int) -> None:
    assert wrong(run("", told, status), 20) == f"status {status}: {told}"


def test_it_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = tmp_path / "notes.jsonl"
    notes.write_text(json.dumps({"seed": 1, "copies": 20, "wrong": "k3_ 8"}) + "\n")
    tried = []

    def compared(seed: int, _: Path) -> Outcome:
        tried.append(seed)
        return Outcome(seed, 18, "")

    monkeypatch.setattr(random_copies, "compare", compared)
    monkeypatch.setattr(sys, "argv", ["", "--kernels", str(3 * KERNELS), "--seed", "1", "--folder", str(tmp_path)])
    assert main() == 1
    assert tried == [2, 3]
    assert capsys.readouterr().out == "seed 1: k3_ 8\n75 kernels, 56 with copies, 1 programs that differ\n"
    assert len(notes.read_text().splitlines()) == 3
