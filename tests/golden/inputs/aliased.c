/* Two names that may be one array: the launch compares addresses and chooses the kernel without a cache. */
#include "show.h"

void aliased(const float *a, float *b, int n)
{
#pragma acc parallel loop independent copy(a[0:n], b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1])
        {
            b[i] = 2 * a[i];
            b[i] += a[i];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100), one = argument(argc, argv, 2, 0);
    float *a = filled(n), *b = one ? a : filled(n);
    aliased(a, b, n);
    show("b", b, n);
    return 0;
}
