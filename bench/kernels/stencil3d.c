/* Seven points in three dimensions, gang, worker and vector spelled out. */
#include "problem.h"

static void step(int n, const double (*restrict u)[n][n], double (*restrict v)[n][n])
{
#pragma acc parallel loop gang copyin(u[0:n]) copy(v[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc loop worker
        for (int j = 1; j < n - 1; ++j) {
#pragma acc loop vector
            for (int k = 1; k < n - 1; ++k)
                v[i][j][k] = u[i][j][k] + 0.1 * (u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k] + u[i][j + 1][k] +
                                                 u[i][j][k - 1] + u[i][j][k + 1] - 6 * u[i][j][k]);
        }
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 66);
    ALLOCATE(double, u, n * n * n);
    ALLOCATE(double, v, n * n * n);
    FILL(u, n * n * n);
    FILL(v, n * n * n);
    step(n, (const double (*)[n][n])u, (double (*)[n][n])v);
    REPORT(v, n * n * n, (n - 2) * (n - 2) * (n - 2));
    return 0;
}
