"""Launches of a run, executed again: what agrees, what differs and where, and what cannot be compared."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from accache.diagnostics import Diagnostic
from accache.execution import Comparison, run_cuda
from accache.options import Options
from accache.ptx.launch import Allocation, Launch
from accache.ptx.syntax import Module

pytestmark = pytest.mark.skipif(not (shutil.which("g++") and shutil.which("nvcc")), reason="needs g++ and nvcc")

# Each thread adds 1 to its element; then the same in double, and a launch that does nothing.
PROGRAM = """
template <class T> static __global__ void count(T *data) { data[threadIdx.x] += 1; }
__global__ void nothing() {}
int main(int argc, char **) {
    float *singles;
    double *doubles;
    cudaMalloc(&singles, 32);
    cudaMalloc(&doubles, 64);
    cudaMemset(singles, 0, 32);
    cudaMemset(doubles, 0, 64);
    if (argc == 1) count<<<1, 8>>>(singles);
    if (argc == 1) count<<<1, 8>>>(doubles);
    nothing<<<1, 1>>>();
    return 7 * (cudaDeviceSynchronize() == cudaSuccess);
}
"""

Execute = Callable[[Module, Launch], tuple[Allocation, ...]]


def adding(step: float) -> Execute:
    """A machine that knows one kernel, and adds ``step`` to the third element."""

    def execute(module: Module, launch: Launch) -> tuple[Allocation, ...]:
        if launch.kernel == "_Z7nothingv":
            return launch.memory
        (address,) = struct.unpack("<Q", launch.arguments[0])
        kind = "<8f" if launch.kernel == "_Z5countIfEvPT_" else "<8d"
        assert launch.kernel in (kernel.name for kernel in module.kernels)

        def changed(data: bytes) -> bytes:
            values = [value + 1 for value in struct.unpack(kind, data)]
            values[2] += step - 1
            return struct.pack(kind, *values)

        return tuple(
            replace(part, data=changed(part.data)) if part.address == address else part for part in launch.memory
        )

    return execute


def findings(
    folder: Path, execute: Execute, text: str = PROGRAM, *arguments: str, launches: int = 100, kernel: str = ""
) -> tuple[int, tuple[Diagnostic, ...]]:
    """The exit status, and what was found."""
    path = folder / "a.cu"
    path.write_text(text)
    comparison = Comparison(execute, launches, kernel)
    result = run_cuda(str(path), Options(), arguments, target="cpu", check=False, seed=None, comparison=comparison)
    assert result.has_errors == any(found.code == "ACC941" for found in result.findings)
    return result.status, result.findings


def test_agreement_is_silent(tmp_path: Path) -> None:
    assert findings(tmp_path, adding(1)) == (7, ())


def test_difference_names_launch_kernel_array_and_values(tmp_path: Path) -> None:
    status, found = findings(tmp_path, adding(1.5))
    assert status == 7
    assert [item.code for item in found] == ["ACC941", "ACC941"]
    assert [item.message for item in found] == [
        "launch 0, kernel '_Z5countIfEvPT_': 'argument 1' differs in 1 elements, first at byte 8: "
        "1 on the CPU, 1.5 in PTX",
        "launch 1, kernel '_Z5countIdEvPT_': 'argument 1' differs in 1 elements, first at byte 16: "
        "1 on the CPU, 1.5 in PTX",
    ]
    assert all(
        item.location and (item.location.file, item.location.line) == (str(tmp_path / "a.cu"), 2) for item in found
    )


def test_one_kernel_and_so_many_launches(tmp_path: Path) -> None:
    assert findings(tmp_path, adding(2), kernel="nothing") == (7, ())
    _, found = findings(tmp_path, adding(2), launches=1)
    assert [item.code for item in found] == ["ACC941", "ACC944"]


def test_says_when_nothing_was_compared(tmp_path: Path) -> None:
    _, (found,) = findings(tmp_path, adding(1), kernel="other")
    assert (found.code, "'other'" in found.message) == ("ACC945", True)
