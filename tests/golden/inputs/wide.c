/* A subarray so long that blocks of the usual size have no room for what their threads need: blocks of 64 have. */
#include "show.h"

#define STRIDE 600

void wide(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:STRIDE*n+8]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[STRIDE*i:STRIDE+8])
        for (int k = 0; k < STRIDE + 8; k += 7)
            for (int l = 0; l < 20; ++l)
                b[i] += (l % 3 - 1) * a[STRIDE*i + k] + a[STRIDE*i + STRIDE + 7 - k];
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100);
    float *a = filled(STRIDE * n + 8), *b = filled(n);
    wide(a, b, n);
    show("b", b, n);
    return 0;
}
