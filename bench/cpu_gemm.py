"""How fast a tiled CUDA kernel runs on the CPU, beside sequential C: ``python bench/cpu_gemm.py``."""

from __future__ import annotations

import tempfile
from pathlib import Path

from accache.cpu.build import build
from accache.cpu.run import run

PROGRAM = r"""
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

constexpr int TILE = 16, N = 512, ROUNDS = 5;
extern "C" void sequential(const float *a, const float *b, float *c, int n);

__global__ void gemm(const float *a, const float *b, float *c, int n) {
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        as[y][x] = a[row * n + k + x];
        bs[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; ++i) sum += as[y][i] * bs[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

static double seconds() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

template <class Work> double best(Work work) {
    double least = 1e9;
    for (int round = 0; round < ROUNDS; ++round) {
        double start = seconds();
        work();
        least = std::min(least, seconds() - start);
    }
    return least;
}

int main() {
    std::vector<float> a(N * N), b(N * N), c(N * N), d(N * N);
    for (int i = 0; i < N * N; ++i) a[i] = i % 17 * 0.25f, b[i] = i % 13 * 0.5f;
    const size_t bytes = sizeof(float) * N * N;
    float *da, *db, *dc;
    cudaMalloc(&da, bytes), cudaMalloc(&db, bytes), cudaMalloc(&dc, bytes);
    cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice);
    double kernel = best([&] { gemm<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(da, db, dc, N); });
    cudaMemcpy(d.data(), dc, bytes, cudaMemcpyDeviceToHost);
    double plain = best([&] { sequential(a.data(), b.data(), c.data(), N); });
    printf("%.4f %.4f %s\n", kernel, plain, c == d ? "equal" : "DIFFERENT");
}
"""

SEQUENTIAL = r"""
void sequential(const float *a, const float *b, float *c, int n) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}
"""


def main() -> None:
    """Print one line for each way to run the kernel."""
    print("512x512 float product, 16x16 shared tiles; seconds, best of 5")
    print(f"{'kernel on the CPU':<24}{'kernel':>8}{'C -O2':>8}{'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        plain = build(PROGRAM, SEQUENTIAL, Path(folder))
        checked = build(PROGRAM, SEQUENTIAL, Path(folder), check=True)
        for title, program, workers in (("one core", plain, 1), ("all cores", plain, None), ("checked", checked, None)):
            kernel, sequential, equal = run(program, workers=workers).stdout.split()
            ratio = float(kernel) / float(sequential)
            print(f"{title:<24}{kernel:>8}{sequential:>8}{ratio:>7.2f}  results {equal}")


if __name__ == "__main__":
    main()
