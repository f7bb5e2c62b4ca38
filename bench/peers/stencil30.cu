/* The peer of samples/stencil.c with RADIUS 30: a tile in shared memory that is filled and read 16 bytes at a time, and four
   outputs a thread, whose windows move along the same elements. */
#include "peer.h"
#define R 30
#define AHEAD 32 /* the radius, rounded up so that tiles start at multiples of four */
#define OUTPUTS 1024
#define TILE (OUTPUTS + 2 * AHEAD)

static __global__ void __launch_bounds__(256) smooth(int n, const float *__restrict__ a, float *__restrict__ b)
{
    __shared__ __align__(16) float tile[TILE];
    const int start = OUTPUTS * blockIdx.x - AHEAD, t = threadIdx.x;
    const bool whole = start >= 0 && start + TILE <= n;
    if (whole) {
#pragma unroll
        for (int k = 4 * t; k < 2048; k += 1024)
            if (k < TILE)
                *(float4 *)&tile[k] = *(const float4 *)&a[start + k];
    } else {
        for (int k = t; k < TILE; k += 256)
            tile[k] = start + k >= 0 && start + k < n ? a[start + k] : 0;
    }
    __syncthreads();
    float sum[4] = {};
#pragma unroll
    for (int k = 0; k < 2 * AHEAD + 4; k += 4) {
        const float4 four = *(const float4 *)&tile[4 * t + k];
        const float x[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int e = 0; e < 4; ++e)
#pragma unroll
            for (int u = 0; u < 4; ++u)
                if (abs(k + e - AHEAD - u) <= R)
                    sum[u] += x[e];
    }
    const int i = OUTPUTS * blockIdx.x + 4 * t;
    if (whole) {
        *(float4 *)&b[i] = make_float4(sum[0] / (2 * R + 1), sum[1] / (2 * R + 1), sum[2] / (2 * R + 1), sum[3] / (2 * R + 1));
    } else {
        for (int u = 0; u < 4; ++u)
            if (i + u >= R && i + u < n - R)
                b[i + u] = sum[u] / (2 * R + 1);
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
        smooth<<<blocks_of(n, OUTPUTS), 256>>>(n, a, b);
        float *swap = a;
        a = b;
        b = swap;
    }
    to_host(host, a, n);
    return report_mean(host, n);
}
