/* The peer of bench/kernels/stencil2d_collapsed.c. */
#include "window.h"

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 514);
    ALLOCATE(float, host, n * n);
    FILL(host, n * n);
    float *a = on_device(host, n * n), *b = on_device(host, n * n);
    smooth(n, n, a, b);
    to_host(host, b, n * n);
    REPORT(host, n * n, (n - 2) * (n - 2));
    return 0;
}
