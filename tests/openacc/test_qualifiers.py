"""Data that is volatile or restrict: C++ and nvcc convert addresses of it less readily than C does."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from workshop import Workshop

from accache.options import Options

PROGRAMS = Path(__file__).parent / "programs"
SOURCE = PROGRAMS / "qualifiers.c"


@pytest.mark.nvcc
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize("form", ["joined", "device"])
def test_nvcc_compiles_both_forms(form: str, workshop: Workshop, tmp_path: Path) -> None:
    source = tmp_path / "program.cu"
    source.write_text(getattr(workshop.translation(SOURCE, Options()), form))
    command = ["nvcc", "-arch=sm_90", f"-I{PROGRAMS}", "-c", source, "-o", tmp_path / "program.o"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
