#include <math.h>
double f(const double *a, int n)
{
    double greatest = 0;
#pragma acc kernels copyin(a[0:n])
    for (int i = 0; i < n; ++i)
//  ^~~ ACC326
        greatest = fmax(greatest, a[i]);
    return greatest;
}
