/* Tiles of what a deviceptr leads to: no more is fetched than lies between the elements that the kernel uses. */
#include "show.h"

static void stencil(const float *p, float *b, int n)
{
#pragma acc parallel loop deviceptr(p) copy(b[0:n])
    for (int i = 1; i < n - 1; i++) {
#pragma acc cache(p[i-2:5])
        for (int k = -1; k <= 1; k++)
            b[i] += p[i + k];
    }
}

static void written(float *p, int n)
{
#pragma acc parallel loop deviceptr(p)
    for (int i = 0; i < n; i++) {
#pragma acc cache(p[i:2])
        {
            p[i] += 1;
            p[i] *= 0.5f;
        }
    }
}

static void guarded(const float *p, float *b, int n)
{
#pragma acc parallel loop deviceptr(p) copy(b[0:n])
    for (int i = 0; i < n; i++) {
#pragma acc cache(p[i-1:3])
        b[i] = p[i] + (i > 0 ? p[i - 1] : 0) + (i < n - 1 ? p[i + 1] : 0);
    }
}

int main(int argc, char **argv)
{
    const int n = size_argument(argc, argv, 300);
    float *a = new_floats(n, 1), *b = new_floats(n, 2);
#pragma acc data copy(a[0:n])
    {
#pragma acc host_data use_device(a)
        {
            stencil(a, b, n);
            written(a, n);
            guarded(a, b, n);
        }
    }
    show("a", a, n * sizeof *a);
    show("b", b, n * sizeof *b);
    return 0;
}
