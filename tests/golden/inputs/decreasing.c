/* A loop that counts down, with rate 2: the block's range begins with its last iteration. */
#include "show.h"

void decreasing(const float *a, float *b, int n)
{
#pragma acc parallel loop independent copyin(a[0:2*n+1]) copy(b[0:n])
    for (int i = n - 1; i >= 0; --i) {
#pragma acc cache(a[2*i:3])
        b[i] = a[2*i] + 2 * a[2*i + 1] + 3 * a[2*i + 2];
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100);
    float *a = filled(2 * n + 1), *b = filled(n);
    decreasing(a, b, n);
    show("b", b, n);
    return 0;
}
