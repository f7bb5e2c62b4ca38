/* The peer of bench/kernels/transposed.c. */
#include "tiles.h"

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 256) / TILE * TILE;
    ALLOCATE(float, a, n * n);
    ALLOCATE(float, b, n * n);
    FILL(a, n * n);
    transpose(n, n, a, b);
    REPORT(b, n * n, n * n);
    return 0;
}
