/* Structures and short arrays that iterations keep for themselves, where a thread may have several iterations. */
#include <stdio.h>
#include <stdlib.h>
typedef struct { float re, im; } pair;
struct sums { double of_squares; int count; const char unused; };
#define M 160

static void product(int n, const pair *restrict a, const pair *restrict b, pair *restrict c)
{
#pragma acc parallel loop collapse(2) copyin(a[0:n*n], b[0:n*n]) copyout(c[0:n*n])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            pair s = {i, 1};
            for (int k = 0; k < n; ++k) {
                s.re += a[i*n + k].re*b[k*n + j].re - a[i*n + k].im*b[k*n + j].im;
                s.im += a[i*n + k].re*b[k*n + j].im + a[i*n + k].im*b[k*n + j].re;
            }
            c[i*n + j] = s;
        }
}

static void taps(int n, int m, const float *restrict x, const float *restrict w, float *restrict y)
{
#pragma acc parallel loop copyin(x[0:n+m], w[0:3*m]) copyout(y[0:n])
    for (int i = 0; i < n; ++i) {
        float h[3] = {0}, last[2] = {x[i], 2};
        pair both[2] = {{1, 2}, {3, 4}};
        for (int k = 0; k < m; ++k) {
#pragma acc cache(w[0:3*m])
            for (int q = 0; q < 3; ++q)
                h[q] += w[3*k + q]*x[i + k];
            both[k & 1].re += x[i + k];
            last[0] = last[1];
            last[1] = x[i + k];
        }
        pair whole = both[1];
        y[i] = h[0] - h[1]*h[2] + last[0] - last[1] + both[0].re*whole.im + whole.re;
    }
}

static void moments(int n, int m, const float *restrict x, float *restrict y)
{
#pragma acc parallel loop copyin(x[0:n*m]) copyout(y[0:n])
    for (int i = 0; i < n; ++i) {
        struct sums s = {.count = 3};
        for (int k = 0; k < m; ++k) {
            s.of_squares += x[k*n + i]*x[k*n + i];
            s.count += x[k*n + i] > 2;
        }
        y[i] = s.of_squares/s.count;
    }
}

int main(void)
{
    for (int n = M - 31; n <= M; n += 31) {
        pair *a = malloc(n*n*sizeof *a), *b = malloc(n*n*sizeof *b), *c = malloc(n*n*sizeof *c);
        float *x = malloc((n*n + n)*sizeof *x), *w = malloc(3*n*sizeof *w), *y = malloc(n*sizeof *y);
        for (int i = 0; i < n*n; ++i) {
            a[i].re = i % 5;
            a[i].im = i % 3;
            b[i].re = i % 7 - 2;
            b[i].im = i % 4;
        }
        for (int i = 0; i < n*n + n; ++i)
            x[i] = i % 9 - 3;
        for (int i = 0; i < 3*n; ++i)
            w[i] = i % 4;
        product(n, a, b, c);
        for (int i = 0; i < n*n; i += 13)
            printf("%g %g\n", c[i].re, c[i].im);
        taps(n, 24, x, w, y);
        for (int i = 0; i < n; ++i)
            printf("%g\n", y[i]);
        moments(n, n, x, y);
        for (int i = 0; i < n; ++i)
            printf("%g\n", y[i]);
        free(a), free(b), free(c), free(x), free(w), free(y);
    }
    return 0;
}
