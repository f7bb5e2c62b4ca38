// A tile size as template argument, dim3 in several forms, dynamic and static shared memory, __restrict__.
#include <cuda_runtime.h>

#include <cmath>
#include <memory>

#include "check.h"

template <int TILE>
__global__ void __launch_bounds__(TILE *TILE)
    gemm(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE + 1];
    const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int step = 0; step < n; step += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = row < n && step + threadIdx.x < n ? a[row * n + step + threadIdx.x] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] = column < n && step + threadIdx.y < n ? b[(step + threadIdx.y) * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n) c[row * n + column] = sum;
}

__global__ void transpose(float *to, const float *from, int n) {
    extern __shared__ float tile[];
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n) tile[threadIdx.y * (blockDim.x + 1) + threadIdx.x] = from[y * n + x];
    __syncthreads();
    x = blockIdx.y * blockDim.y + threadIdx.x, y = blockIdx.x * blockDim.x + threadIdx.y;
    if (x < n && y < n) to[y * n + x] = tile[threadIdx.x * (blockDim.x + 1) + threadIdx.y];
}

int main() {
    constexpr int n = 45, tile = 8;
    const size_t bytes = n * n * sizeof(float);
    auto a = std::make_unique<float[]>(n * n), b = std::make_unique<float[]>(n * n), c = std::make_unique<float[]>(n * n);
    for (int i = 0; i < n * n; ++i) a[i] = float(i % 7) - 3, b[i] = float(i % 5) / 4;
    float *da, *db, *dc, *dt;
    for (float **p : {&da, &db, &dc, &dt}) CHECK(cudaMalloc(p, bytes));
    CHECK(cudaMemcpy(da, a.get(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.get(), bytes, cudaMemcpyHostToDevice));
    dim3 threads(tile, tile), blocks;
    blocks.x = blocks.y = (n + tile - 1) / tile;
    gemm<tile><<<blocks, threads>>>(da, db, dc, n);
    transpose<<<dim3{blocks.x, blocks.y}, dim3(tile, tile, 1), tile * (tile + 1) * sizeof(float), 0>>>(dt, dc, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(c.get(), dt, bytes, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
            right = right && std::fabs(c[j * n + i] - sum) <= 1e-4f;
        }
    return verdict(right);
}
