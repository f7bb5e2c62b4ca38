/* The peer of bench/kernels/dot.c: sixteen elements a thread, four at once; shuffles, then one atomic addition a block. */
#include "peer.h"
#define THREADS 256
#define FOURS 4

static __global__ void __launch_bounds__(THREADS)
    add(int n, const float *__restrict__ x, const float *__restrict__ y, double *__restrict__ result)
{
    __shared__ double of_warps[THREADS / 32];
    const int fours = n / 4, t = threadIdx.x;
    double sum = 0;
#pragma unroll
    for (int k = 0; k < FOURS; ++k) {
        const int i = (blockIdx.x * FOURS + k) * THREADS + t;
        if (i < fours) {
            const float4 u = ((const float4 *)x)[i], v = ((const float4 *)y)[i];
            sum += u.x * v.x;
            sum += u.y * v.y;
            sum += u.z * v.z;
            sum += u.w * v.w;
        }
    }
    if (blockIdx.x == 0 && t < n % 4)
        sum += x[4 * fours + t] * y[4 * fours + t];
    sum = sum_of_warp(sum);
    if (t % 32 == 0)
        of_warps[t / 32] = sum;
    __syncthreads();
    if (t == 0) {
        for (int warp = 1; warp < THREADS / 32; ++warp)
            sum += of_warps[warp];
        atomicAdd(result, sum);
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 1 << 20);
    double result = 0;
    ALLOCATE(float, x, n);
    ALLOCATE(float, y, n);
    FILL(x, n);
    FILL(y, n);
    float *device_x = on_device(x, n), *device_y = on_device(y, n);
    double *sum = on_device(&result, 1);
    add<<<blocks_of(n, 4 * FOURS * THREADS), THREADS>>>(n, device_x, device_y, sum);
    to_host(&result, sum, 1);
    REPORT(&result, 1, n);
    return 0;
}
