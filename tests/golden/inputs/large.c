/* Two tiles that together need more shared memory than a kernel may declare. */
#include "show.h"

#define LENGTH 7000

void large(const float *a, const float *b, float *c, int n)
{
#pragma acc parallel loop independent copyin(a[0:n+LENGTH-1], b[0:n+LENGTH-1]) copy(c[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:LENGTH], b[i:LENGTH])
        for (int k = 0; k < LENGTH; k += 999)
            c[i] += a[i + k] - b[i + LENGTH - 1 - k];
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100);
    float *a = filled(n + LENGTH - 1), *b = filled(n + LENGTH - 1), *c = filled(n);
    large(a, b, c, n);
    show("c", c, n);
    return 0;
}
