"""Kernels of generated programs leave the same memory on a CPU and, made by nvcc, on the PTX machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from matrix.from_ptx import differences_from_ptx
from matrix.selection import batch, pairwise

BATCHES = 40

pytestmark = pytest.mark.skipif(not (shutil.which("g++") and shutil.which("nvcc")), reason="needs g++ and nvcc")


@pytest.mark.ptx
@pytest.mark.parametrize("number", range(BATCHES))
def test_every_program_agrees(number: int, tmp_path: Path) -> None:
    assert differences_from_ptx(batch(pairwise(), number, BATCHES), tmp_path) == []
