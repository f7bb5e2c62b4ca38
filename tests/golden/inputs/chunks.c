/* Reads and writes: iteration i owns elements 4*i, 4*i + 2 and 4*i + 3, and reads elements 4*j + 1, which nobody writes.
 *
 * The block's range lacks one element at each end; some writes are conditional, so some elements stay as they are.
 */
#include "show.h"

void chunks(float *a, const int *far, int n)
{
#pragma acc parallel loop independent copy(a[0:4*n]) copyin(far[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[4*i+1:2])
        {
            a[4*i] = a[4*i - 3] + a[4*i + 5];
            if (far[i] % 2 == 0)
                a[4*i + 2] = a[4*i] + a[4*far[i] + 1];
            if (far[i] % 3 == 0)
                a[4*i + 3] += a[4*i + 2];
            a[4*i] += a[4*i + 1];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100);
    float *a = filled(4 * n);
    int *far = filled_int(n, n);
    chunks(a, far, n);
    show("a", a, 4 * n);
    return 0;
}
