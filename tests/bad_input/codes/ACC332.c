#include <stdlib.h>
static void fill(float *p, int n)
{
    for (int i = 0; i < n; ++i)
        p[i] = i;
}
float f(int n, int steps)
{
    float a[64], b[64], sum = 0;
    float *t = (float *)malloc(n * sizeof(float)), *u = malloc(n * sizeof(float));
    fill(a, 64);
    fill(t, n);
#pragma acc data create(t[0:n], u[0:n])
    {
#pragma acc parallel loop copyout(b)
        for (int i = 0; i < 64; ++i)
            b[i] += 1;
//          ^ ACC332
        for (int k = 0; k < steps; ++k) {
#pragma acc parallel loop reduction(+: sum)
            for (int i = 0; i < n; ++i)
                sum += t[i];
//                     ^ ACC332
#pragma acc parallel loop
            for (int i = 0; i < n; ++i)
                t[i] = u[i] = i;
#pragma acc parallel loop reduction(+: sum)
            for (int i = 0; i < n; ++i)
                sum += u[i];
        }
    }
#pragma acc enter data create(a)
#pragma acc update device(a)
#pragma acc parallel loop reduction(+: sum)
    for (int i = 0; i < 64; ++i)
        sum += a[i];
#pragma acc exit data delete(a)
    free(t);
    free(u);
    return sum + b[0];
}
