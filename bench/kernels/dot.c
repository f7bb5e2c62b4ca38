/* A scalar product. */
#include "problem.h"

static double dot(int n, const float *restrict x, const float *restrict y)
{
    double sum = 0;
#pragma acc parallel loop reduction(+:sum) copyin(x[0:n], y[0:n])
    for (int i = 0; i < n; ++i)
        sum += x[i] * y[i];
    return sum;
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 1 << 20);
    ALLOCATE(float, x, n);
    ALLOCATE(float, y, n);
    FILL(x, n);
    FILL(y, n);
    const double result = dot(n, x, y);
    REPORT(&result, 1, n);
    return 0;
}
