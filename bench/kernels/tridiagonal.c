/* Many small tridiagonal systems, one an iteration, solved with arrays of the iteration's own. */
#include "problem.h"
#define N 16

static void solve(int systems, const float *restrict low, const float *restrict mid, const float *restrict up,
                  float *restrict x)
{
#pragma acc parallel loop copyin(low[0:systems*N], mid[0:systems*N], up[0:systems*N]) copy(x[0:systems*N])
    for (int s = 0; s < systems; ++s) {
        float c[N], d[N];
        c[0] = up[s * N] / mid[s * N];
        d[0] = x[s * N] / mid[s * N];
        for (int i = 1; i < N; ++i) {
            const float w = mid[s * N + i] - low[s * N + i] * c[i - 1];
            c[i] = up[s * N + i] / w;
            d[i] = (x[s * N + i] - low[s * N + i] * d[i - 1]) / w;
        }
        x[s * N + N - 1] = d[N - 1];
        for (int i = N - 2; i >= 0; --i)
            x[s * N + i] = d[i] - c[i] * x[s * N + i + 1];
    }
}

int main(int argc, char **argv)
{
    const int systems = (int)size_of(argc, argv, 2048), n = systems * N;
    ALLOCATE(float, low, n);
    ALLOCATE(float, mid, n);
    ALLOCATE(float, up, n);
    ALLOCATE(float, x, n);
    FILL(low, n);
    FILL(up, n);
    FILL(x, n);
    for (int i = 0; i < n; ++i)
        mid[i] = 4 + (float)input(i);
    solve(systems, low, mid, up, x);
    REPORT(x, n, n);
    return 0;
}
