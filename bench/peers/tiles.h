/* b (m x n) = transpose of a (n x m): tiles of 32 x 32 in shared memory, a column of padding, four elements a thread. */
#pragma once
#include "peer.h"
#define TILE 32
#define LINES 8

static __global__ void __launch_bounds__(TILE *LINES)
    transpose_tile(int n, int m, const float *__restrict__ a, float *__restrict__ b)
{
    __shared__ float tile[TILE][TILE + 1];
    const int row = TILE * blockIdx.y, column = TILE * blockIdx.x, x = threadIdx.x, y = threadIdx.y;
    const float *in = &a[(size_t)(row + y) * m + column + x];
    float *out = &b[(size_t)(column + y) * n + row + x];
    if (row + TILE <= n && column + TILE <= m) {
#pragma unroll
        for (int k = 0; k < TILE; k += LINES)
            tile[y + k][x] = in[(size_t)k * m];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k += LINES)
            out[(size_t)k * n] = tile[x][y + k];
    } else {
        for (int k = 0; k < TILE; k += LINES)
            if (row + y + k < n && column + x < m)
                tile[y + k][x] = in[(size_t)k * m];
        __syncthreads();
        for (int k = 0; k < TILE; k += LINES)
            if (column + y + k < m && row + x < n)
                out[(size_t)k * n] = tile[x][y + k];
    }
}

static void transpose(int n, int m, const float *host_a, float *host_b)
{
    const size_t count = (size_t)n * m;
    float *a = on_device(host_a, count), *b = on_device<float>(NULL, count);
    transpose_tile<<<dim3(blocks_of(m, TILE), blocks_of(n, TILE)), dim3(TILE, LINES)>>>(n, m, a, b);
    to_host(host_b, b, count);
}
