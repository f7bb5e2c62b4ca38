/* Elements outside of the section that a clause maps: with a tile, too, the run must tell. */
#include "show.h"

static void stencil(const float *a, float *b, int first, int count, int n)
{
#pragma acc parallel loop copyin(a[first:count]) copy(b[0:n])
    for (int i = 1; i < n - 1; i++) {
#pragma acc cache(a[i-1:3])
        b[i] = a[i - 1] + a[i] + a[i + 1];
    }
}

static void guarded(const float *a, float *b, int first, int count, int n)
{
#pragma acc parallel loop copyin(a[first:count]) copy(b[0:n])
    for (int i = 0; i < n; i++) {
#pragma acc cache(a[i-1:3])
        b[i] = (i > first && i <= first + count ? a[i - 1] : 0) + (i >= first && i < first + count ? a[i] : 0);
        if (i >= first && i + 1 < first + count)
            b[i] += a[i + 1];
    }
}

static void no_rounds(const float *a, float *b, int n, int rounds)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; i++) {
#pragma acc cache(a[i:4])
        for (int k = 0; k < rounds; k++)
            b[i] += a[i + 100 + k] + a[i + k];
    }
}

static void skipped(const float *a, float *b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n + 3; i++) {
        if (i >= n - 2)
            continue;
#pragma acc cache(a[i:3])
        b[i] = a[i] + a[i + 1] + a[i + 2];
    }
}

int main(int argc, char **argv)
{
    const int n = size_argument(argc, argv, 300), less = argc > 2 ? atoi(argv[2]) : 0;
    float *a = new_floats(n, 1), *b = new_floats(n, 2);
    stencil(a, b, 0, n, n);
    show("whole", b, n * sizeof *b);
    guarded(a, b, 3, n - 6, n);
    guarded(a, b, 0, n, n);
    show("guarded", b, n * sizeof *b);
    no_rounds(a, b, n, 0);
    show("no rounds", b, n * sizeof *b);
    skipped(a, b, n);
    show("skipped", b, n * sizeof *b);
    {
#pragma acc data copyin(a[0:n])
        stencil(a, b, 1, n - 2, n);
    }
    show("more is present", b, n * sizeof *b);
    if (less)
        stencil(a, b, less > 0 ? less : 0, n - (less > 0 ? less : -less), n);
    return 0;
}
