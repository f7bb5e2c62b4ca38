/* A star of 25 points, four to each side in three dimensions, as in seismic modelling, under collapse(3) with a tile. */
#include "problem.h"
#define R 4

static void step(int n, const float *restrict weight, const float (*restrict u)[n][n], float (*restrict v)[n][n])
{
#pragma acc parallel loop collapse(3) copyin(weight[0:R+1], u[0:n]) copy(v[0:n])
    for (int i = R; i < n - R; ++i)
        for (int j = R; j < n - R; ++j)
            for (int k = R; k < n - R; ++k) {
#pragma acc cache(u[i][j][k-R:2*R+1])
                float sum = 3 * weight[0] * u[i][j][k];
                for (int r = 1; r <= R; ++r)
                    sum += weight[r] * (u[i - r][j][k] + u[i + r][j][k] + u[i][j - r][k] + u[i][j + r][k] +
                                        u[i][j][k - r] + u[i][j][k + r]);
                v[i][j][k] = 2 * u[i][j][k] - v[i][j][k] + sum;
            }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 136);
    float weight[R + 1];
    ALLOCATE(float, u, n * n * n);
    ALLOCATE(float, v, n * n * n);
    FILL(weight, R + 1);
    FILL(u, n * n * n);
    FILL(v, n * n * n);
    step(n, weight, (const float (*)[n][n])u, (float (*)[n][n])v);
    REPORT(v, n * n * n, (n - 2 * R) * (n - 2 * R) * (n - 2 * R));
    return 0;
}
