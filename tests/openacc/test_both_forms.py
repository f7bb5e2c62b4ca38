"""nvcc compiles programs of which C++ is particular, joined and beside their host C."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from workshop import Workshop

from accache.options import Options

PROGRAMS = Path(__file__).parent / "programs"


@pytest.mark.nvcc
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize("form", ["joined", "device"])
@pytest.mark.parametrize("name", ["local_types", "qualifiers"])
def test_nvcc_compiles_both_forms(name: str, form: str, workshop: Workshop, tmp_path: Path) -> None:
    source = tmp_path / "program.cu"
    source.write_text(getattr(workshop.translation(PROGRAMS / f"{name}.c", Options()), form))
    command = ["nvcc", "-arch=sm_90", f"-I{PROGRAMS}", "-c", source, "-o", tmp_path / "program.o"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
