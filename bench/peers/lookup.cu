/* The peer of samples/lookup.c: three loads of sixteen bytes that hold the eight entries, which are then moved to the
   first place. */
#include "peer.h"
#define TAPS 8

static __global__ void __launch_bounds__(256)
    lookup(const int *__restrict__ index, const float *__restrict__ table, float *__restrict__ out, int n, int size)
{
    const int i = 256 * blockIdx.x + threadIdx.x;
    if (i >= n)
        return;
    const int start = index[i], aligned = start / 4 * 4;
    float sum = 0;
    if (aligned + 12 <= size) {
        float x[12];
#pragma unroll
        for (int k = 0; k < 12; k += 4)
            *(float4 *)&x[k] = *(const float4 *)&table[aligned + k];
#pragma unroll
        for (int k = 0; k < 10; ++k) /* the elements move down by two, and by one, where they are wanted there */
            x[k] = start & 2 ? x[k + 2] : x[k];
#pragma unroll
        for (int k = 0; k < TAPS; ++k)
            sum += start & 1 ? x[k + 1] : x[k];
    } else {
        for (int k = start; k < start + TAPS && k < size; ++k)
            sum += table[k];
    }
    out[i] = sum / TAPS;
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 4096), size = argc > 2 ? atoi(argv[2]) : 1000;
    unsigned seed = 1;
    ALLOCATE(int, index, n);
    ALLOCATE(float, table, size);
    ALLOCATE(float, out, n);
    for (int i = 0; i < n; ++i)
        index[i] = (int)(uniform(&seed) * size);
    for (int i = 0; i < size; ++i)
        table[i] = uniform(&seed);
    int *indices = on_device(index, n);
    float *from = on_device(table, size), *to = on_device<float>(NULL, n);
    lookup<<<blocks_of(n, 256), 256>>>(indices, from, to, n, size);
    to_host(out, to, n);
    return report_mean(out, n);
}
