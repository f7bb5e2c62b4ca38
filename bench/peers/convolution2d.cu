/* The peer of bench/kernels/convolution2d.c: weights in constant memory; each thread walks down eight rows, and what it
   loads of a row goes into the sums of all outputs in whose windows it is. */
#include "peer.h"
#define R 2
#define ROWS 8

static __constant__ float weights[25];

static __global__ void __launch_bounds__(128) filter(int h, int w, const float *__restrict__ in, float *__restrict__ out)
{
    const int x = R + 128 * blockIdx.x + threadIdx.x, first = R + ROWS * blockIdx.y;
    if (x >= w - R)
        return;
    const float *from = &in[(size_t)(first - R) * w + x - R];
    float sum[ROWS] = {};
#pragma unroll
    for (int r = 0; r < ROWS + 2 * R; ++r) {
        if (first - R + r < h) {
            float u[5];
#pragma unroll
            for (int c = 0; c < 5; ++c)
                u[c] = from[c];
#pragma unroll
            for (int o = 0; o < ROWS; ++o)
                if (r - o >= 0 && r - o < 5)
#pragma unroll
                    for (int c = 0; c < 5; ++c)
                        sum[o] += weights[(r - o) * 5 + c] * u[c];
        }
        from += w;
    }
#pragma unroll
    for (int o = 0; o < ROWS; ++o)
        if (first + o < h - R)
            out[(size_t)(first + o) * w + x] = sum[o];
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 516);
    float weight[25];
    ALLOCATE(float, host, n * n);
    FILL(weight, 25);
    FILL(host, n * n);
    cudaMemcpyToSymbol(weights, weight, sizeof weight);
    float *in = on_device(host, n * n), *out = on_device(host, n * n);
    filter<<<dim3(blocks_of(n - 4, 128), blocks_of(n - 4, ROWS)), 128>>>(n, n, in, out);
    to_host(host, out, n * n);
    REPORT(host, n * n, (n - 4) * (n - 4));
    return 0;
}
