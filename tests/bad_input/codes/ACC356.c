#include <stdlib.h>
void f(const float *a, int n)
{
#pragma acc parallel loop copyin(a[0:n])
    for (int i = 0; i < n; ++i)
        if (a[i] < 0)
            exit(2);
//          ^~~~ ACC356
}
