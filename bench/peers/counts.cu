/* The peer of bench/kernels/counts.c: each warp counts 16 keys a thread in bins of its own in shared memory. */
#include "peer.h"
#ifndef BINS
#define BINS 64
#endif
#define THREADS 256
#define WARPS (THREADS / 32)
#define KEYS 16

static __device__ void count_four(unsigned keys, int *bin)
{
#pragma unroll
    for (int byte = 0; byte < 4; ++byte)
        atomicAdd(&bin[(keys >> 8 * byte) % BINS], 1);
}

static __global__ void __launch_bounds__(THREADS) count(int n, const unsigned char *__restrict__ key, int *__restrict__ total)
{
    __shared__ int bins[WARPS * BINS];
    const int t = threadIdx.x;
#pragma unroll
    for (int b = t; b < WARPS * BINS; b += THREADS)
        bins[b] = 0;
    __syncthreads();
    int *bin = &bins[t / 32 * BINS];
    const int first = KEYS * (THREADS * blockIdx.x + t);
    if (first + KEYS <= n) {
        const uint4 keys = *(const uint4 *)&key[first];
        count_four(keys.x, bin);
        count_four(keys.y, bin);
        count_four(keys.z, bin);
        count_four(keys.w, bin);
    } else {
        for (int i = first; i < n; ++i)
            atomicAdd(&bin[key[i] % BINS], 1);
    }
    __syncthreads();
    if (t < BINS) {
        int sum = 0;
#pragma unroll
        for (int warp = 0; warp < WARPS; ++warp)
            sum += bins[warp * BINS + t];
        atomicAdd(&total[t], sum);
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 1 << 17);
    int total[BINS] = {0};
    ALLOCATE(unsigned char, key, n);
    for (int i = 0; i < n; ++i)
        key[i] = (unsigned char)(255 * input(i));
    unsigned char *keys = on_device(key, n);
    int *sums = on_device(total, BINS);
    count<<<blocks_of(n, KEYS * THREADS), THREADS>>>(n, keys, sums);
    to_host(total, sums, BINS);
    REPORT(total, BINS, n);
    return 0;
}
