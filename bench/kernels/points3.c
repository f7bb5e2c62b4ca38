/* Points of three coordinates, turned; the short loop lies inside. */
#include "problem.h"

static void turn(int n, const float m[3][3], const float (*restrict p)[3], float (*restrict q)[3])
{
#pragma acc parallel loop copyin(m[0:3], p[0:n]) copyout(q[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop
        for (int c = 0; c < 3; ++c)
            q[i][c] = m[c][0] * p[i][0] + m[c][1] * p[i][1] + m[c][2] * p[i][2];
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 1 << 15);
    float m[3][3];
    ALLOCATE(float, p, 3 * n);
    ALLOCATE(float, q, 3 * n);
    FILL(&m[0][0], 9);
    FILL(p, 3 * n);
    turn(n, m, (const float (*)[3])p, (float (*)[3])q);
    REPORT(q, 3 * n, n);
    return 0;
}
