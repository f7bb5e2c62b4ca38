#include <stdio.h>
void f(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        fprintf(stderr, "%g\n", a[i]);
//      ^~~~~~~ ACC318
}
