/* The peer of bench/kernels/blur_columns.c: weights in constant memory; each thread has four neighbouring columns of
   eight rows, and what it loads of a row goes into the sums of all outputs in whose windows it is. */
#include "peer.h"
#define R 8
#define ROWS 8

static __constant__ float weights[2 * R + 1];

static __global__ void __launch_bounds__(64)
    blur(int rows, int columns, const float *__restrict__ image, float *__restrict__ out)
{
    const int j = 4 * (64 * blockIdx.x + threadIdx.x), first = ROWS * blockIdx.y;
    if (j >= columns)
        return;
    float4 sum[ROWS] = {};
#pragma unroll
    for (int r = -R; r < ROWS + R; ++r) {
        const int row = min(max(first + r, 0), rows - 1);
        const float4 u = *(const float4 *)&image[row * columns + j];
#pragma unroll
        for (int o = 0; o < ROWS; ++o)
            if (r - o >= -R && r - o <= R) {
                const float w = weights[r - o + R];
                sum[o].x += w * u.x;
                sum[o].y += w * u.y;
                sum[o].z += w * u.z;
                sum[o].w += w * u.w;
            }
    }
#pragma unroll
    for (int o = 0; o < ROWS; ++o)
        if (first + o < rows)
            *(float4 *)&out[(first + o) * columns + j] = sum[o];
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512);
    float weight[2 * R + 1];
    ALLOCATE(float, host, n * n);
    FILL(weight, 2 * R + 1);
    FILL(host, n * n);
    cudaMemcpyToSymbol(weights, weight, sizeof weight);
    float *image = on_device(host, n * n), *out = on_device<float>(NULL, n * n);
    blur<<<dim3(blocks_of(n, 256), blocks_of(n, ROWS)), 64>>>(n, n, image, out);
    to_host(host, out, n * n);
    REPORT(host, n * n, (long)n * n);
    return 0;
}
