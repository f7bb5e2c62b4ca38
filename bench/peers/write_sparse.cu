/* The peer of samples/write_sparse.c: rounds without a probe in a loop of their own, and a store only where one was. */
#include "peer.h"
#define EVERY 64

static __global__ void __launch_bounds__(128) heat_up(const float *__restrict__ a, const unsigned char *__restrict__ probe,
                                                      float *__restrict__ b, int n, int iterations)
{
    const int i = 1 + 128 * blockIdx.x + threadIdx.x;
    if (i >= n - 1)
        return;
    const float left = a[i - 1], right = a[i + 1];
    const bool probed = probe[i];
    float heat = a[i], own = probed ? b[i] : 0;
    int k = 0;
    for (; k + EVERY <= iterations; k += EVERY) {
#pragma unroll 4
        for (int round = 0; round < EVERY; ++round)
            heat = (left + heat + right) / 3;
        own = (own + heat) / 2;
    }
    if (probed)
        b[i] = own;
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 4096), iterations = argc > 2 ? atoi(argv[2]) : 128;
    unsigned seed = 1;
    ALLOCATE(float, a, n);
    ALLOCATE(float, b, n);
    ALLOCATE(unsigned char, probe, n);
    for (int i = 0; i < n; ++i) {
        a[i] = uniform(&seed);
        b[i] = uniform(&seed);
        probe[i] = uniform(&seed) < 1.0f / EVERY;
    }
    float *from = on_device(a, n), *to = on_device(b, n);
    unsigned char *probes = on_device(probe, n);
    heat_up<<<blocks_of(n - 2, 128), 128>>>(from, probes, to, n, iterations);
    to_host(b, to, n);
    return report_mean(b, n);
}
