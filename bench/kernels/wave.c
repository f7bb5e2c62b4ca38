/* A wave equation in two dimensions: rows of the field cached under gang and vector loops. */
#include "problem.h"
#define BLOCK 128

static void step(int n, const float *restrict u, float *restrict v)
{
#pragma acc parallel loop gang collapse(2) vector_length(BLOCK) copyin(u[0:n*n]) copy(v[0:n*n])
    for (int i = 1; i < n - 1; ++i)
        for (int k = 1; k < n - 1; k += BLOCK) {
#pragma acc loop vector
            for (int j = k; j < (k + BLOCK < n - 1 ? k + BLOCK : n - 1); ++j) {
#pragma acc cache(u[i*n+j-1:3])
                v[i * n + j] = 2 * u[i * n + j] - v[i * n + j] + 0.2f * (u[i * n + j - 1] + u[i * n + j + 1] +
                               u[(i - 1) * n + j] + u[(i + 1) * n + j] - 4 * u[i * n + j]);
            }
        }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 514);
    ALLOCATE(float, u, n * n);
    ALLOCATE(float, v, n * n);
    FILL(u, n * n);
    FILL(v, n * n);
    step(n, u, v);
    REPORT(v, n * n, (n - 2) * (n - 2));
    return 0;
}
