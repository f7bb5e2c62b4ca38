#include "shared.h"

double sum(const double *a, int n)
{
    double total = 0;
    for (int i = 0; i < n; ++i)
        total += a[i];
    return total;
}

double sum_on_device(const double *a, int n)
{
    double total = 1200;
    for (int i = n - 1; i >= 0; --i)
        total += a[i];
    return total;
}
