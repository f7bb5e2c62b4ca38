/* A step of heat in two dimensions, and the largest change of a point. */
#include "problem.h"

static float step(int n, const float *restrict from, float *restrict to)
{
    float change = 0;
#pragma acc parallel loop collapse(2) reduction(max:change) copyin(from[0:n*n]) copy(to[0:n*n])
    for (int i = 1; i < n - 1; ++i)
        for (int j = 1; j < n - 1; ++j) {
#pragma acc cache(from[(i-1)*n+j-1:3])
            to[i * n + j] =
                0.25f * (from[i * n + j - 1] + from[i * n + j + 1] + from[(i - 1) * n + j] + from[(i + 1) * n + j]);
            change = fmaxf(change, fabsf(to[i * n + j] - from[i * n + j]));
        }
    return change;
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 514);
    ALLOCATE(float, a, n * n);
    ALLOCATE(float, b, n * n);
    FILL(a, n * n);
    FILL(b, n * n);
    b[0] = step(n, a, b);
    REPORT(b, n * n, (n - 2) * (n - 2));
    return 0;
}
