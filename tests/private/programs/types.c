// All kinds of elements: truth values, enumerations, complex numbers, unions, nested structures; two kernels with lines.
#include <complex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
enum color { RED, GREEN = 5, BLUE };
typedef union { float f; unsigned u; } bits;
typedef struct { struct { short p, q; } in; enum color c; } nest;
static void f(const _Bool *restrict flags, enum color *restrict colors, double complex *restrict z, float complex *restrict y, bits *restrict u, nest *restrict s, unsigned char *restrict b, int n, int m)
{
#pragma acc parallel loop copyin(flags[0:n*m]) copy(colors[0:n*m], z[0:n*m], y[0:n*m], u[0:n*m], s[0:n*m], b[0:n*m]) num_gangs(2)
    for (int t = 0; t < n; ++t) {
#pragma acc loop seq
#pragma acc cache(flags, colors, z, y, u, s, b)
        for (int i = t * m; i < (t + 1) * m; ++i) {
            if (flags[i])
                colors[i] = colors[i] == RED ? GREEN : BLUE;
            colors[i]++;
            z[i] = z[i] * 2.0 + I;
            z[i] += flags[i];
            y[i] *= 3;
            u[i].f = u[i].f + 1;
            u[i].u ^= 1u;
            s[i].in.q += s[i].in.p;
            s[i].c = colors[i];
            nest w = s[i];
            w.in.p++;
            if (i % 3 == 0) s[i] = w;
            b[i] <<= 1;
            b[i] |= flags[i] ? 1 : b[i] > 100;
        }
    }
}
static void g(const int *restrict a, int *restrict d, int n, int m)
{
#pragma acc kernels copyin(a[0:n*m]) copy(d[0:n*m])
    {
#pragma acc loop independent
        for (int t = 0; t < n; ++t) {
#pragma acc loop seq
#pragma acc cache(a, d)
            for (int i = t * m; i < (t + 1) * m; ++i)
                d[i] += a[i];
        }
#pragma acc loop independent
        for (int t = 0; t < n; ++t) {
#pragma acc loop seq
#pragma acc cache(d)
            for (int i = t * m; i < (t + 1) * m; ++i)
                d[i] *= 3;
        }
    }
}
int main(void)
{
    int n = 70, m = 13, N = n * m;
    _Bool *flags = malloc(N); enum color *c = malloc(N * sizeof *c); double complex *z = malloc(N * sizeof *z); float complex *y = malloc(N * sizeof *y);
    bits *u = malloc(N * sizeof *u); nest *s = malloc(N * sizeof *s); unsigned char *b = malloc(N); int *a = malloc(N * 4), *d = malloc(N * 4);
    for (int i = 0; i < N; ++i) flags[i] = i % 3 == 1, c[i] = i % 2 ? RED : GREEN, z[i] = i + I, y[i] = i * I, u[i].f = i, s[i] = (nest){{i, i + 1}, RED}, b[i] = i, a[i] = i, d[i] = -i;
    f(flags, c, z, y, u, s, b, n, m);
    g(a, d, n, m);
    unsigned long h = 0;
    for (int i = 0; i < N; ++i) h = h * 31 + c[i] + (long)creal(z[i]) * 7 + (long)cimag(z[i]) + (long)cimagf(y[i]) + u[i].u + s[i].in.p * 3 + s[i].in.q + s[i].c + b[i] + d[i];
    printf("%lu\n", h);
    return 0;
}
