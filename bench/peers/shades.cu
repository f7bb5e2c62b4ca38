/* The peer of bench/kernels/shades.c: the table in shared memory, four rows a thread, so that a block fetches it once
   for them. */
#include "peer.h"
#define R 2
#define ROWS 4

static __global__ void __launch_bounds__(128) shade(int rows, int columns, const unsigned char *__restrict__ image,
                                                    const float *__restrict__ weight, unsigned char *__restrict__ out)
{
    __shared__ float table[256];
    for (int k = threadIdx.x; k < 256; k += 128)
        table[k] = weight[k];
    __syncthreads();
    const int j = R + 128 * blockIdx.x + threadIdx.x, first = R + ROWS * blockIdx.y;
    if (j >= columns - R)
        return;
    int centre[ROWS];
    float sum[ROWS] = {}, weights[ROWS] = {};
#pragma unroll
    for (int o = 0; o < ROWS; ++o)
        centre[o] = image[min(first + o, rows - 1) * columns + j];
#pragma unroll
    for (int r = -R; r < ROWS + R; ++r) {
        const int row = min(first + r, rows - 1);
#pragma unroll
        for (int c = -R; c <= R; ++c) {
            const int u = image[row * columns + j + c];
#pragma unroll
            for (int o = 0; o < ROWS; ++o)
                if (r - o >= -R && r - o <= R) {
                    const float w = table[abs(u - centre[o])];
                    sum[o] += w * u;
                    weights[o] += w;
                }
        }
    }
#pragma unroll
    for (int o = 0; o < ROWS; ++o)
        if (first + o < rows - R)
            out[(first + o) * columns + j] = (unsigned char)(sum[o] / weights[o]);
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 260);
    ALLOCATE(unsigned char, host, n * n);
    float weight[256];
    for (int i = 0; i < n * n; ++i)
        host[i] = (unsigned char)(255 * input(i));
    for (int i = 0; i < 256; ++i)
        weight[i] = 1 / (1 + 0.01f * (float)(i * i));
    unsigned char *image = on_device(host, n * n), *out = on_device(host, n * n);
    const float *table = on_device(weight, 256);
    shade<<<dim3(blocks_of(n - 2 * R, 128), blocks_of(n - 2 * R, ROWS)), 128>>>(n, n, image, table, out);
    to_host(host, out, n * n);
    REPORT(host, n * n, (long)(n - 2 * R) * (n - 2 * R));
    return 0;
}
