/* A product of matrices of doubles as one writes it down, without a word about caches. */
#include "problem.h"

static void multiply(int n, const double (*restrict a)[n], const double (*restrict b)[n], double (*restrict c)[n])
{
#pragma acc parallel loop copyin(a[0:n], b[0:n]) copyout(c[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop
        for (int j = 0; j < n; ++j) {
            double sum = 0;
#pragma acc loop seq
            for (int k = 0; k < n; ++k)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512);
    ALLOCATE(double, a, n * n);
    ALLOCATE(double, b, n * n);
    ALLOCATE(double, c, n * n);
    FILL(a, n * n);
    FILL(b, n * n);
    multiply(n, (const double (*)[n])a, (const double (*)[n])b, (double (*)[n])c);
    REPORT(c, n * n, (long)n * n * n);
    return 0;
}
