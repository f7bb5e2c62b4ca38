#include <stdlib.h>
void clear(float *a, int n)
{
    float *copy = malloc(n * sizeof *copy);
    memcpy(copy, a, n * sizeof *a);
//  ^~~~~~ ACC529
    memset(a, 0, n * sizeof *a);
//  ^~~~~~ ACC529
    free(copy);
}
void zero(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
