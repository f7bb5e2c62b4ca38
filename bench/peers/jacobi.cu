/* The peer of samples/jacobi.c. */
#include "window.h"

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 67), m = argc > 2 ? atoi(argv[2]) : 131, iterations = argc > 3 ? atoi(argv[3]) : 5;
    unsigned seed = 1;
    ALLOCATE(float, host, n * m);
    for (int i = 0; i < n * m; ++i)
        host[i] = uniform(&seed);
    float *a = on_device(host, n * m), *b = on_device(host, n * m);
    for (int k = 0; k < iterations; ++k) {
        smooth(n, m, b, a);
        float *swap = a;
        a = b;
        b = swap;
    }
    to_host(host, b, n * m);
    return report_mean(host, n * m);
}
