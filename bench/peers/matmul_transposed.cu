/* The peer of bench/kernels/matmul_transposed.c: 64 x 64 elements a block, 4 x 4 a thread; rows of both factors lie in shared
   memory as they are. */
#include "peer.h"
#define SIDE 64
#define DEPTH 16

static __global__ void __launch_bounds__(256)
    multiply(int n, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c)
{
    __shared__ __align__(16) float left[DEPTH][SIDE], right[DEPTH][SIDE];
    const int t = threadIdx.x, row = SIDE * blockIdx.y, column = SIDE * blockIdx.x;
    const int i = t / 16 * 4, j = t % 16 * 4;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += DEPTH) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int d = t / SIDE + 4 * e, x = t % SIDE;
            left[d][x] = k + d < n && row + x < n ? a[(size_t)(k + d) * n + row + x] : 0;
            right[d][x] = k + d < n && column + x < n ? b[(size_t)(k + d) * n + column + x] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; ++d) {
            float u[4], v[4];
            *(float4 *)u = *(const float4 *)&left[d][i];
            *(float4 *)v = *(const float4 *)&right[d][j];
#pragma unroll
            for (int y = 0; y < 4; ++y)
#pragma unroll
                for (int x = 0; x < 4; ++x)
                    sum[y][x] += u[y] * v[x];
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 4; ++y)
#pragma unroll
        for (int x = 0; x < 4; ++x)
            if (row + i + y < n && column + j + x < n)
                c[(size_t)(row + i + y) * n + column + j + x] = sum[y][x];
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 768);
    ALLOCATE(float, a, n * n);
    ALLOCATE(float, b, n * n);
    ALLOCATE(float, c, n * n);
    FILL(a, n * n);
    FILL(b, n * n);
    float *left = on_device(a, n * n), *right = on_device(b, n * n), *product = on_device<float>(NULL, n * n);
    multiply<<<dim3(blocks_of(n, SIDE), blocks_of(n, SIDE)), 256>>>(n, left, right, product);
    to_host(c, product, n * n);
    REPORT(c, n * n, (long)n * n * n);
    return 0;
}
