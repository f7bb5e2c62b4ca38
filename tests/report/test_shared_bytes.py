"""The shared memory of a block against what NVIDIA's assembler finds in the kernels."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from sample_reports import translation

TOTALS = {
    "sums": 258 * 8 + 260 * 4 + 2 * 257 * 8,  # two tiles, two reductions: a value a thread, and the result
    "gangs": 64 * 2 + 65 * 4,
    "scattered": 258 * (4 + 1),  # a tile and its mask
}


def test_shared_bytes() -> None:
    assert {kernel.function: kernel.shared_bytes for kernel in translation("shared").report.kernels} == TOTALS


def test_the_assembler_agrees(tmp_path: Path) -> None:
    if not shutil.which("nvcc"):
        pytest.skip("needs nvcc")
    made = translation("shared")
    source = tmp_path / "a.cu"
    source.write_text(made.device)
    command = ["nvcc", "-arch=sm_90", "-Xptxas", "-v", "-cubin", str(source), "-o", str(tmp_path / "a.cubin")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for kernel in made.report.kernels:
        text = re.search(
            rf"entry function '\w*?{kernel.name}[A-Zi]\w*'(.*?)(?=entry function|\Z)", done.stderr, re.DOTALL
        )
        assert text is not None
        found = re.search(r"(\d+) bytes smem", text[1])
        used = int(found[1]) if found else 0
        assert kernel.shared_bytes <= used < kernel.shared_bytes + 16 * 4  # arrays are aligned
