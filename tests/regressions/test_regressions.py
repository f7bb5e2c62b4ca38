"""Each program computes what the sequential one does, and the checker finds nothing, in several orders of threads."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.driver import translate
from accache.workflows.building import build_translation
from accache.workflows.comparison import run_beside

HERE = Path(__file__).parent
pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")


@pytest.mark.parametrize(
    ("name", "options", "ways"),
    [
        ("shapes", Options(line=True, tune="off"), 5),
        ("records", Options(line=True, tune="off", method="ehc", ehc_ways=2), 1),
        ("filter", Options(line=True), 1),
        ("digraphs", Options(line=True, method="rbi"), 1),
        ("counted", Options(line=True), 1),
        ("bits", Options(line=True), 1),
        ("gnu", Options(line=True), 1),
        ("letters", Options(line=True), 1),
        ("own_values", Options(line=True), 1),
        ("own_values", Options(line=True, coarsen="4"), 1),
        ("own_values", Options(line=True, coarsen="2x2"), 1),
        ("gang_loops", Options(line=True), 1),
        ("strips", Options(line=True), 1),
        ("strips", Options(line=True, method="rbc"), 1),
        ("early_ends", Options(line=True), 1),
        ("early_ends", Options(line=True, coarsen="4"), 1),
        ("outer_values", Options(line=True), 1),
        ("outer_values", Options(line=True, coarsen="2x2"), 1),
        ("outer_values", Options(line=True, method="rbi"), 1),
        ("row_pointers", Options(line=True), 1),
        ("row_pointers", Options(line=True, tune="off", method="ehc"), 1),
        ("pointers", Options(line=True, tune="off", method="rbi"), 1),
        ("pointers", Options(line=True, tune="off", method="rbc", write="back"), 1),
        ("pointers", Options(line=True, tune="off", method="ehc"), 1),
    ],
    ids=[
        "shapes",
        "records",
        "filter",
        "digraphs",
        "counted",
        "bits",
        "gnu",
        "letters",
        *(f"own_values-{number}" for number in ("auto", "4", "2x2")),
        "gang_loops",
        "strips",
        "strips-rbc",
        "early_ends",
        "early_ends-4",
        *(f"outer_values-{number}" for number in ("auto", "2x2", "rbi")),
        "row_pointers",
        "row_pointers-ehc",
        *(f"pointers-{way}" for way in ("rbi", "rbc", "ehc")),
    ],
)
def test_a_program_is_right(name: str, options: Options, ways: int, tmp_path: Path) -> None:
    translation = translate(str(HERE / f"{name}.c"), options)
    assert translation.sequentially is not None
    sequential = translation.sequentially()
    program = build_translation(translation, options, tmp_path, check=True, sequential=sequential.host).program
    for way in range(ways):
        for seed in range(3):
            result, differences = run_beside(
                program, sequential, 0.0, [str(way)], seed=seed, capture=True, stdin="", timeout=60
            )
            assert (way, seed, result.findings, differences) == (way, seed, (), ())
