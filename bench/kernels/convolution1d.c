/* A filter of 33 taps over a line. */
#include "problem.h"
#define TAPS 33

static void filter(int n, const float *restrict tap, const float *restrict x, float *restrict y)
{
#pragma acc parallel loop copyin(tap[0:TAPS], x[0:n+TAPS-1]) copyout(y[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
#pragma acc cache(x[i:TAPS], tap[0:TAPS])
        for (int t = 0; t < TAPS; ++t)
            sum += tap[t] * x[i + t];
        y[i] = sum;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 131072);
    float tap[TAPS];
    ALLOCATE(float, x, n + TAPS - 1);
    ALLOCATE(float, y, n);
    FILL(tap, TAPS);
    FILL(x, n + TAPS - 1);
    filter(n, tap, x, y);
    REPORT(y, n, (long)n * TAPS);
    return 0;
}
