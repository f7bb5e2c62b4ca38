/* A tile that moves along with a sequential loop; every thread of the block reads all of it. */
#include "show.h"

#define STEP 40

void moving(const float *x, float *y, int n, int m)
{
#pragma acc parallel loop independent copyin(x[0:m]) copy(y[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = y[i];
        for (int t = 0; t < m; t += STEP) {
#pragma acc cache(x[t:STEP])
            for (int k = t; k < t + STEP && k < m; ++k)
                sum = (k + i) % 2 ? sum + x[k] : sum - x[k];
        }
        y[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100), m = argument(argc, argv, 2, 100);
    float *x = filled(m), *y = filled(n);
    moving(x, y, n, m);
    show("y", y, n);
    return 0;
}
