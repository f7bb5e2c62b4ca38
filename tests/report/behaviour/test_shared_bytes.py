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
POOLS = {"tiled_sum": 6144 * 8}
"""The launch's part of kernels whose arrays do not fit in 48 KiB; ptxas does not know of it."""


def test_shared_bytes() -> None:
    assert {kernel.function: kernel.shared_bytes for kernel in translation("shared").report.kernels} == TOTALS


@pytest.mark.parametrize("name", ["shared", "large_tile"])
def test_the_assembler_agrees(name: str, tmp_path: Path) -> None:
    if not shutil.which("nvcc"):
        pytest.skip("needs nvcc")
    made = translation(name)
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
        assert kernel.shared_bytes == used + POOLS.get(kernel.function, 0)


def test_a_tile_that_leaves_no_room_for_a_reduction_lies_in_the_pool() -> None:
    """nvcc refuses 49144 static bytes for a tile and 2056 for a sum: a block may declare 48 KiB."""
    made = translation("large_tile")
    (kernel,) = made.report.kernels
    assert kernel.subarrays[0].shared_bytes == 6143 * 8 <= 48 << 10 < kernel.shared_bytes
    assert "double (&a_tile)[6143] = *(double (*)[6143])shared;" in made.device
    assert f'accache_launched("tiled_sum_L4_kernel", grid, block, {POOLS["tiled_sum"]},' in made.device
