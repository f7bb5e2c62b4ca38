/* Kernels whose threads have several iterations: neighbours with wide accesses, rows in registers, elements that are kept. */
#include <stdio.h>
#include <stdlib.h>

static void blur(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop copyin(a[0:n+8]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
#pragma acc cache(a[i:9])
        for (int k = 0; k < 9; ++k)
            sum += (k + 1) * a[i + k];
        b[i] = sum;
    }
}

static void multiply(int n, int m, int p, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc parallel loop collapse(2) copyin(a[0:n*m], b[0:m*p]) copy(c[0:n*p])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < p; ++j)
            for (int k = 0; k < m; ++k) {
#pragma acc cache(b[k*p+j:1])
                c[i * p + j] += a[i * m + k] * b[k * p + j];
            }
}

static float *filled(int n, int seed)
{
    float *found = malloc(n * sizeof *found);
    for (int i = 0; i < n; ++i)
        found[i] = (float)((i * 7 + seed) % 23 - 11);
    return found;
}

static void show(const char *name, const float *values, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += (i % 97 + 1) * values[i];
    printf("%s %.9g\n", name, sum);
}

int main(void)
{
    for (int size = 0; size < 3; ++size) {
        int n = 1100 + size + (size == 2), rows = 9 + size, inner = 6, columns = size == 1 ? 67 : 68;
        float *a = filled(n + 9, 1), *b = filled(n + 1, 2);
        blur(n, a, b);
        show("b", b, n);
#pragma acc data copyin(a[0:n+9]) copy(b[0:n+1])
        blur(n, a + 1, b + 1);
        show("b", b, n);
        float *x = filled(rows * inner, 3), *y = filled(inner * columns, 4), *z = filled(rows * columns, 5);
        multiply(rows, inner, columns, x, y, z);
        show("z", z, rows * columns);
        free(a), free(b), free(x), free(y), free(z);
    }
    return 0;
}
