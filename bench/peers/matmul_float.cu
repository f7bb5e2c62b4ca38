/* The peer of bench/kernels/matmul_float.c. */
#include "matmul.h"

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512);
    ALLOCATE(float, a, n * n);
    ALLOCATE(float, b, n * n);
    ALLOCATE(float, c, n * n);
    FILL(a, n * n);
    FILL(b, n * n);
    matmul(n, a, b, c);
    REPORT(c, n * n, (long)n * n * n);
    return 0;
}
