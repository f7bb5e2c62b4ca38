"""Which of several forms about as fast is emitted."""

from __future__ import annotations

from pathlib import Path

from accache.base.options import Options
from accache.driver import translate
from accache.report.records import CandidateReport

SAMPLES = Path(__file__).parents[3] / "samples"


def candidates(name: str, *defines: str) -> tuple[CandidateReport, ...]:
    """Those of the first kernel of a sample."""
    options = Options(runtime=False, preprocessor=tuple(f"-D{text}" for text in defines))
    return translate(str(SAMPLES / name), options).report.kernels[0].candidates


def chosen(name: str, *defines: str) -> CandidateReport:
    (found,) = (item for item in candidates(name, *defines) if not item.refused)
    return found


def test_arrays_need_not_be_aligned_for_a_few_clocks() -> None:
    emitted = chosen("nbody.c")
    assert (emitted.iterations, emitted.accesses) == ((2,), "")
    form = (emitted.iterations, emitted.subarrays)
    wide = [item for item in candidates("nbody.c") if item.accesses and (item.iterations, item.subarrays) == form]
    assert len(wide) == 2  # a thread's iterations are neighbours, or a block's width apart
    assert all(item.clocks < emitted.clocks for item in wide)
    assert {item.refused for item in wide} == {"it needs aligned arrays, and saves less than 2% of the chosen one"}


def test_they_are_aligned_where_that_pays() -> None:
    assert chosen("stencil.c", "RADIUS=30").accesses == "wide"
