"""How fast the PTX machine executes a matrix product: ``python bench/ptx.py``; needs nvcc and a C compiler."""

from __future__ import annotations

import os
import resource
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from accache.base.text import SourceFile
from accache.ptx.execute import run
from accache.ptx.machine.launch import Allocation, Launch
from accache.ptx.machine.trace import Trace
from accache.ptx.text.parser import parse
from accache.ptx.text.syntax import Module

ROOT = Path(__file__).parents[1]
TILE = 16
ROUNDS = 5


def launch(kernel: str, n: int) -> Launch:
    """The product of two matrices of n * n numbers by the kernel of samples/cuda/gemm.cu."""
    a, b = np.random.default_rng(1).random((2, n, n), np.float32)
    arrays = (a, b, np.zeros((n, n), np.float32))
    memory = tuple(Allocation((0x7F00 + i) << 32, array.tobytes()) for i, array in enumerate(arrays))
    arguments = (*(struct.pack("<Q", part.address) for part in memory), struct.pack("<i", n))
    blocks = -(-n // TILE)
    return Launch(kernel, (blocks, blocks, 1), (TILE, TILE, 1), 0, arguments, memory)


def main() -> None:
    """Print thread-instructions a second, untraced and traced, by wall clock and CPU time: the best of some rounds."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 512
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "gemm.ptx"
        source = ROOT / "samples" / "cuda" / "gemm.cu"
        subprocess.run(["nvcc", "-ptx", "-arch=sm_80", "-lineinfo", source, "-o", target], check=True)
        module = parse(SourceFile("gemm.ptx", target.read_text()))
    launched = launch(module.kernels[0].name, n)
    start = time.perf_counter()
    run(module, launched)
    print(f"first run, C compiler included: {time.perf_counter() - start:.1f} s; {os.cpu_count()} cores")
    for name, traced in (("untraced", False), ("traced", True)):
        wall, cpu, instructions = min(measured(module, launched, traced) for _ in range(ROUNDS))
        print(
            f"{name}: {instructions / 1e6:.0f} M thread-instructions in {wall:.2f} s, "
            f"{instructions / wall / 1e9:.2f} G/s; "
            f"{cpu:.2f} s of CPU time, {instructions / cpu / 1e9:.2f} G/s a core"
        )


def measured(module: Module, launched: Launch, traced: bool) -> tuple[float, float, int]:
    """Seconds by the wall clock, seconds of CPU time, thread-instructions."""
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    _, outcome = run(module, launched, trace=Trace() if traced else None)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, outcome.instructions


if __name__ == "__main__":
    main()
