/* Memory that is used with two types: the attribute may_alias allows it. */
#include "show.h"

typedef int __attribute__((__may_alias__)) bits;

static void cached(float *a, bits *p, float *b, int n)
{
#pragma acc parallel loop copy(a[0:n+2]) copyout(b[0:n]) copy(p[0:n])
    for (int i = 0; i < n; i++) {
#pragma acc cache(a[i:1])
        {
            b[i] = a[i];
            p[i] = 0x3f800000;
            for (int k = 0; k < 3; k++)
                b[i] += a[i];
        }
    }
}

static void carried(float *a, bits *p, int n)
{
#pragma acc kernels copy(a[0:n+2], p[0:n])
    for (int i = 0; i < n; i++)
        a[i + 1] = p[i] == 0x3f800000 ? 2 : a[i];
}

static void by_pointer(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n+2])
    for (int i = 0; i < n; i++) {
        bits *own = (bits *)a;
#pragma acc cache(a[i:1])
        {
            a[i] += 1;
            for (int k = 0; k < 3; k++)
                own[i] += k;
            a[i] *= 2;
        }
    }
}

int main(int argc, char **argv)
{
    const int n = size_argument(argc, argv, 300);
    float *a = new_floats(n + 2, 1), *b = new_floats(n, 2);
    cached(a, (bits *)a, b, n);
    show("cached", b, n * sizeof *b);
    show("written", a, n * sizeof *a);
    a[0] = 5;
    carried(a, (bits *)a, n);
    show("carried", a, n * sizeof *a);
    by_pointer(a, n);
    show("by pointer", a, n * sizeof *a);
    return 0;
}
