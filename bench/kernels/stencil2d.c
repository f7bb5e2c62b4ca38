/* Five points in two dimensions, the inner loop left to the compiler. */
#include "problem.h"

static void step(int n, const float *restrict from, float *restrict to)
{
#pragma acc parallel loop copyin(from[0:n*n]) copy(to[0:n*n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(from[(i-1)*n:3*n])
        for (int j = 1; j < n - 1; ++j)
            to[i * n + j] = 0.5f * from[i * n + j] + 0.125f * (from[(i - 1) * n + j] + from[(i + 1) * n + j] +
                                                                from[i * n + j - 1] + from[i * n + j + 1]);
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 514);
    ALLOCATE(float, a, n * n);
    ALLOCATE(float, b, n * n);
    FILL(a, n * n);
    FILL(b, n * n);
    step(n, a, b);
    REPORT(b, n * n, (n - 2) * (n - 2));
    return 0;
}
