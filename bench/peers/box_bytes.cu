/* The peer of bench/kernels/box_bytes.c: each thread walks down eight rows, and a sum of three pixels serves three outputs. */
#include "peer.h"
#define ROWS 8

static __global__ void __launch_bounds__(128)
    blur(int h, int w, const unsigned char *__restrict__ in, unsigned char *__restrict__ out)
{
    const int x = 1 + 128 * blockIdx.x + threadIdx.x, first = 1 + ROWS * blockIdx.y;
    if (x >= w - 1)
        return;
    const unsigned char *from = &in[(size_t)(first - 1) * w + x];
    unsigned char *to = &out[(size_t)first * w + x];
    int upper = from[-1] + from[0] + from[1];
    from += w;
    int middle = from[-1] + from[0] + from[1];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        if (first + r >= h - 1)
            break;
        from += w;
        const int lower = from[-1] + from[0] + from[1];
        *to = (unsigned)(upper + middle + lower) / 9;
        to += w;
        upper = middle;
        middle = lower;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 514);
    ALLOCATE(unsigned char, host, n * n);
    for (int i = 0; i < n * n; ++i)
        host[i] = (unsigned char)(255 * input(i));
    unsigned char *in = on_device(host, n * n), *out = on_device(host, n * n);
    blur<<<dim3(blocks_of(n - 2, 128), blocks_of(n - 2, ROWS)), 128>>>(n, n, in, out);
    to_host(host, out, n * n);
    REPORT(host, n * n, (n - 2) * (n - 2));
    return 0;
}
