/* Functions that gcc knows by names of its own. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300;
    double *out = malloc(n * sizeof *out);
    int *k = malloc(n * sizeof *k);
#pragma acc parallel loop copyout(out[0:n], k[0:n])
    for (int i = 0; i < n; i++) {
        if (__builtin_expect(i == 3, 0))
            out[i] = __builtin_sqrt(i) + __builtin_fabsf(-2.5f) / 2;
        else if (i < n)
            out[i] = __builtin_fmax(i, 2.5);
        else
            __builtin_unreachable();
        k[i] = __builtin_abs(i - 4) + __builtin_lround(0.5 * i) / 2 + __builtin_ilogb(i + 1.5);
        if (UNLIKELY(k[i] < 0))
            __builtin_trap();
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum = sum * 0.5 + out[i] + k[i];
    printf("%.15g\n", sum);
    return 0;
}
