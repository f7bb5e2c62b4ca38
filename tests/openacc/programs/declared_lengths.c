/* Clauses that name parameters alone, which are declared as arrays: what the declaration says is mapped. */
#include <stdio.h>
#include <stdlib.h>
#define M 12

static void fixed(float table[M][M], double sums[M])
{
#pragma acc data copyin(table) copyout(sums)
    {
#pragma acc parallel loop present(table, sums)
        for (int i = 0; i < M; ++i) {
            sums[i] = 0;
            for (int j = 0; j < M; ++j)
                sums[i] += table[i][j];
        }
    }
}

static void variable(int n, int m, int from[static n], int (*restrict rows)[m], int to[n][m])
{
#pragma acc parallel loop copyin(from) copyin(rows[0:n]) copy(to)
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
            to[i][j] += from[i] * rows[n - 1 - i][j];
}

static void unstructured(int n, long values[n + 1])
{
#pragma acc enter data copyin(values)
#pragma acc parallel loop
    for (int i = 0; i <= n; ++i)
        values[i] = 3 * values[i] - i;
#pragma acc exit data copyout(values)
}

/* The outer n is the length; the inner one hides it where no clause asks for it. */
static void hidden(int n, int values[n])
{
    {
        int n = 1;
        values[0] += n;
    }
#pragma acc parallel loop copy(values)
    for (int i = 0; i < n; ++i)
        values[i] += 5;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 3;
    float table[M][M];
    double sums[M];
    int *from = malloc(n * sizeof *from), *rows = malloc(M * n * sizeof *rows), *to = malloc(M * n * sizeof *to);
    long *values = malloc((n + 1) * sizeof *values), total = 0;
    for (int i = 0; i < M * M; ++i)
        table[i / M][i % M] = (float)(i % 17);
    for (int i = 0; i < n; ++i)
        from[i] = i;
    for (int i = 0; i < M * n; ++i) {
        rows[i] = 7 * i % 31;
        to[i] = i;
    }
    for (int i = 0; i <= n; ++i)
        values[i] = 1000 - i;
    fixed(table, sums);
    variable(n, M, from, (int (*)[M])rows, (int (*)[M])to);
    unstructured(n, values);
    hidden(n, from);
    for (int i = 0; i < M; ++i)
        total = 3 * total + (long)sums[i];
    for (int i = 0; i < M * n; ++i)
        total = 31 * total % 1000003 + to[i];
    for (int i = 0; i < n; ++i)
        total = 31 * total % 1000003 + values[i] + from[i];
    printf("%ld %ld\n", total, values[n]);
    free(from);
    free(rows);
    free(to);
    free(values);
    return 0;
}
