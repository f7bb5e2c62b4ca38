/* Strips of loops by hand, with directives for a strip, in sizes that strips divide and that they do not. */
#include <stdio.h>
#include <stdlib.h>
#define S 16
#define MIN(a, b) ((a) < (b) ? (a) : (b))

static void product(int n, const double *restrict a, const double *restrict b, double *restrict c)
{
#pragma acc parallel copyin(a[0:n*n], b[0:n*n]) copyout(c[0:n*n])
    {
#pragma acc loop gang
        for (int ii = 0; ii < n; ii += S)
#pragma acc loop gang
            for (int jj = 0; jj < n; jj += S)
#pragma acc loop vector collapse(2)
                for (int i = ii; i < ii + S; ++i)
                    for (int j = jj; j < jj + S; ++j) {
                        double s = 0;
                        for (int kk = 0; kk < n; kk += S) {
#pragma acc cache(a[i*n+kk:S], b[kk*n+jj:S])
                            for (int k = kk; k < kk + S; ++k)
                                s += a[i*n + k]*b[k*n + j];
                        }
                        c[i*n + j] = s;
                    }
    }
}

static void blur(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:n+2*S]) copy(b[0:n])
    for (int ii = 2; ii < n; ii += S) {
#pragma acc loop vector
        for (int i = ii; i < MIN(ii + S, n); ++i) {
#pragma acc cache(a[ii-2:S+4])
            b[i] = a[i-2] + a[i-1] + a[i] + a[i+1] + a[i+2];
        }
    }
}

static void rows(int n, int m, const int *restrict a, int *restrict b)
{
#pragma acc parallel loop gang collapse(2) copyin(a[0:n*m]) copy(b[0:n*m])
    for (int i = 0; i < n; ++i)
        for (int jj = 0; jj < m; jj += 2*S) {
#pragma acc loop vector
            for (int j = jj; j < MIN(jj + 2*S, m); ++j) {
#pragma acc cache(a[i*m+jj:2*S])
                b[i*m + j] = a[i*m + (j & ~1)] - i;
            }
        }
}

static void numbered(int n, float *restrict b)
{
#pragma acc parallel loop gang copy(b[0:n])
    for (int ii = 0; ii < n; ii += S) {
#pragma acc loop vector
        for (int i = ii; i < ii + S; ++i)
            b[i] += ii;
    }
}

int main(void)
{
    for (int n = 0; n <= 9*S; n += n < 3*S ? S : 3*S) {
        const int all = n*n + 40*n + 400;
        double *a = malloc(all*sizeof *a), *b = malloc(all*sizeof *b), *c = malloc(all*sizeof *c);
        float *x = malloc(all*sizeof *x), *y = malloc(all*sizeof *y);
        int *k = malloc(all*sizeof *k), *l = malloc(all*sizeof *l);
        for (int i = 0; i < all; ++i) {
            a[i] = i % 5;
            b[i] = i % 7 - 3;
            c[i] = y[i] = l[i] = 1;
            x[i] = i % 11;
            k[i] = i % 13;
        }
        product(n, a, b, c);
        blur(n*n/2 + 3, x, y);
        rows(n, n - n % 32 + 26, k, l);
        numbered(n, y);
        for (int i = 0; i < n*n; i += 3)
            printf("%g %g %d\n", c[i], y[i], l[i]);
        free(a), free(b), free(c), free(x), free(y), free(k), free(l);
    }
    return 0;
}
