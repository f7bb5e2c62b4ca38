/* Reads and writes: iteration i owns elements 3*i and 3*i + 2, and reads the elements 3*j + 1 around it.
 *
 * far[i] is 0 or leads out of the subarray; some writes are conditional, so some elements stay as they are.
 */
#include "show.h"

void chunks(float *a, const int *far, int n)
{
#pragma acc parallel loop independent copy(a[0:3*n]) copyin(far[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[3*i-2:7])
        {
            a[3*i] = a[3*i - 2] + a[3*i + 4];
            if (far[i] % 2 == 0)
                a[3*i + 2] = a[3*i] + a[3*far[i] + 1];
            a[3*i] += a[3*i + 1];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100);
    float *a = filled(3 * n);
    int *far = filled_int(n, n);
    for (int i = 0; i < n; ++i)
        if (i % 3)
            far[i] = i;
    chunks(a, far, n);
    show("a", a, 3 * n);
    return 0;
}
