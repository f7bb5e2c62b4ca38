/* The peer of bench/kernels/wave.c: as that of stencil2d.c. */
#include "peer.h"
#define ROWS 8

static __global__ void __launch_bounds__(128) step(int n, const float *__restrict__ u, float *__restrict__ v)
{
    const int j = 1 + 128 * blockIdx.x + threadIdx.x, first = 1 + ROWS * blockIdx.y;
    if (j >= n - 1)
        return;
    const float *in = &u[(size_t)first * n + j];
    float *out = &v[(size_t)first * n + j];
    float north = in[-n], own = in[0];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        if (first + r >= n - 1)
            break;
        const float west = in[-1], east = in[1];
        in += n;
        const float south = in[0];
        *out = 2 * own - *out + 0.2f * (west + east + north + south - 4 * own);
        out += n;
        north = own;
        own = south;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 514);
    ALLOCATE(float, host, n * n);
    FILL(host, n * n);
    float *a = on_device(host, n * n), *b = on_device(host, n * n);
    step<<<dim3(blocks_of(n - 2, 128), blocks_of(n - 2, ROWS)), 128>>>(n, a, b);
    to_host(host, b, n * n);
    REPORT(host, n * n, (n - 2) * (n - 2));
    return 0;
}
