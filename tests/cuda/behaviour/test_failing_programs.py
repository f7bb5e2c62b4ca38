"""assert and __trap in a CUDA C++ program: nothing runs on the device after them, and the host learns of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from accache.base.options import Options
from accache.workflows.execution import run_cuda

pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")

PROGRAM = """#include <cassert>
#include <cstdio>
__global__ void fails(int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; __syncthreads(); STATEMENT; }
__global__ void follows(int *p) { printf("follows\\n"); }
int main() {
    fails<<<2, 4>>>(6);
    cudaError_t last = cudaGetLastError(), error = cudaDeviceSynchronize();
    follows<<<1, 1>>>(nullptr);
    printf("%s %s\\n", cudaGetErrorName(last), cudaGetErrorName(error));
    int *p;
    return cudaMalloc(&p, 4) == error ? 3 : 0;
}
"""


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize(
    ("statement", "error", "told"),
    [
        ("assert(i < n)", "cudaErrorAssert", "block: [1,0,0], thread: [2,0,0] Assertion `i < n` failed.\n"),
        ("if (i == n) __trap()", "cudaErrorLaunchFailure", ""),
    ],
)
def test_a_kernel_fails(
    statement: str, error: str, told: str, check: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "fails.cu"
    path.write_text(PROGRAM.replace("STATEMENT", statement))
    execution = run_cuda(str(path), Options(), (), target="cpu", check=check, seed=None)
    printed = capfd.readouterr()
    assert execution.status == 3
    assert printed.out == f"cudaSuccess {error}\n"
    assert printed.err.endswith(told)
