/* The peer of samples/stencil.c with RADIUS 1: four outputs a thread, loaded and stored at once. */
#include "peer.h"

static __global__ void __launch_bounds__(256) smooth(int n, const float *__restrict__ a, float *__restrict__ b)
{
    const int i = 4 * (256 * blockIdx.x + threadIdx.x);
    if (i > 0 && i + 5 <= n) {
        const float before = a[i - 1], behind = a[i + 4];
        const float4 x = *(const float4 *)&a[i];
        *(float4 *)&b[i] = make_float4((before + x.x + x.y) / 3, (x.x + x.y + x.z) / 3, (x.y + x.z + x.w) / 3,
                                       (x.z + x.w + behind) / 3);
    } else {
        for (int j = max(i, 1); j < min(i + 4, n - 1); ++j)
            b[j] = (a[j - 1] + a[j] + a[j + 1]) / 3;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 4096), iterations = argc > 2 ? atoi(argv[2]) : 9;
    unsigned seed = 1;
    ALLOCATE(float, host, n);
    for (int i = 0; i < n; ++i)
        host[i] = uniform(&seed);
    float *a = on_device(host, n), *b = on_device(host, n);
    for (int k = 0; k < iterations; ++k) {
        smooth<<<blocks_of(n, 1024), 256>>>(n, a, b);
        float *swap = a;
        a = b;
        b = swap;
    }
    to_host(host, a, n);
    return report_mean(host, n);
}
