/* Each iteration works on its own row, which is longer than an emulated hardware cache, again and again. */
#include "show.h"

#define LENGTH 13

void rows(float *a, const int *column, int n)
{
#pragma acc parallel loop independent copy(a[0:n*LENGTH]) copyin(column[0:n*8])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i*LENGTH:LENGTH])
        for (int k = 0; k < 8; ++k) {
            int from = i * LENGTH + column[i * 8 + k];
            a[from] = a[i * LENGTH + k] + 1;
            if (a[from] > 0)
                a[i * LENGTH + 12 - k] += 2;
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100);
    float *a = filled((long)n * LENGTH);
    int *column = filled_int((long)n * 8, LENGTH);
    rows(a, column, n);
    show("a", a, (long)n * LENGTH);
    return 0;
}
