/* Loops mapped in every way, for counting loads: grids, gangs with inner loops, strides, structures, triangles. */
#include <stdlib.h>

struct point { float x, y, z; };

static void backwards(const double *a, double *b, int n)
{
#pragma acc parallel loop independent copyin(a[0:n]) copy(b[0:n])
    for (int i = n - 3; i >= 2; i -= 2) {
        double sum = 0;
#pragma acc cache(a[i-2:5])
        for (int j = -2; j <= 2; ++j)
            sum += a[i + j];
        b[i] = sum;
    }
}

static void few_gangs(const float *a, float *b, int n)
{
#pragma acc parallel loop independent gang vector num_gangs(3) vector_length(64) copyin(a[0:n+3]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:4])
        b[i] = a[i] * a[i+1] + a[i+3];
    }
}

static void rows(const float *a, float *b, const int *first, int n, int m)
{
#pragma acc parallel loop gang vector_length(32) copyin(a[0:n*m], first[0:n]) copy(b[0:n*m])
    for (int i = 0; i < n; ++i) {
        int start = first[i];
#pragma acc loop vector independent
        for (int j = 1; j < m - 1; ++j) {
#pragma acc cache(a[i:1][j-1:3])
            b[i*m + j] = a[i*m + j-1] + a[i*m + j] + a[i*m + j+1] + start;
        }
    }
}

static void points(const struct point *p, float *b, int n)
{
#pragma acc parallel loop independent copyin(p[0:n]) copy(b[0:n])
    for (int i = 0; i < n; ++i)
        b[i] += p[i].x + p[i].z;
}

static void triangle(const float *a, float *b, int n)
{
#pragma acc parallel loop independent copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
            for (int k = 0; k < 4; k += 3)
                b[i] += a[j];
}

static void blocks(float (*a)[40], float (*b)[40], int n)
{
#pragma acc parallel loop independent collapse(2) copyin(a[0:n]) copy(b[0:n])
    for (int i = 2; i < n - 2; i += 2)
        for (int j = 1; j < 39; ++j) {
#pragma acc cache(a[i-1:3][j-1:3])
            b[i][j] = a[i-1][j] + a[i+1][j] + a[i][j-1] + a[i][j+1];
        }
}

int main(void)
{
    enum { N = 300, M = 50 };
    double *c = calloc(N, sizeof *c), *d = calloc(N, sizeof *d);
    float *a = calloc(N * M, sizeof *a), *b = calloc(N * M, sizeof *b);
    struct point *p = calloc(N, sizeof *p);
    int *first = calloc(N, sizeof *first);
    backwards(c, d, N);
    few_gangs(a, b, N);
    rows(a, b, first, 7, M);
    points(p, b, N);
    triangle(a, b, N);
    blocks((float (*)[40])a, (float (*)[40])b, 60);
    free(a); free(b); free(c); free(d); free(p); free(first);
    return 0;
}
