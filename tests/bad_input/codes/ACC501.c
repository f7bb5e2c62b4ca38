#include <stdlib.h>
#define ALLOCATE(p, n) p = malloc(n)
void allocate(float **a, int n)
{
    ALLOCATE(*a, n);
//  ^~~~~~~~~~~~~~~ ACC501
}
void zero(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
