/* The peer of bench/kernels/convolution1d.c: taps in constant memory, four outputs a thread from a tile in shared memory. */
#include "peer.h"
#define TAPS 33
#define THREADS 256
#define OUTPUTS (4 * THREADS)
#define TILE (OUTPUTS + 36)

static __constant__ float taps[TAPS];

static __global__ void __launch_bounds__(THREADS) filter(int n, const float *__restrict__ x, float *__restrict__ y)
{
    __shared__ __align__(16) float tile[TILE];
    const int start = OUTPUTS * blockIdx.x, t = threadIdx.x;
    const bool whole = start + TILE <= n;
    if (whole) {
        *(float4 *)&tile[4 * t] = *(const float4 *)&x[start + 4 * t];
        if (t < (TILE - OUTPUTS) / 4)
            *(float4 *)&tile[OUTPUTS + 4 * t] = *(const float4 *)&x[start + OUTPUTS + 4 * t];
    } else {
        for (int k = t; k < TILE; k += THREADS)
            tile[k] = start + k < n + TAPS - 1 ? x[start + k] : 0;
    }
    __syncthreads();
    float sum[4] = {};
#pragma unroll
    for (int k = 0; k < 36; k += 4) {
        const float4 four = *(const float4 *)&tile[4 * t + k];
        const float u[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int e = 0; e < 4; ++e)
#pragma unroll
            for (int o = 0; o < 4; ++o)
                if (k + e - o >= 0 && k + e - o < TAPS)
                    sum[o] += taps[k + e - o] * u[e];
    }
    const int i = start + 4 * t;
    if (whole) {
        *(float4 *)&y[i] = make_float4(sum[0], sum[1], sum[2], sum[3]);
    } else {
        for (int o = 0; o < 4; ++o)
            if (i + o < n)
                y[i + o] = sum[o];
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 131072);
    float tap[TAPS];
    ALLOCATE(float, x, n + TAPS - 1);
    ALLOCATE(float, y, n);
    FILL(tap, TAPS);
    FILL(x, n + TAPS - 1);
    cudaMemcpyToSymbol(taps, tap, sizeof tap);
    float *from = on_device(x, n + TAPS - 1), *to = on_device<float>(NULL, n);
    filter<<<blocks_of(n, OUTPUTS), THREADS>>>(n, from, to);
    to_host(y, to, n);
    REPORT(y, n, (long)n * TAPS);
    return 0;
}
