"""nvcc compiles what is emitted without a warning, for three generations of GPUs; a few of it for the oldest."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from matrix.harness import Batch, Case
from matrix.selection import batch, one_choice_each, pairwise

ARCHITECTURES = ("75", "80", "90")
DEFAULT = slice(1, None, 112)
PARTS = 50

pytestmark = pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")


def test_a_few_emissions_compile_without_warnings(tmp_path: Path) -> None:
    _compile(pairwise()[DEFAULT], tmp_path, ARCHITECTURES[:1])


@pytest.mark.matrix
@pytest.mark.parametrize("part", range(PARTS))
def test_every_program_compiles_without_warnings(part: int, tmp_path: Path) -> None:
    _compile(batch(pairwise() + one_choice_each(), part, PARTS), tmp_path)


def _compile(cases: Sequence[Case], folder: Path, architectures: Sequence[str] = ARCHITECTURES) -> None:
    members = Batch(folder, cases)
    assert members.failures == []
    source = folder / "batch.cu"
    source.write_text(members.device_text())
    targets = [f"-gencode=arch=compute_{number},code=sm_{number}" for number in architectures]
    command = ["nvcc", *targets, "-Werror", "all-warnings", "-c", source, "-o", folder / "batch.o"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]
