"""Random programs are legal, cover everything, are as the sequential ones, and shrink when they fail."""

from __future__ import annotations

import dataclasses
import shutil
from collections import Counter
from pathlib import Path

import pytest
from matrix.builder import Program
from matrix.harness import Batch, Case
from msgspec.structs import replace

from fuzz.campaign import PRINTED, Against, Unit, run_unit, wrong_of
from fuzz.choices import Choices
from fuzz.grammar import program
from fuzz.minimise import smaller

MANY = 400
CELLS = {
    "cached": {"pointer", "read", "written"},
    "control": {
        "continue",
        "divergent",
        "edges",
        "divergent region",
        "early",
        "loop",
        "moved",
        "of a worker",
        "uniform",
        "uniform region",
        "while",
        "window",
    },
    "data": {"copies", "create and update", "data region", "enter data"},
    "dimensions": {"1", "2", "3"},
    "first": {"0 or more", "below zero"},
    "index": {"int", "long", "size_t", "unsigned"},
    "local": {"array", "counter", "member", "pointer", "scalar"},
    "rate": {"negative", "positive", "zero"},
    "references": {"in range", "outside"},
    "sharing": {"gap", "overlap", "touching"},
    "step": {"down", "up"},
    "stride": {"1", "more"},
    "shape": {"calm nest", "counts", "gang, vector", "gang, worker, vector", "kernels", "wild nest", "worker loop"},
    "write": {
        "=",
        "atomic",
        "between loops",
        "compound",
        "conditional",
        "loop",
        "none",
        "own",
        "pointer",
        "reduction",
        "scalar",
        "step",
        "unnamed reduction",
        "vector loop",
    },
}


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
@pytest.mark.parametrize("against", [PRINTED, Against(compare=True)])
def test_a_few_random_programs(against: Against, tmp_path: Path) -> None:
    cases = Unit(7, 0).cases()[:8]
    assert wrong_of(cases, tmp_path, against) == []


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_values_are_held_against_the_sequential_program(tmp_path: Path) -> None:
    """Its seed is another one here, so that its values are others, and the plain program's are not."""
    batch = Batch(tmp_path, Unit(7, 0).cases()[:1], comparing=True)
    (member,) = batch.members
    assert member.sequential is not None
    other = replace(member.sequential, host=member.sequential.host.replace("7919u", "7907u"))
    batch.members = [dataclasses.replace(member, sequential=other)]
    found = batch.differences(check=True)
    assert found
    assert all("in the sequential program" in text for text in found), found


def test_every_cell_of_the_table_is_met_often() -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for number in range(MANY):
        counts.update(program("p", Choices(number)).features)
    for kind, values in CELLS.items():
        assert {value for name, value in counts if name == kind} == values
        assert all(counts[kind, value] >= MANY // 100 for value in values), kind


def test_the_same_decisions_make_the_same_program() -> None:
    made = Choices(11)
    first = program("p", made)
    assert program("p", Choices(noted=made.made)) == first
    assert program("p", Choices(11)) == first
    assert program("p", Choices(12)) != first


def test_a_failing_program_gets_small() -> None:
    def fails(candidate: Program) -> bool:
        return "cache(" in candidate.text and ">>" in candidate.text

    made = Choices(next(seed for seed in range(100) if fails(program("p", Choices(seed)))))
    original = program("p", made)
    small = smaller("p", made.made, fails)
    assert fails(small)
    assert small.text.count("#pragma acc cache") == 1
    assert small.text.count("\n") < original.text.count("\n")


def test_a_mismatch_is_noted_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(cases: list[Case], folder: Path, against: Against) -> list[str]:
        return [f"{case}: printed nonsense" for case in cases if "w[" in case.program.text]

    monkeypatch.setattr("fuzz.campaign.wrong_of", wrong)
    note = run_unit(Unit(1, 0), tmp_path)
    assert note["wrong"]
    found, small = sorted(tmp_path.glob("1.0-*-found.c"))[0], sorted(tmp_path.glob("1.0-*-small.c"))[0]
    assert len(small.read_text()) < len(found.read_text())


def test_a_traceback_is_noted_of_its_case_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ended the campaign, and with it the notes of all units behind it."""

    class Failing:
        def __init__(self, folder: Path, cases: list[Case], *, comparing: bool) -> None:
            if any("w[" in case.program.text for case in cases):
                raise KeyError("&")

        def differences(self, *, check: bool) -> list[str]:
            return []

    monkeypatch.setattr("fuzz.campaign.Batch", Failing)
    cases = Unit(1, 0).cases()
    failing = [case for case in cases if "w[" in case.program.text]
    assert 0 < len(failing) < len(cases)
    assert wrong_of(cases, tmp_path) == [f"{case}: KeyError: '&'" for case in failing]


def test_a_traceback_of_several_cases_together_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing:
        def __init__(self, folder: Path, cases: list[Case], *, comparing: bool) -> None:
            self.cases = cases

        def differences(self, *, check: bool) -> list[str]:
            if len(self.cases) > 1:
                raise ValueError("two of a name")
            return []

    monkeypatch.setattr("fuzz.campaign.Batch", Failing)
    cases = Unit(1, 0).cases()[:3]
    assert wrong_of(cases, tmp_path) == [f"{cases[0]}: ValueError: two of a name (3 cases together)"]
