/* The peer of samples/gemm.c. */
#include "matmul.h"

static int random_below(unsigned *state, int below)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 8) % (unsigned)below);
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 112);
    unsigned seed = 1;
    ALLOCATE(float, a, n * n);
    ALLOCATE(float, b, n * n);
    ALLOCATE(float, c, n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = random_below(&seed, 17) - 8;
        b[i] = random_below(&seed, 17) - 8;
    }
    matmul(n, a, b, c);
    return report_mean(c, (size_t)n * n);
}
