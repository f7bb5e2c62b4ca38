/* An unsigned loop variable: past the end of the loop it may wrap around. */
#include "show.h"

void unsigned_index(const float *a, float *b, unsigned n)
{
#pragma acc parallel loop independent copyin(a[0:n+1]) copy(b[0:n])
    for (unsigned i = 0; i < n; i += 2) {
#pragma acc cache(a[i:2])
        b[i] = a[i] - a[i + 1];
    }
}

int main(int argc, char **argv)
{
    unsigned n = (unsigned)argument(argc, argv, 1, 100);
    float *a = filled(n + 1), *b = filled(n);
    unsigned_index(a, b, n);
    show("b", b, n);
    return 0;
}
