/* A product of matrices of floats by strips of 16, the subarrays of both factors cached. */
#include "problem.h"
#define STRIP 16

static void multiply(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc parallel loop collapse(2) copyin(a[0:n*n], b[0:n*n]) copyout(c[0:n*n])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < n; l += STRIP) {
#pragma acc cache(a[i:1][l:STRIP], b[l:STRIP][j:1])
                for (int k = l; k < l + STRIP && k < n; ++k)
                    sum += a[i * n + k] * b[k * n + j];
            }
            c[i * n + j] = sum;
        }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512);
    ALLOCATE(float, a, n * n);
    ALLOCATE(float, b, n * n);
    ALLOCATE(float, c, n * n);
    FILL(a, n * n);
    FILL(b, n * n);
    multiply(n, a, b, c);
    REPORT(c, n * n, (long)n * n * n);
    return 0;
}
