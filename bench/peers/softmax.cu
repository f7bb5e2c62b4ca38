/* The peer of bench/kernels/softmax.c: a block a row, whose exponentials each thread keeps in registers. */
#include "peer.h"
#define THREADS 128
#define WARPS (THREADS / 32)
#define KEPT 8 /* of a row up to so many elements a thread */
#define MANY 1024 /* threads for a longer row */

static __device__ float largest_of_warp(float value)
{
    for (int step = 16; step; step /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, step));
    return value;
}

static __global__ void __launch_bounds__(THREADS) softmax(int n, const float *__restrict__ in, float *__restrict__ out)
{
    __shared__ float tops[WARPS], sums[WARPS];
    const int t = threadIdx.x;
    const float *from = &in[(size_t)n * blockIdx.x];
    float *to = &out[(size_t)n * blockIdx.x];
    float x[KEPT], top = -INFINITY, sum = 0;
#pragma unroll
    for (int k = 0; k < KEPT; ++k)
        if (t + k * THREADS < n) {
            x[k] = from[t + k * THREADS];
            top = fmaxf(top, x[k]);
        }
    top = largest_of_warp(top);
    if (t % 32 == 0)
        tops[t / 32] = top;
    __syncthreads();
#pragma unroll
    for (int warp = 0; warp < WARPS; ++warp)
        top = fmaxf(top, tops[warp]);
#pragma unroll
    for (int k = 0; k < KEPT; ++k)
        if (t + k * THREADS < n) {
            x[k] = expf(x[k] - top);
            sum += x[k];
        }
    sum = sum_of_warp(sum);
    if (t % 32 == 0)
        sums[t / 32] = sum;
    __syncthreads();
    sum = 0;
#pragma unroll
    for (int warp = 0; warp < WARPS; ++warp)
        sum += sums[warp];
#pragma unroll
    for (int k = 0; k < KEPT; ++k)
        if (t + k * THREADS < n)
            to[t + k * THREADS] = x[k] / sum;
}

static __device__ float largest(float x, float y)
{
    return fmaxf(x, y);
}

static __device__ float added(float x, float y)
{
    return x + y;
}

/* All threads' values combined, in each of them. */
template <float COMBINE(float, float)> static __device__ float of_block(float value)
{
    __shared__ float parts[MANY / 32];
    for (int step = 16; step; step /= 2)
        value = COMBINE(value, __shfl_xor_sync(0xffffffffu, value, step));
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = value;
    __syncthreads();
    value = parts[threadIdx.x % 32];
    for (int step = 16; step; step /= 2)
        value = COMBINE(value, __shfl_xor_sync(0xffffffffu, value, step));
    return value;
}

/* Rows that registers do not hold are read three times. */
static __global__ void __launch_bounds__(MANY) long_rows(int n, const float *__restrict__ in, float *__restrict__ out)
{
    const float *from = &in[(size_t)n * blockIdx.x];
    float *to = &out[(size_t)n * blockIdx.x];
    float top = -INFINITY, sum = 0;
    for (int j = threadIdx.x; j < n; j += MANY)
        top = fmaxf(top, from[j]);
    top = of_block<largest>(top);
    for (int j = threadIdx.x; j < n; j += MANY)
        sum += expf(from[j] - top);
    sum = of_block<added>(sum);
    for (int j = threadIdx.x; j < n; j += MANY)
        to[j] = expf(from[j] - top) / sum;
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512), rows = 128;
    ALLOCATE(float, in, rows * n);
    ALLOCATE(float, out, rows * n);
    FILL(in, rows * n);
    float *from = on_device(in, rows * n), *to = on_device<float>(NULL, rows * n);
    if (n > KEPT * THREADS)
        long_rows<<<rows, MANY>>>(n, from, to);
    else
        softmax<<<rows, THREADS>>>(n, from, to);
    to_host(out, to, rows * n);
    REPORT(out, rows * n, rows * n);
    return 0;
}
