/* Brute force: each iteration writes its whole subarray, so the block writes all of its tile back, side by side.
 *
 * What is read (the first element of a, the last of b) was written before, so nothing is fetched.
 * Some elements before and behind belong to nobody. The subarrays of b follow each other downwards.
 */
#include "show.h"

void brute(float *a, short *b, const float *c, int n)
{
#pragma acc parallel loop independent copy(a[0:4*n+8], b[0:4*n+8]) copyin(c[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[4*i+3:4], b[4*n-4*i:4])
        {
            for (int k = 0; k < 4; ++k)
                a[4*i + 3 + k] = c[i] - k;
            for (int k = 4*n - 4*i; k < 4*n - 4*i + 4; ++k)
                b[k] = (short)(a[4*i + 3] + k);
            if (b[4*n - 4*i + 3] % 2)
                a[4*i + 5] += 1;
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100);
    float *a = filled(4 * n + 8), *c = filled(n);
    short *b = malloc((4 * n + 8) * sizeof *b);
    for (int k = 0; k < 4 * n + 8; ++k)
        b[k] = (short)next(100);
    brute(a, b, c, n);
    show("a", a, 4 * n + 8);
    for (int k = 0; k < 4 * n + 8; ++k)
        printf("b[%d] = %d\n", k, b[k]);
    return 0;
}
