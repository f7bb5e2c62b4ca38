/* The peer of samples/transpose.c. */
#include "tiles.h"

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 100), m = argc > 2 ? atoi(argv[2]) : 77;
    unsigned seed = 1;
    ALLOCATE(float, a, n * m);
    ALLOCATE(float, b, n * m);
    for (int i = 0; i < n * m; ++i)
        a[i] = uniform(&seed);
    transpose(n, m, a, b);
    return report_mean(b, n * m);
}
