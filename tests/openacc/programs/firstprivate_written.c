/* Gangs' copies of a part of an array that they write, with cache directives that get no tile, and without any. */
#include <stdio.h>
#include <stdlib.h>

static void plain(int n, const double *a, double *c, double *d)
{
#pragma acc parallel firstprivate(c[0:n]) copyin(a[0:7*n]) copy(d[0:7*n])
    {
#pragma acc loop gang independent
        for (int x = 0; x < 7; ++x) {
#pragma acc loop worker independent
            for (int y = 0; y < n; ++y)
                c[y] += a[x * n + y];
#pragma acc loop worker independent
            for (int y = 0; y < n; ++y)
                d[x * n + y] += c[n - 1 - y];
#pragma acc loop worker independent
            for (int y = 0; y < n; ++y)
                c[y] = n - y;
        }
    }
}

static void cached(int n, const double *a, double *c, double *d)
{
#pragma acc parallel firstprivate(c[0:n]) copyin(a[0:7*n]) copy(d[0:7*n])
    {
#pragma acc loop gang independent
        for (int x = 0; x < 7; ++x) {
#pragma acc loop vector
            for (int y = 0; y < n; ++y) {
#pragma acc cache(a[x*n+y:1])
                c[y] += a[x * n + y];
            }
#pragma acc loop vector
            for (int y = 0; y < n; ++y)
                d[x * n + y] += c[n - 1 - y];
#pragma acc loop vector
            for (int y = 0; y < n; ++y)
                c[y] = n - y;
        }
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 300;
    double *a = malloc(7 * n * sizeof *a), *c = malloc(n * sizeof *c), *d = malloc(7 * n * sizeof *d), sum = 0;
    for (int k = 0; k < 7 * n; ++k)
        a[k] = k % 17, d[k] = k % 5;
    for (int k = 0; k < n; ++k)
        c[k] = n - k;
    plain(n, a, c, d);
    for (int k = 0; k < n; ++k)
        c[k] = n - k;
    cached(n, a, c, d);
    for (int k = 0; k < 7 * n; ++k)
        sum += d[k] * (1 + k % 11);
    printf("%.9g\n", sum);
    return 0;
}
