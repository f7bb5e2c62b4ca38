/* Subarrays that reach past both ends of the array: what does not exist must not be fetched.
 *
 * If the array is longer than the loop, what no iteration asks for must not be fetched either.
 */
#include "show.h"

void edges(const float *a, float *b, int n, int size)
{
#pragma acc parallel loop independent copyin(a[0:size]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i-2:5])
        {
            b[i] += a[i];
            if (i > 1)
                b[i] += 2 * a[i - 2];
            if (i + 2 < size)
                b[i] += 3 * a[i + 2];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100), size = n + argument(argc, argv, 2, 0);
    float *a = filled(size), *b = filled(n);
    edges(a, b, n, size);
    show("b", b, n);
    return 0;
}
