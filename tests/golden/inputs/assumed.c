/* Fetches are not clipped where the data construct's clause says how long the array is. But the names change places,
 * and the second launch finds an array that is shorter by `less` (at most 2), of which it must not load more than there is.
 */
#include "show.h"

void assumed(const float *a, const float *b, float *c, int n, int less)
{
    int have = n - 1;
#pragma acc data copyin(a[0:n], b[0:n-less]) copy(c[0:n])
    for (int k = 0; k < 2; ++k) {
#pragma acc parallel loop independent
        for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3])
            {
                c[i] += a[i-1];
                if (i + 1 < have)
                    c[i] -= 2 * a[i+1];
            }
        }
        const float *swap = a;
        a = b;
        b = swap;
        have = n - less;
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100), less = argument(argc, argv, 2, 0);
    float *a = filled(n), *b = filled(n - less), *c = filled(n);
    assumed(a, b, c, n, less);
    show("c", c, n);
    return 0;
}
