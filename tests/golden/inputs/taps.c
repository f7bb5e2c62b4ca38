/* A read-only tile of overlapping subarrays: rate 1, a halo of one element below and two above. */
#include "show.h"

void taps(const float *a, float *b, int n)
{
#pragma acc parallel loop independent copyin(a[0:n+3]) copy(b[0:n])
    for (int i = 1; i < n; ++i) {
        float sum = 0;
#pragma acc cache(a[i-1:4])
        for (int k = -1; k <= 2; ++k)
            sum += (k + 2) * a[i + k];
        b[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100);
    float *a = filled(n + 3), *b = filled(n);
    taps(a, b, n);
    show("b", b, n);
    return 0;
}
