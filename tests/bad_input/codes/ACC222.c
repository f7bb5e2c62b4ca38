#include <openacc.h>
#include <acc_prof.h>
// (line) ACC222
void f(float *a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] = 0;
}
