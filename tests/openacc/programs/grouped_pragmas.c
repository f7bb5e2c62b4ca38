/* Pragmas in #if groups of their own, apart from their statements; types without a name. */
#include <stdio.h>
#include <stdlib.h>

#define GPU 1

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    int *a = malloc(n * sizeof *a);
#ifdef _OPENACC
#pragma acc parallel loop copyout(a[0:n])
#endif
    for (int i = 0; i < n; ++i)
        a[i] = i + (int)sizeof(struct { double x; char y; });
#if GPU
#pragma acc parallel loop copy(a[0:n]) if(n > 1)
#else
#pragma omp parallel for
#endif
    for (int i = 0; i < n; ++i)
        a[i] *= 3;
#ifdef GPU
#pragma acc data copy(a[0:n])
#endif
    {
#if !GPU
#pragma acc parallel loop copyout(a[0:n])
#else
#pragma acc parallel
#endif
        {
#if GPU
#pragma acc loop
#endif
            for (int i = 0; i < n; ++i)
                a[i] -= i;
        }
    }
    for (int i = 0; i < n; ++i)
        printf("%d\n", a[i]);
    free(a);
    return 0;
}
