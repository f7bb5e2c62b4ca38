/* Each iteration writes its own element of the tile, always (x) or sometimes (y), and reads fixed neighbours. */
#include "show.h"

void owner(float *x, float *y, const float *a, int n)
{
#pragma acc parallel loop independent copy(x[0:n], y[0:n]) copyin(a[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(x[i:1], y[i:1], a[i-1:3])
        {
            x[i] = a[i-1] + a[i+1];
            if (a[i] > 0)
                y[i] += x[i];
            x[i] -= y[i];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100);
    float *x = filled(n), *y = filled(n), *a = filled(n);
    owner(x, y, a, n);
    show("x", x, n);
    show("y", y, n);
    return 0;
}
