/* c = a * b of n x n floats: 128 x 128 elements a block, 8 x 8 a thread, strips of 8 in two buffers in shared memory. */
#pragma once
#include "peer.h"
#define SIDE 128
#define DEPTH 8

/* Elements from a row on, zero behind the matrix; four at once where that is possible. */
static __device__ float4 four_of(const float *__restrict__ m, int row, int column, int n, bool whole)
{
    if (whole)
        return *(const float4 *)&m[(size_t)row * n + column];
    float4 found = make_float4(0, 0, 0, 0);
    if (row < n) {
        const float *first = &m[(size_t)row * n];
        if (column < n) found.x = first[column];
        if (column + 1 < n) found.y = first[column + 1];
        if (column + 2 < n) found.z = first[column + 2];
        if (column + 3 < n) found.w = first[column + 3];
    }
    return found;
}

static __device__ void store_four(float *m, int row, int column, int n, bool whole, float4 value)
{
    if (whole) {
        *(float4 *)&m[(size_t)row * n + column] = value;
    } else if (row < n) {
        float *first = &m[(size_t)row * n];
        if (column < n) first[column] = value.x;
        if (column + 1 < n) first[column + 1] = value.y;
        if (column + 2 < n) first[column + 2] = value.z;
        if (column + 3 < n) first[column + 3] = value.w;
    }
}

template <bool WHOLE>
static __device__ void multiply_tile(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                                     float (&left)[2][DEPTH][SIDE + 4], float (&right)[2][DEPTH][SIDE])
{
    const int t = threadIdx.x, row = blockIdx.y * SIDE, column = blockIdx.x * SIDE;
    const int x = t % 16 * 4, y = t / 16 * 4;
    const int a_row = t / 2, a_column = t % 2 * 4, b_row = t / 32, b_column = t % 32 * 4;
    float sum[8][8] = {};
    float4 next_a = four_of(a, row + a_row, a_column, n, WHOLE), next_b = four_of(b, b_row, column + b_column, n, WHOLE);
    int now = 0;
    for (int k = 0; k < n; k += DEPTH, now ^= 1) {
        left[now][a_column][a_row] = next_a.x;
        left[now][a_column + 1][a_row] = next_a.y;
        left[now][a_column + 2][a_row] = next_a.z;
        left[now][a_column + 3][a_row] = next_a.w;
        *(float4 *)&right[now][b_row][b_column] = next_b;
        __syncthreads();
        if (k + DEPTH < n) {
            next_a = four_of(a, row + a_row, k + DEPTH + a_column, n, WHOLE);
            next_b = four_of(b, k + DEPTH + b_row, column + b_column, n, WHOLE);
        }
#pragma unroll
        for (int d = 0; d < DEPTH; ++d) {
            float u[8], v[8];
            *(float4 *)&u[0] = *(const float4 *)&left[now][d][y];
            *(float4 *)&u[4] = *(const float4 *)&left[now][d][y + 64];
            *(float4 *)&v[0] = *(const float4 *)&right[now][d][x];
            *(float4 *)&v[4] = *(const float4 *)&right[now][d][x + 64];
#pragma unroll
            for (int i = 0; i < 8; ++i)
#pragma unroll
                for (int j = 0; j < 8; ++j)
                    sum[i][j] += u[i] * v[j];
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            store_four(c, row + i / 4 * 64 + y + i % 4, column + j * 16 + x, n, WHOLE,
                       make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]));
}

static __global__ void __launch_bounds__(256, 2)
    multiply(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ __align__(16) float left[2][DEPTH][SIDE + 4], right[2][DEPTH][SIDE];
    if (n % SIDE == 0)
        multiply_tile<true>(n, a, b, c, left, right);
    else
        multiply_tile<false>(n, a, b, c, left, right);
}

static void matmul(int n, const float *a, const float *b, float *c)
{
    const size_t count = (size_t)n * n;
    float *device_a = on_device(a, count), *device_b = on_device(b, count), *device_c = on_device<float>(NULL, count);
    multiply<<<dim3(blocks_of(n, SIDE), blocks_of(n, SIDE)), 256>>>(n, device_a, device_b, device_c);
    to_host(c, device_c, count);
}
