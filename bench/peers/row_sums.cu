/* The peer of bench/kernels/row_sums.c: a warp a row, sixteen bytes a load, and shuffles. */
#include "peer.h"

static __global__ void __launch_bounds__(256)
    multiply(int n, const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y)
{
    const int i = 8 * blockIdx.x + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (i >= n)
        return;
    const float *row = &a[(size_t)i * n];
    float sum = 0;
    if (n % 4 == 0) {
#pragma unroll 4
        for (int j = 4 * lane; j < n; j += 128) {
            const float4 u = *(const float4 *)&row[j], v = *(const float4 *)&x[j];
            sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
        }
    } else {
        for (int j = lane; j < n; j += 32)
            sum += row[j] * x[j];
    }
    sum = sum_of_warp(sum);
    if (lane == 0)
        y[i] = sum;
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
    multiply<<<blocks_of(n, 8), 256>>>(n, matrix, vector, result);
    to_host(y, result, n);
    REPORT(y, n, (long)n * n);
    return 0;
}
