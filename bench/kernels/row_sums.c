/* A matrix times a vector: a reduction a row. */
#include "problem.h"

static void multiply(int n, const float *restrict a, const float *restrict x, float *restrict y)
{
#pragma acc parallel loop gang copyin(a[0:n*n], x[0:n]) copyout(y[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
#pragma acc loop vector reduction(+:sum)
        for (int j = 0; j < n; ++j)
            sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512);
    ALLOCATE(float, a, n * n);
    ALLOCATE(float, x, n);
    ALLOCATE(float, y, n);
    FILL(a, n * n);
    FILL(x, n);
    multiply(n, a, x, y);
    REPORT(y, n, (long)n * n);
    return 0;
}
