/* A kernels region with two loop nests: two kernels, the second reads what the first wrote. */
#include "show.h"

void nests(const float *a, float *restrict b, float *restrict c, int n)
{
#pragma acc kernels copyin(a[0:n+1]) copy(b[0:n], c[0:n])
    {
#pragma acc loop independent
        for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:2])
            b[i] = a[i] - a[i + 1];
        }
#pragma acc loop independent
        for (int i = 1; i < n; ++i) {
#pragma acc cache(b[i-1:2])
            c[i] = b[i] + b[i - 1];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100);
    float *a = filled(n + 1), *b = filled(n), *c = filled(n);
    nests(a, b, c, n);
    show("b", b, n);
    show("c", c, n);
    return 0;
}
