/* The peer of bench/kernels/life.c: each thread walks down eight rows, and a sum of three cells serves three outputs. */
#include "peer.h"
#define GENERATIONS 2
#define ROWS 8

static __global__ void __launch_bounds__(128) live(int n, const unsigned char *__restrict__ in, unsigned char *__restrict__ out)
{
    const int x = 1 + 128 * blockIdx.x + threadIdx.x, first = 1 + ROWS * blockIdx.y;
    if (x >= n - 1)
        return;
    const unsigned char *from = &in[(size_t)(first - 1) * n + x];
    unsigned char *to = &out[(size_t)first * n + x];
    int upper = from[-1] + from[0] + from[1];
    from += n;
    int own = from[0], middle = from[-1] + own + from[1];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        if (first + r >= n - 1)
            break;
        from += n;
        const int below = from[0], lower = from[-1] + below + from[1], sum = upper + middle + lower;
        *to = sum == 3 || (sum == 4 && own);
        to += n;
        upper = middle;
        middle = lower;
        own = below;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 1026);
    ALLOCATE(unsigned char, host, n * n);
    for (int i = 0; i < n * n; ++i)
        host[i] = input(i) > 0.6;
    unsigned char *a = on_device(host, n * n), *b = on_device(host, n * n);
    for (int g = 0; g < GENERATIONS; ++g)
        live<<<dim3(blocks_of(n - 2, 128), blocks_of(n - 2, ROWS)), 128>>>(n, g % 2 ? b : a, g % 2 ? a : b);
    to_host(host, a, n * n);
    REPORT(host, n * n, (long)GENERATIONS * (n - 2) * (n - 2));
    return 0;
}
