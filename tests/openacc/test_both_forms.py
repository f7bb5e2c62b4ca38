"""nvcc compiles each program, joined and beside its host C; no refusal but of the joined form is new."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from workshop import Workshop

from accache.base.options import Options

OPENACC = Path(__file__).parent / "programs"
WILD = Path(__file__).parents[1] / "wild" / "programs"
PROGRAMS = {path.stem: path for folder in (OPENACC, WILD) for path in sorted(folder.glob("*.c"))}
SPLIT_ONLY = {
    *("cached_dimensions", "complex_cached", "complex_edges", "complex_numbers", "cuda_types", "declared_lengths"),
    *("enumerations", "flat_matrices", "initialisers", "keywords", "old_style", "own_elements", "row_pointers"),
    *("switches", "truth_values", "written_tiles"),
}
"""Programs whose host code is no C++."""


@pytest.mark.nvcc
@pytest.mark.skipif(not shutil.which("nvcc"), reason="needs nvcc")
@pytest.mark.parametrize("form", ["joined", "device"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_nvcc_compiles_both_forms(name: str, form: str, workshop: Workshop, tmp_path: Path) -> None:
    text = getattr(workshop.translation(PROGRAMS[name], Options()), form)
    if form == "joined" and name in SPLIT_ONLY:
        assert text is None
        return
    source = tmp_path / "program.cu"
    source.write_text(text)
    command = ["nvcc", "-arch=sm_90", f"-I{OPENACC}", "-c", source, "-o", tmp_path / "program.o"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
