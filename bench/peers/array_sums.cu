/* The peer of bench/kernels/array_sums.c: each lane of a warp has sums of its own in shared memory, where it meets nobody. */
#include "peer.h"
#define CLASSES 16
#define THREADS 64
#define ITEMS 16

static __global__ void __launch_bounds__(THREADS)
    add(int n, const unsigned char *__restrict__ group, const float *__restrict__ x, float *__restrict__ total)
{
    __shared__ float sums[CLASSES][THREADS];
    const int t = threadIdx.x, first = ITEMS * THREADS * blockIdx.x;
#pragma unroll
    for (int c = 0; c < CLASSES; ++c)
        sums[c][t] = 0;
#pragma unroll
    for (int k = 0; k < ITEMS; k += 4) {
        const int i = first + k * THREADS + 4 * t;
        if (i + 4 <= n) {
            const uchar4 g = *(const uchar4 *)&group[i];
            const float4 v = *(const float4 *)&x[i];
            sums[g.x][t] += v.x;
            sums[g.y][t] += v.y;
            sums[g.z][t] += v.z;
            sums[g.w][t] += v.w;
        } else {
            for (int j = i; j < n; ++j)
                sums[group[j]][t] += x[j];
        }
    }
    __syncthreads();
    for (int c = t / 32; c < CLASSES; c += THREADS / 32) {
        const float sum = sum_of_warp(sums[c][t % 32] + sums[c][t % 32 + 32]);
        if (t % 32 == 0)
            atomicAdd(&total[c], sum);
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 1 << 15);
    float sum[CLASSES] = {0};
    ALLOCATE(unsigned char, group, n);
    ALLOCATE(float, x, n);
    for (int i = 0; i < n; ++i) {
        group[i] = (unsigned char)(CLASSES * input(i)) % CLASSES;
        x[i] = (float)(16 * input(i + 7));
    }
    unsigned char *groups = on_device(group, n);
    float *values = on_device(x, n), *total = on_device(sum, CLASSES);
    add<<<blocks_of(n, ITEMS * THREADS), THREADS>>>(n, groups, values, total);
    to_host(sum, total, CLASSES);
    REPORT(sum, CLASSES, n);
    return 0;
}
