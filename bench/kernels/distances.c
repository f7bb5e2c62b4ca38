/* Squared distances of all points of eight coordinates from all others. */
#include "problem.h"
#define DIMENSIONS 8

static void measure(int n, const float (*restrict p)[DIMENSIONS], float (*restrict d)[n])
{
#pragma acc parallel loop collapse(2) copyin(p[0:n]) copyout(d[0:n])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
#pragma acc cache(p[i:1][0:DIMENSIONS], p[j:1][0:DIMENSIONS])
            for (int k = 0; k < DIMENSIONS; ++k)
                sum += (p[i][k] - p[j][k]) * (p[i][k] - p[j][k]);
            d[i][j] = sum;
        }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512);
    ALLOCATE(float, p, n * DIMENSIONS);
    ALLOCATE(float, d, n * n);
    FILL(p, n * DIMENSIONS);
    measure(n, (const float (*)[DIMENSIONS])p, (float (*)[n])d);
    REPORT(d, n * n, n * n);
    return 0;
}
