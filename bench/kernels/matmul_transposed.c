/* The first factor of a product lies transposed: a[k][i]. */
#include "problem.h"

static void multiply(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc parallel loop gang copyin(a[0:n*n], b[0:n*n]) copyout(c[0:n*n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int k = 0; k < n; ++k)
                sum += a[k * n + i] * b[k * n + j];
            c[i * n + j] = sum;
        }
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 768);
    ALLOCATE(float, a, n * n);
    ALLOCATE(float, b, n * n);
    ALLOCATE(float, c, n * n);
    FILL(a, n * n);
    FILL(b, n * n);
    multiply(n, a, b, c);
    REPORT(c, n * n, (long)n * n * n);
    return 0;
}
