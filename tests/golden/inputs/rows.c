/* Each iteration works on its own row, which is longer than an emulated hardware cache, again and again.
 *
 * The subarray leaves out both ends of the row. The last element of a row is never written, and read by others.
 */
#include "show.h"

#define LENGTH 13
#define STEPS 8

void rows(float *a, const int *column, int n)
{
#pragma acc parallel loop independent copy(a[0:n*LENGTH]) copyin(column[0:n*STEPS])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i*LENGTH+1:10])
        for (int k = 0; k < STEPS; ++k) {
            int own = i * LENGTH + column[i * STEPS + k];
            int other = column[i * STEPS + k] * n / 12;
            a[own] = a[i * LENGTH + k] + a[other * LENGTH + 12];
            if (a[own] > 0)
                a[i * LENGTH + 11 - k] += 2;
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100);
    float *a = filled((long)n * LENGTH);
    int *column = filled_int((long)n * STEPS, 12);
    rows(a, column, n);
    show("a", a, (long)n * LENGTH);
    return 0;
}
