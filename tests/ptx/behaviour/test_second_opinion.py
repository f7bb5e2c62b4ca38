"""Launches of a run, executed again: what agrees, what differs and where, and what cannot be compared."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from accache.base.diagnostics import Diagnostic
from accache.base.options import Options
from accache.ptx.machine.launch import Allocation, Launch
from accache.ptx.text.syntax import Module
from accache.workflows.execution import Comparison, run_cuda, silently

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
    comparison = Comparison(launches, kernel, execute)
    result = run_cuda(str(path), Options(), arguments, target="cpu", check=False, seed=None, comparison=comparison)
    assert result.has_errors == any(found.code in ("ACC941", "ACC947") for found in result.findings)
    return result.status, result.findings


def test_agreement_is_silent(tmp_path: Path) -> None:
    assert findings(tmp_path, adding(1)) == (7, ())


def test_difference_names_launch_kernel_array_and_values(tmp_path: Path) -> None:
    status, found = findings(tmp_path, adding(1.5))
    assert status == 7
    assert [item.code for item in found] == ["ACC941", "ACC941"]
    assert [item.message for item in found] == [
        "launch 0, kernel '_Z5countIfEvPT_': 'data' differs in 1 elements, first at byte 8: 1 on the CPU, 1.5 in PTX",
        "launch 1, kernel '_Z5countIdEvPT_': 'data' differs in 1 elements, first at byte 16: 1 on the CPU, 1.5 in PTX",
    ]
    assert all(
        item.location and (item.location.file, item.location.line) == (str(tmp_path / "a.cu"), 2) for item in found
    )


@pytest.mark.ptx
def test_one_kernel_and_so_many_launches(tmp_path: Path) -> None:
    assert findings(tmp_path, adding(2), kernel="nothing") == (7, ())
    _, found = findings(tmp_path, adding(2), launches=1)
    assert [item.code for item in found] == ["ACC941", "ACC944"]


@pytest.mark.ptx
def test_says_when_nothing_was_compared(tmp_path: Path) -> None:
    _, (found,) = findings(tmp_path, adding(1), kernel="other")
    assert (found.code, "'other'" in found.message) == ("ACC945", True)


def test_a_launch_that_fails_does_not_hide_others(tmp_path: Path) -> None:
    def execute(module: Module, launch: Launch) -> tuple[Allocation, ...]:
        if launch.kernel == "_Z5countIfEvPT_":
            return silently(module, replace(launch, memory=()))
        return adding(1.5)(module, launch)

    _, found = findings(tmp_path, execute)
    assert [item.code for item in found] == ["ACC947", "ACC941"]
    assert "launch 0, kernel '_Z5countIfEvPT_'" in found[0].message
    assert "4 bytes at" in found[0].message


def test_a_launch_that_ends_the_program_is_one(tmp_path: Path) -> None:
    kernel = "__global__ void fails() { int *none = 0; *none = 1; }\n"
    text = f"{kernel}int main() {{ fails<<<1, 1>>>(); return cudaDeviceSynchronize(); }}"
    status, (found,) = findings(tmp_path, adding(1), text)
    assert status < 0
    assert (found.code, "no kernel came to its end" in found.message) == ("ACC945", True)


TAKING = """
#include <cstdio>
__global__ void take(int *slots, int *next) {
    int slot = atomicAdd(next, 1);
    slots[slot] = threadIdx.x;
    if (slot == 0) printf("first\\n");
}
int main() {
    int *slots, *next;
    cudaMalloc(&slots, 32 * sizeof(int));
    cudaMalloc(&next, sizeof(int));
    cudaMemset(next, 0, sizeof(int));
    take<<<1, 32>>>(slots, next);
    return 0;
}
"""


def taking(count: int) -> Execute:
    """A machine whose last thread comes first, and that counts ``count`` threads."""

    def execute(module: Module, launch: Launch) -> tuple[Allocation, ...]:
        slots, following = launch.memory
        return (
            replace(slots, data=struct.pack("<32i", *reversed(range(32)))),
            replace(following, data=struct.pack("<i", count)),
        )

    return execute


def test_places_that_threads_take_are_not_compared(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, found = findings(tmp_path, taking(32), TAKING)
    assert [(item.code, "'slots'" in item.message) for item in found] == [("ACC946", True)]
    assert capfd.readouterr().out == "first\n"
    _, found = findings(tmp_path, taking(31), TAKING)
    assert [item.code for item in found] == ["ACC946", "ACC941"]
    assert "'next' differs in 1 elements, first at byte 0: 32 (0x20) on the CPU, 31 (0x1f) in PTX" in found[1].message


SUMMING = """
__global__ void sum(const float *in, float *out) { atomicAdd(out, in[threadIdx.x]); }
__global__ void power(float *data) { data[threadIdx.x] = expf(data[threadIdx.x]); }
int main() {
    float *in, *out, host[3] = {1, 2, 4};
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(out, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<1, 3>>>(in, out);
    power<<<1, 3>>>(in);
}
"""


@pytest.mark.parametrize(("error", "codes"), [(1e-6, []), (1e-2, ["ACC941", "ACC941"])])
def test_what_gpus_round_otherwise_has_latitude(tmp_path: Path, error: float, codes: list[str]) -> None:
    def execute(module: Module, launch: Launch) -> tuple[Allocation, ...]:
        data, sums = launch.memory
        values = (2.718281828, 7.389056099, 54.59815003)
        if launch.kernel == "_Z3sumPKfPf":
            return (data, replace(sums, data=struct.pack("<3f", 8 + error, 2, 4)))
        return (replace(data, data=struct.pack("<3f", *(value * (1 + error) for value in values))), sums)

    _, found = findings(tmp_path, execute, SUMMING)
    latitude = [item.message for item in found if item.code == "ACC943"]
    assert ["any order" in latitude[0], "mathematics" in latitude[1]] == [True, True]
    assert [item.code for item in found if item.code != "ACC943"] == codes
