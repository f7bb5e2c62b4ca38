/* The peer of bench/kernels/red_black.c: each thread walks down four rows of a pair of columns, of which it updates one. */
#include "peer.h"
#define ROWS 4

static __global__ void __launch_bounds__(128) sweep(int n, int colour, float *__restrict__ u, const float *__restrict__ f)
{
    const int h = 128 * blockIdx.x + threadIdx.x, first = 1 + ROWS * blockIdx.y;
    if (h >= (n - 2) / 2)
        return;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int i = first + r, j = 1 + 2 * h + (i + colour) % 2;
        if (i >= n - 1)
            break;
        float *own = &u[(size_t)i * n + j];
        *own = 0.25f * (own[-n] + own[n] + own[-1] + own[1] - f[(size_t)i * n + j]);
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 258);
    ALLOCATE(float, host, n * n);
    FILL(host, n * n);
    float *u = on_device(host, n * n), *f = on_device(host, n * n);
    for (int colour = 0; colour < 2; ++colour)
        sweep<<<dim3(blocks_of((n - 2) / 2, 128), blocks_of(n - 2, ROWS)), 128>>>(n, colour, u, f);
    to_host(host, u, n * n);
    REPORT(host, n * n, (n - 2) * (n - 2));
    return 0;
}
