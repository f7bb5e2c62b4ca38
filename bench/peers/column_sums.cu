/* The peer of bench/kernels/column_sums.c: a block has 32 columns, each warp walks down a part of the rows. */
#include "peer.h"
#define WARPS 16

static __global__ void __launch_bounds__(32 * WARPS)
    multiply(int n, const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y)
{
    __shared__ float sums[WARPS][32];
    const int j = 32 * blockIdx.x + threadIdx.x, warp = threadIdx.y;
    float sum = 0;
    if (j < n) {
        const float *down = &a[(size_t)warp * n + j];
#pragma unroll 8
        for (int i = warp; i < n; i += WARPS) {
            sum += *down * x[i];
            down += (size_t)WARPS * n;
        }
    }
    sums[warp][threadIdx.x] = sum;
    __syncthreads();
    if (warp == 0 && j < n) {
#pragma unroll
        for (int k = 1; k < WARPS; ++k)
            sum += sums[k][threadIdx.x];
        y[j] = sum;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512);
    ALLOCATE(float, a, n * n);
    ALLOCATE(float, x, n);
    ALLOCATE(float, y, n);
    FILL(a, n * n);
    FILL(x, n);
    float *matrix = on_device(a, n * n), *vector = on_device(x, n), *result = on_device<float>(NULL, n);
    multiply<<<blocks_of(n, 32), dim3(32, WARPS)>>>(n, matrix, vector, result);
    to_host(y, result, n);
    REPORT(y, n, (long)n * n);
    return 0;
}
