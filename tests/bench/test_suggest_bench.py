"""``bench/suggest.py``: a launch of 8192 threads is decided on within 5 s of CPU, 20 million loads counted a second."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench" / "suggest.py"


@pytest.mark.skipif(not (shutil.which("nvcc") and shutil.which("g++")), reason="needs nvcc and g++")
def test_a_large_launch_is_decided_on_in_time() -> None:
    pytest.importorskip("numba")  # without it the plain model is used, which is slow
    done = subprocess.run([sys.executable, BENCH], capture_output=True, text=True, check=True)
    (_, line) = done.stdout.splitlines()
    kernel, threads, loads, decision, _, _, _, rate = line.split()
    assert (kernel, threads, loads) == ("gemm", "8192", str(8192 * 2 * 512))
    assert float(decision) <= 5
    assert float(rate) >= 20
