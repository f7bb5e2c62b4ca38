"""CUDA C++ programs that others wrote, built for the CPU."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from accache.base.text import read_source_file
from accache.cpu.programs import build_program
from accache.cpu.run import run
from accache.cpu.sources import read_program


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_an_access_that_is_not_aligned_ends_the_kernel(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text(
        """#include <cstdio>
#include <cuda_runtime.h>
__global__ void k(const float *a, float4 *b) { b[threadIdx.x] = *(const float4 *)(a + threadIdx.x); }
int main()
{
    float *a; float4 *b;
    cudaMalloc(&a, 256);
    cudaMalloc(&b, 512);
    k<<<1, 32>>>(a, b);
    puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
"""
    )
    program = build_program(read_program(read_source_file(str(path)), ()), tmp_path, ())
    result = run(program, ())
    assert result.stdout == "misaligned address\n"
    assert "kernel k, block (0,0,0), thread (1,0,0): misaligned address" in result.stderr
    assert f"({path}:3)" in result.stderr
