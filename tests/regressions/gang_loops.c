/* Loops for which only gangs are named: with values of their own, sums, directives, and behind each other. */
#include <stdio.h>
#include <stdlib.h>
#pragma acc routine gang
static void twice(double *v, int n)
{
#pragma acc loop gang
    for (int i = 0; i < n; i++)
        v[i] = v[i]*1.5 + 1;
#pragma acc loop gang
    for (int i = 0; i < n; i++) {
        double t = v[i];
        if (t > 9)
            continue;
        v[i] = t*t;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[1]) : 333, m = 5, t = 3, last = -1;
    double *a = malloc((n*m + 1)*sizeof *a), *b = malloc((n*m + 1)*sizeof *b), s = 1, most = -1;
    for (int i = 0; i < n*m; i++) { a[i] = i % 11 - 3; b[i] = 0; }
#pragma acc parallel loop gang copyin(a[0:n*m]) copy(b[0:n*m])
    for (int i = 0; i < n; i++) {
        t = i % 3;
        double own[5];
        for (int k = 0; k < m; k++) own[k] = a[i*m + (k + t) % m];
        for (int k = 1; k < m; k++) own[k] += own[k-1];
        for (int k = 0; k < m; k++) b[i*m + k] = own[k]*t;
    }
#pragma acc parallel loop gang reduction(+:s) reduction(max:most) copyin(a[0:n*m])
    for (int i = 0; i < n*m; i++) { s += a[i]; if (a[i] > most) most = a[i]; }
#pragma acc kernels copyin(a[0:n*m]) copy(b[0:n*m])
    {
#pragma acc loop gang independent
        for (int i = 0; i < n; i++) { if (i % 2) continue; b[i] += a[i]; }
#pragma acc loop gang reduction(+:s)
        for (int i = 0; i < n; i++) s += b[i]*2;
    }
#pragma acc parallel copyin(a[0:n*m]) copy(b[0:n*m]) num_gangs(7)
    {
        int base = 4;
#pragma acc loop gang private(t)
        for (int i = 0; i < n; i++) { t = base + i; b[i] -= t % 5; }
#pragma acc loop gang
        for (int i = n; i < n*m; i++) {
            double x = 0;
#pragma acc loop seq
            for (int k = 0; k < 3; k++) { x += a[(i + k) % (n*m)]; if (x > 9) break; }
            b[i] += x;
        }
    }
#pragma acc parallel loop gang private(t) copy(b[0:n*m]) copyin(a[0:n*m])
    for (int i = 0; i < n; i++) {
#pragma acc cache(a[i*m:5])
        t = 0;
        while (t < m && a[i*m + t] < 4) t++;
        b[i] += t;
#pragma acc atomic
        b[n] += 1;
    }
    float seen[5] = {0};
#pragma acc parallel copyin(a[0:n*m]) copy(b[0:n*m]) num_gangs(3)
    {
        float kept[4], one, *at = &one;
#pragma acc loop gang
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 4; k++)
                kept[k] = a[i]*k;
            *at = a[i] + 1;
            b[i] += kept[1] + kept[3]*one;
        }
    }
#pragma acc parallel copyin(a[0:n*m]) copy(seen) num_gangs(1)
    {
        float own = 0;
#pragma acc loop gang
        for (int i = 0; i < n; i++)
            own += a[i];
        seen[0] = own;
    }
#pragma acc parallel copy(b[0:n*m])
    twice(b, n*m);
    double c = s + most*3 + last + seen[0];
    for (int i = 0; i < n*m; i++) c += b[i]*(i % 7);
    printf("%.12g\n", c);
    return 0;
}
