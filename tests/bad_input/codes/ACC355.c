#include <stdio.h>
void f(const float *a, int *printed, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copyout(printed[0:n])
    for (int i = 0; i < n; ++i)
        printed[i] = printf("%g\n", a[i]);
//                   ^~~~~~ ACC355
}
