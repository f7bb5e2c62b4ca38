/* The peer of bench/kernels/sobel_shorts.c: each thread walks down eight rows and keeps differences and sums of each. */
#include "peer.h"
#define ROWS 8

static __global__ void __launch_bounds__(128) sobel(int h, int w, const short *__restrict__ in, short *__restrict__ out)
{
    const int x = 1 + 128 * blockIdx.x + threadIdx.x, first = 1 + ROWS * blockIdx.y;
    if (x >= w - 1)
        return;
    const short *from = &in[(size_t)(first - 1) * w + x];
    short *to = &out[(size_t)first * w + x];
    int across[3], along[3];
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        const int west = from[-1], own = from[0], east = from[1];
        across[r] = east - west;
        along[r] = west + 2 * own + east;
        from += w;
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        if (first + r >= h - 1)
            break;
        const int west = from[-1], own = from[0], east = from[1];
        from += w;
        across[(r + 2) % 3] = east - west;
        along[(r + 2) % 3] = west + 2 * own + east;
        const int gx = across[r % 3] + 2 * across[(r + 1) % 3] + across[(r + 2) % 3];
        const int gy = along[(r + 2) % 3] - along[r % 3];
        *to = min(abs(gx) + abs(gy), 32767);
        to += w;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 514);
    ALLOCATE(short, host, n * n);
    for (int i = 0; i < n * n; ++i)
        host[i] = (short)(1024 * input(i));
    short *in = on_device(host, n * n), *out = on_device(host, n * n);
    sobel<<<dim3(blocks_of(n - 2, 128), blocks_of(n - 2, ROWS)), 128>>>(n, n, in, out);
    to_host(host, out, n * n);
    REPORT(host, n * n, (n - 2) * (n - 2));
    return 0;
}
