/* The peer of bench/kernels/padded.c: weights in constant memory; each thread walks down eight rows, and what it loads of
   a row, zeros beyond the edges, goes into the sums of all outputs in whose windows it is. */
#include "peer.h"
#define R 2
#define ROWS 8

static __constant__ float weights[25];

static __global__ void __launch_bounds__(128)
    filter(int rows, int columns, const float *__restrict__ image, float *__restrict__ out)
{
    const int j = 128 * blockIdx.x + threadIdx.x, first = ROWS * blockIdx.y;
    if (j >= columns)
        return;
    float sum[ROWS] = {};
#pragma unroll
    for (int r = 0; r < ROWS + 2 * R; ++r) {
        const int i = first - R + r;
        if (i < 0 || i >= rows)
            continue;
        float u[5];
#pragma unroll
        for (int c = 0; c < 5; ++c)
            u[c] = j + c - R >= 0 && j + c - R < columns ? image[i * columns + j + c - R] : 0;
#pragma unroll
        for (int o = 0; o < ROWS; ++o)
            if (r - o >= 0 && r - o < 5)
#pragma unroll
                for (int c = 0; c < 5; ++c)
                    sum[o] += weights[(r - o) * 5 + c] * u[c];
    }
#pragma unroll
    for (int o = 0; o < ROWS; ++o)
        if (first + o < rows)
            out[(first + o) * columns + j] = sum[o];
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512);
    float weight[25];
    ALLOCATE(float, host, n * n);
    FILL(weight, 25);
    FILL(host, n * n);
    cudaMemcpyToSymbol(weights, weight, sizeof weight);
    float *image = on_device(host, n * n), *out = on_device<float>(NULL, n * n);
    filter<<<dim3(blocks_of(n, 128), blocks_of(n, ROWS)), 128>>>(n, n, image, out);
    to_host(host, out, n * n);
    REPORT(host, n * n, (long)n * n);
    return 0;
}
