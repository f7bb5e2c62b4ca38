/* Loops and calls that all threads of a gang take together, and begin with what its threads have just written. */
#include <stdio.h>
#include <stdlib.h>

#define M 64

static void global_starts(int n, int (*a)[M])
{
#pragma acc parallel loop gang copy(a[0:n]) vector_length(64)
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector
        for (int j = 0; j < M; ++j)
            a[i][j] = (i + j) % 7;
        for (int k = a[i][M - 2]; k < 9; ++k) {
#pragma acc loop vector
            for (int j = 0; j < M; ++j)
                a[i][j] += k;
        }
        int k;
        for (k = a[i][M - 3] % 5; k < 6; ++k) {
#pragma acc loop vector
            for (int j = 0; j < M; ++j)
                a[i][j] ^= k;
        }
        a[i][0] += k;
    }
}

static void cached_starts(int n, const int *in, int (*out)[M])
{
#pragma acc parallel loop gang copyin(in[0:n + 1]) copy(out[0:n]) vector_length(64)
    for (int i = 0; i < n; ++i) {
#pragma acc cache(in[i:2])
        unsigned t;
        for (t = in[i + 1] & 1; t < 3; ++t) {
#pragma acc loop vector
            for (int j = 0; j < M; ++j)
                out[i][j] += t;
        }
    }
}

#pragma acc routine vector
static int raised_row(int *row, int length, int by)
{
#pragma acc loop vector
    for (int j = 0; j < length; ++j)
        row[j] += by;
    return length;
}

/* What a routine is given, and changes. */
static void arguments(int n, int (*a)[M])
{
#pragma acc parallel loop gang copy(a[0:n]) vector_length(64)
    for (int i = 0; i < n; ++i) {
        raised_row(a[i], M, a[i][1] % 9 + 1);
        int length = raised_row(a[i], M - (a[i][2] & 3), a[i][0] & 7);
        raised_row(a[i], length, a[i][length - 1] & 5);
        raised_row(a[i] + (a[i][0] & 3), M - 3, 2);
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 40;
    int (*a)[M] = malloc(n * sizeof *a), *in = malloc((n + 1) * sizeof *in);
    long sum = 0;
    for (int i = 0; i <= n; ++i)
        in[i] = i * 7 % 31;
    global_starts(n, a);
    cached_starts(n, in, a);
    arguments(n, a);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < M; ++j)
            sum += (long)a[i][j] * (j + 1);
    printf("%ld\n", sum);
    return 0;
}
