/* Vector loops one behind the other in which each thread has elements of its own, and others that only look like it. */
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 48 };

static void own(int n, float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang num_gangs(3) copy(a[0:5*n]) copy(b[0:5*n])
    for (int i = 0; i < 5; i++) {
        const int row = i * n;
        float sum = 0;
        for (int k = 0; k < 3; k++) {
#pragma acc loop vector
            for (int j = 0; j < n; j++)
                a[row + j] += k;
        }
#pragma acc loop vector reduction(+: sum)
        for (int j = 0; j < n; j++)
            sum += a[i*n + j];
#pragma acc loop vector
        for (int j = 0; j < n; j++)
            b[i*n + j] += a[i*n + j] / sum;
    }
}

static void shifted(int n, float *restrict a)
{
#pragma acc parallel loop gang num_gangs(2) copy(a[0:5*n])
    for (int i = 0; i < 5; i++) {
#pragma acc loop vector
        for (int j = 0; j < n - 1; j++)
            a[i*n + j] += 1;
#pragma acc loop vector
        for (int j = 1; j < n; j++)
            a[i*n + j] *= 2;
#pragma acc loop vector
        for (int j = 1; j < n; j++)
            a[i*n + n - j] -= 3;
    }
}

static void next_rows(int n, float *restrict a)
{
#pragma acc parallel loop gang copy(a[0:5*6*n])
    for (int i = 0; i < 5; i++)
        for (int k = 1; k < 6; k++) {
#pragma acc loop vector
            for (int j = 0; j < n; j++)
                a[(i*6 + k)*n + j] += a[(i*6 + k - 1)*n + j];
            if (a[(i*6 + k)*n] > 20) {
#pragma acc loop vector
                for (int j = 0; j < n; j++)
                    a[(i*6 + k)*n + j] -= 15;
            }
        }
}

static void moving_base(int n, float *restrict a)
{
#pragma acc parallel loop gang copy(a[0:5*n])
    for (int i = 0; i < 5; i++) {
        int base = i * n;
#pragma acc loop vector
        for (int j = 0; j < n - 2; j++)
            a[base + j] += 1;
        base += 2;
#pragma acc loop vector
        for (int j = 0; j < n - 2; j++)
            a[base + j] *= 2;
    }
}

static void two_names(int n, float *a, const float *b, float *restrict c)
{
#pragma acc parallel loop gang copy(a[0:n+1]) copy(c[0:n]) present(b)
    for (int i = 0; i < 1; i++) {
#pragma acc loop vector
        for (int j = 0; j < n; j++)
            a[j] += j;
#pragma acc loop vector
        for (int j = 0; j < n; j++)
            c[j] = a[j] + b[j];
    }
}

static void rows(int m, int n, float a[m][n], float (*restrict b)[WIDTH])
{
#pragma acc parallel loop gang copy(a[0:m]) copy(b[0:m])
    for (int i = 0; i < m; i++) {
#pragma acc loop vector
        for (int j = 0; j < n; j++)
            a[i][j] += i;
#pragma acc loop vector
        for (int j = 0; j < n; j++)
            a[i][j] *= 2;
#pragma acc loop vector
        for (int j = 0; j < WIDTH; j++)
            b[i][j] += a[i][j % n];
#pragma acc loop vector
        for (int j = 0; j < WIDTH; j += 2)
            b[i][j] *= 3;
    }
}

static double sum_of(const float *a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * (i % 7 + 1);
    return sum;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 100;
    float *a = malloc(5 * 6 * n * sizeof *a), *b = malloc(5 * n * sizeof *b);
    float(*c)[WIDTH] = malloc(5 * sizeof *c);
    for (int i = 0; i < 5 * 6 * n; i++)
        a[i] = i % 13;
    for (int i = 0; i < 5 * n; i++)
        b[i] = i % 5;
    for (int i = 0; i < 5 * WIDTH; i++)
        c[0][i] = i % 3;
    own(n, a, b);
    printf("%.3f %.3f\n", sum_of(a, 5 * n), sum_of(b, 5 * n));
    shifted(n, a);
    printf("%.3f\n", sum_of(a, 5 * n));
    next_rows(n, a);
    printf("%.3f\n", sum_of(a, 30 * n));
    moving_base(n, a);
    printf("%.3f\n", sum_of(a, 5 * n));
#pragma acc data copy(a[0:n+1])
    two_names(n, a, a + 1, b);
    printf("%.3f %.3f\n", sum_of(a, n + 1), sum_of(b, n));
    rows(5, n, (float(*)[n])a, c);
    printf("%.3f %.3f\n", sum_of(a, 5 * n), sum_of(c[0], 5 * WIDTH));
    free(a);
    free(b);
    free(c);
    return 0;
}
