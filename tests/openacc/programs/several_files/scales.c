#include "shared.h"

double scaled(double x, range r)
{
    return clamped(x, r) * 2;
}

double halved(const double *x)
{
    return *x / 2;
}
