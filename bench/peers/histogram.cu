/* The peer of samples/histogram.c: counts in shared memory by atomic additions, then sums over the bins. */
#include "peer.h"
#define BINS 64
#define THREADS 256
#define ITEMS 8

static __global__ void __launch_bounds__(THREADS) count(int n, const int *__restrict__ data, int *__restrict__ total)
{
    __shared__ int bins[BINS];
    const int t = threadIdx.x;
    if (t < BINS)
        bins[t] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k += 4) {
        const int i = (ITEMS * blockIdx.x + k) * THREADS + 4 * t;
        if (i + 4 <= n) {
            const int4 four = *(const int4 *)&data[i];
            atomicAdd(&bins[four.x], 1);
            atomicAdd(&bins[four.y], 1);
            atomicAdd(&bins[four.z], 1);
            atomicAdd(&bins[four.w], 1);
        } else {
            for (int j = i; j < n; ++j)
                atomicAdd(&bins[data[j]], 1);
        }
    }
    __syncthreads();
    if (t < BINS)
        atomicAdd(&total[t], bins[t]);
}

/* Two warps add up the counts of all lower bins. */
static __global__ void accumulate(int *total)
{
    __shared__ int of_first;
    const int t = threadIdx.x;
    int sum = total[t];
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const int lower = __shfl_up_sync(0xffffffffu, sum, step);
        sum += t % 32 >= step ? lower : 0;
    }
    if (t == 31)
        of_first = sum;
    __syncthreads();
    total[t] = sum + (t >= 32 ? of_first : 0);
}

static int random_below(unsigned *state, int below)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 8) % (unsigned)below);
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 10000);
    unsigned seed = 1;
    int total[BINS] = {0};
    ALLOCATE(int, data, n);
    for (int i = 0; i < n; ++i)
        data[i] = random_below(&seed, BINS);
    int *device = on_device(data, n), *sums = on_device(total, BINS);
    count<<<blocks_of(n, ITEMS * THREADS), THREADS>>>(n, device, sums);
    accumulate<<<1, BINS>>>(sums);
    to_host(total, sums, BINS);
    return report_mean(total, BINS);
}
