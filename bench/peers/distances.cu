/* The peer of bench/kernels/distances.c: a block has 64 x 64 distances, a thread 4 x 4, coordinates in shared memory. */
#include "peer.h"
#define DIMENSIONS 8
#define SIDE 64

static __global__ void __launch_bounds__(256) measure(int n, const float *__restrict__ p, float *__restrict__ d)
{
    __shared__ __align__(16) float rows[DIMENSIONS][SIDE + 4], columns[DIMENSIONS][SIDE + 4];
    const int t = threadIdx.x, row = SIDE * blockIdx.y, column = SIDE * blockIdx.x;
    const int point = t / 4, k = t % 4 * 2;
    const float2 none = make_float2(0, 0);
    const float2 u = row + point < n ? *(const float2 *)&p[(row + point) * DIMENSIONS + k] : none;
    const float2 v = column + point < n ? *(const float2 *)&p[(column + point) * DIMENSIONS + k] : none;
    rows[k][point] = u.x;
    rows[k + 1][point] = u.y;
    columns[k][point] = v.x;
    columns[k + 1][point] = v.y;
    __syncthreads();
    const int i = t / 16 * 4, j = t % 16 * 4;
    float sum[4][4] = {};
#pragma unroll
    for (int c = 0; c < DIMENSIONS; ++c) {
        float x[4], y[4];
        *(float4 *)x = *(const float4 *)&rows[c][i];
        *(float4 *)y = *(const float4 *)&columns[c][j];
#pragma unroll
        for (int a = 0; a < 4; ++a)
#pragma unroll
            for (int b = 0; b < 4; ++b)
                sum[a][b] += (x[a] - y[b]) * (x[a] - y[b]);
    }
#pragma unroll
    for (int a = 0; a < 4; ++a) {
        float *out = &d[(size_t)(row + i + a) * n + column + j];
        if (row + SIDE <= n && column + SIDE <= n && n % 4 == 0) {
            *(float4 *)out = make_float4(sum[a][0], sum[a][1], sum[a][2], sum[a][3]);
        } else {
            for (int b = 0; b < 4; ++b)
                if (row + i + a < n && column + j + b < n)
                    out[b] = sum[a][b];
        }
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512);
    ALLOCATE(float, p, n * DIMENSIONS);
    ALLOCATE(float, d, n * n);
    FILL(p, n * DIMENSIONS);
    float *points = on_device(p, n * DIMENSIONS), *result = on_device<float>(NULL, n * n);
    measure<<<dim3(blocks_of(n, SIDE), blocks_of(n, SIDE)), 256>>>(n, points, result);
    to_host(d, result, n * n);
    REPORT(d, n * n, n * n);
    return 0;
}
