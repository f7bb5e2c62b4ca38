"""The planner's estimates put the forms of kernels in the order in which their launches were counted."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from msgspec import convert

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from cost.programs import Program, all_programs  # the folder is on the path only now
from cost.ranks import LEAST_CORRELATION, Kernel, Ranked, chosen_forms, kernels_of, summary

from accache.report.records import CandidateReport

# clocks of all launches of a kernel in some of its forms: python bench/cost --ranks --only NAME
COUNTED = {
    "jacobi": {"8x4": 71706, "4x4": 76293, "4x1": 102106, "2x1": 121547, "plain": 155192},
    "convolution1d": {
        "4 neighbours wide": 28323,
        "2 neighbours wide": 42752,
        "tiles x[i:TAPS] in 256x1x1": 86405,
        "2 wide": 90368,
        "plain": 100864,
    },
    "strided": {
        "4 neighbours wide": 13518,
        "2 neighbours wide": 13518,
        "2": 17408,
        "plain": 17408,
        "tiles a[RATE*i+OFFSET:LENGTH] in 256x1x1": 20057,
    },
    "sobel_shorts": {"4x4": 92303, "4x2": 105620, "2x1": 149626, "plain": 169058},
}


@pytest.mark.parametrize("name", COUNTED)
def test_estimates_rank_forms_as_counting_does(name: str) -> None:
    program = next(each for each in all_programs() if each.name == name)
    kernel = kernels_of(program)[0]
    estimated = {form.name: form.clocks for form in kernel.candidates}
    found = Ranked(kernel, estimated, COUNTED[name])
    assert found.correlation is not None
    assert found.correlation >= LEAST_CORRELATION
    emitted = next(form.name for form in kernel.candidates if form.chosen)
    assert COUNTED[name][emitted] <= 1.03 * COUNTED[name]["plain"]


def form(name: str, clocks: float, **changed: object) -> CandidateReport:
    values = {
        "subarrays": (), "clocks": clocks, "bound": "issue", "slots": 0.0, "sectors": 0.0, "turns": 0.0,
        "written": 0.0, "chosen": False, "name": name, **changed,
    }  # fmt: skip
    return convert(values, CandidateReport)


FORMS = (
    form("4", 1, iterations=(4,), chosen=True),
    form("8", 2, iterations=(8,), refused="its launches have fewer than 32 blocks"),
    form("2", 3, iterations=(2,)),
    form("tiles a", 4, subarrays=("a",)),
    form("plain", 5),
    form("tiles b", 6, subarrays=("b",)),
)


def test_forms_that_no_launch_takes_are_left_out() -> None:
    assert [item.name for item in chosen_forms(FORMS)] == ["4", "plain", "tiles a", "2"]


def ranked(**counted: float) -> Ranked:
    kernel = Kernel(Program("p", Path("p.c")), "p_L1_kernel", FORMS)
    return Ranked(kernel, {item.name: item.clocks for item in FORMS}, counted)


def test_what_is_said_of_kernels() -> None:
    good, bad = ranked(**{"4": 10, "2": 30, "plain": 50}), ranked(**{"4": 50, "2": 30, "plain": 10})
    assert (good.correlation, good.loss) == (pytest.approx(1), 0.2)
    assert (bad.correlation, bad.loss) == (pytest.approx(-1), 5)
    assert ranked(**{"4": 10}).correlation is None
    assert ranked(**{"2": 10, "plain": 9}).loss is None
    assert list(summary([good, bad])) == [
        "rank correlation: 0.00 in the mean of 2 kernels, below 0.9 in 1",
        "emitted / plain: at most 5.00, above 1.03 in 1 of 2 kernels",
    ]
