#include <stdio.h>
void f(const float *a, int n)
{
#pragma acc parallel loop copyin(a[0:n])
    for (int i = 0; i < n; ++i)
        printf("%.*f\n", 3, a[i]);
//      ^~~~~~ ACC357
}
