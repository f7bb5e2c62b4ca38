/* Gauss-Seidel in place: all red points, then all black ones. */
#include "problem.h"

static void sweep(int n, float *restrict u, const float *restrict f)
{
#pragma acc data copy(u[0:n*n]) copyin(f[0:n*n])
    for (int colour = 0; colour < 2; ++colour) {
#pragma acc parallel loop collapse(2) present(u[0:n*n], f[0:n*n])
        for (int i = 1; i < n - 1; ++i)
            for (int h = 0; h < (n - 2) / 2; ++h) {
                const int j = 1 + 2 * h + (i + colour) % 2;
                u[i * n + j] = 0.25f * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1] - f[i * n + j]);
            }
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 258);
    ALLOCATE(float, u, n * n);
    ALLOCATE(float, f, n * n);
    FILL(u, n * n);
    FILL(f, n * n);
    sweep(n, u, f);
    REPORT(u, n * n, (n - 2) * (n - 2));
    return 0;
}
