/* Data constructs whose directives and braces stand in #if groups, as programs write them that know other compilers. */
#include "show.h"

#define DIRECTIVES 1

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300), shown = 0;
    int *a = (int *)calloc(n, sizeof(int)), *b = (int *)calloc(n, sizeof(int));
#ifdef DIRECTIVES
#pragma acc data create(a[0:n]) copyout(b[0:n])
    {
#endif
#if DIRECTIVES
#pragma acc parallel loop present(a)
#else
#pragma omp parallel for
#endif
        for (int i = 0; i < n; ++i)
            a[i] = noise(i, 2);
#ifndef DIRECTIVES
        shown = 1;
#elif DIRECTIVES
#pragma acc host_data use_device(a)
        {
#endif
            shown += 2;
#ifndef DIRECTIVES
#elif DIRECTIVES
        }
#endif
#pragma acc parallel loop present(a, b)
        for (int i = 0; i < n; ++i)
            b[i] = a[i] + shown;
#if defined(DIRECTIVES)
    }
#endif
    SHOW("sums", b, n);
    free(a);
    free(b);
    return 0;
}
