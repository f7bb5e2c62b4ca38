/* Generations of Conway's game in a kernels construct, a byte a cell. */
#include "problem.h"
#define GENERATIONS 2

static void live(int n, unsigned char *restrict a, unsigned char *restrict b)
{
#pragma acc data copy(a[0:n*n]) copy(b[0:n*n])
    for (int g = 0; g < GENERATIONS; ++g) {
        unsigned char *restrict from = g % 2 ? b : a, *restrict to = g % 2 ? a : b;
#pragma acc kernels present(from[0:n*n], to[0:n*n])
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < n - 1; ++j) {
                int sum = 0;
                for (int r = -1; r <= 1; ++r)
                    for (int c = -1; c <= 1; ++c)
                        sum += from[(i + r) * n + j + c];
                to[i * n + j] = sum == 3 || (sum == 4 && from[i * n + j]);
            }
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 1026);
    ALLOCATE(unsigned char, a, n * n);
    ALLOCATE(unsigned char, b, n * n);
    for (int i = 0; i < n * n; ++i)
        a[i] = b[i] = input(i) > 0.6;
    live(n, a, b);
    REPORT(a, n * n, (long)GENERATIONS * (n - 2) * (n - 2));
    return 0;
}
