/* Complex arrays in on-chip memory, read and written. */
#include <complex.h>

#include "show.h"

static float _Complex *new_numbers(int n, int salt)
{
    float _Complex *data = (float _Complex *)malloc((n + 1) * sizeof *data);
    for (int i = 0; i < n; ++i)
        data[i] = noise(i, salt) + noise(i, salt + 1) * I;
    return data;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    float _Complex *a = new_numbers(n, 1), *b = new_numbers(4 * n, 3), *r = new_numbers(n, 5);
    double _Complex t[8], w = 0.5 - 2 * I;
    for (int k = 0; k < 8; ++k)
        t[k] = k - k * k * I;
#pragma acc parallel loop copyin(a[0:n]) copy(r[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3])
        r[i] = a[i - 1] - 2 * a[i] + conjf(a[i + 1]) * w;
    }
    SHOW("stencil", r, n);
#pragma acc parallel loop copy(b[0:4*n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(b[4*i:4])
        for (int round = 0; round < 3; ++round)
            for (int k = 0; k < 4; ++k) {
                b[4 * i + k] *= I;
                b[4 * i + k] += b[4 * i + (k + 1) % 4] * 0.5;
                b[4 * i + (k + round) % 4] = round;
            }
    }
    SHOW("rows", b, 4 * n);
#pragma acc parallel loop copyin(t) copy(r[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(t[0:8])
        for (int k = 0; k < 8; ++k)
            r[i] += t[(i + k) % 8] * k;
    }
    SHOW("table", r, n);
    free(a), free(b), free(r);
    return 0;
}
