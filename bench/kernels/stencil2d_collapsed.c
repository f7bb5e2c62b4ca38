/* Nine points in two dimensions under collapse(2), with a tile of three rows and three columns an iteration. */
#include "problem.h"

static void smooth(int n, const float *restrict from, float *restrict to)
{
#pragma acc parallel loop collapse(2) copyin(from[0:n*n]) copy(to[0:n*n])
    for (int i = 1; i < n - 1; ++i)
        for (int j = 1; j < n - 1; ++j) {
            float sum = 0;
#pragma acc cache(from[i-1:3][j-1:3])
            for (int r = i - 1; r <= i + 1; ++r)
                for (int c = j - 1; c <= j + 1; ++c)
                    sum += from[r * n + c];
            to[i * n + j] = sum / 9;
        }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 514);
    ALLOCATE(float, a, n * n);
    ALLOCATE(float, b, n * n);
    FILL(a, n * n);
    FILL(b, n * n);
    smooth(n, a, b);
    REPORT(b, n * n, (n - 2) * (n - 2));
    return 0;
}
