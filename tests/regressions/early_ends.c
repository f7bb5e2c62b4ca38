/* Iterations that end early, in all places where conditions can take the place of continue, and where they cannot. */
#include <stdio.h>
#include <math.h>
#define N 300
int main(void)
{
    float a[N], b[N] = {0}, c[N] = {0}, d[N] = {0};
    for (int i = 0; i < N; i++)
        a[i] = i % 7 - 3;
    a[5] = NAN;
#pragma acc parallel loop copyin(a) copy(b, c, d)
    for (int i = 0; i < N; i++) {
        float t = 1;
        {
            float t = a[i];
            if (t < 0)
                continue;
            b[i] = t;
        }
        c[i] = t;
        if (i % 2) {
            float u = a[i] + 1;
            d[i] = u;
            if (!(a[i] > 1)) { d[i] += 2; continue; }
            else { float t = 3; d[i] += t; }
        } else if (i % 3 == 0)
            continue;
        else { d[i] -= 1; }
        d[i] += 10*t;
        for (int k = 0; k < 4; k++) {
            if (k == i % 4) continue;
            if (k == 2) { c[i] += 1; continue; }
            d[i] += k;
        }
        if (a[i] == 2 || a[i] > 2.5f) continue;
        d[i] *= 2;
    }
    for (int i = 0; i < N; i++) printf("%g %g %g\n", b[i], c[i], d[i]);
#pragma acc parallel loop gang copyin(a) copy(b, c, d)
    for (int i = 0; i < N; i++) {
        if (i < 3) continue;
        float s = 0;
        if (i > N - 4) { b[i] = 2; continue; }
#pragma acc cache(a[i-3:7])
        for (int k = -3; k <= 3; k++) {
            if (k == 1) continue;
            s += a[i + k];
        }
        if (s != s) { c[i] = -1; continue; }
        b[i] = s;
        switch (i % 3) { case 0: continue; case 1: b[i] += 1; break; default: b[i] += 2; }
        b[i] *= 3;
    }
    for (int i = 0; i < N; i++) printf("%g %g %g\n", b[i], c[i], d[i]);
#pragma acc kernels copyin(a) copy(b, c, d)
    for (int i = 0; i < N; i++) {
        if (i == 0 || i == N - 1) { d[i] = 0; continue; }
        for (int j = 0; j < 2; j++) {
            if (j) { if (i & 1) continue; d[i] += 1; }
            b[i] += a[i-1] * j;
        }
    }
    for (int i = 0; i < N; i++) printf("%g %g %g\n", b[i], c[i], d[i]);
    return 0;
}
