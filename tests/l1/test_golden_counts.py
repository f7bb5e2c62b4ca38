"""Counts that the published program gives for two kernels, number by number, and those of the paper's mode."""

from __future__ import annotations

from dataclasses import replace

import pytest
from launches import gemm, row

from accache.l1.gpus import gpu_named
from accache.l1.model import Counts, predict
from accache.l1.modes import REFERENCE

GEMM = Counts(1056, 13289, 0, 2493, 0, 15930)
ROW = Counts(16386, 287246, 121972, 0, 0, 115068)
ROW_48K = Counts(16386, 56529, 260031, 0, 0, 207726)


def test_gemm_as_the_published_program_counts() -> None:
    assert predict(gemm(64), gpu_named("fermi-16k"), REFERENCE, 1) == GEMM


@pytest.mark.matrix
@pytest.mark.parametrize(("gpu", "counts"), [("fermi-16k", ROW), ("fermi-48k", ROW_48K)])
def test_rows_as_the_published_program_counts(gpu: str, counts: Counts) -> None:
    assert predict(row(64), gpu_named(gpu), REFERENCE, 1) == counts


@pytest.mark.matrix
@pytest.mark.parametrize(("changes", "percent"), [({}, 79.56), ({"clips": True, "merges": True}, 83.14)])
def test_rows_as_measured_on_the_way_to_the_papers_mode(changes: dict[str, bool], percent: float) -> None:
    conventions = replace(REFERENCE, edge_hits=False, **changes)
    rate = predict(row(64), gpu_named("fermi-16k"), conventions, 1).miss_rate(conventions)
    assert round(100 * rate, 2) == percent
