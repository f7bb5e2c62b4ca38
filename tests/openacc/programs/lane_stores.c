/* What one lane alone stores in a variable of its gang, or worker, all lanes read behind the loop. */
#include "show.h"

enum { M = 60 };

typedef struct {
    int at, value[3];
    double half;
} Found;

#pragma acc routine seq
static void set(Found *found, int at, int value)
{
    found->at = at;
    found->half = value / 2.0;
}

#pragma acc routine vector
static void looked_up(const int *row, double *sums, int m)
{
    int value = 0;
    Found found;
#pragma acc loop vector
    for (int j = 0; j < M; ++j) {
        if (j != m)
            continue;
        value = row[j];
        set(&found, j, value);
    }
#pragma acc loop vector
    for (int j = 0; j < M; ++j)
        sums[j] += value + found.at + found.half;
}

static void gangs(const int (*a)[M], double (*b)[M], int n)
{
    int value;
    Found found;
#pragma acc parallel loop gang copyin(a[0:n]) copyout(b[0:n]) private(value, found)
    for (int i = 0; i < n; ++i) {
        value = -1;
#pragma acc loop worker vector
        for (int j = 0; j < M; ++j) {
            int k = i + j;
            if (k == i + 41 && a[i][j] >= 0) {
                value = a[i][j];
                found.at = j;
                found.value[2] = value + 1;
                if (value % 2)
                    value = 0;
            }
        }
#pragma acc loop vector
        for (int j = 0; j < M; ++j)
            b[i][j] = value + found.at + found.value[2];
    }
    SHOW("gangs", b, n);
#pragma acc parallel loop gang copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; ++i)
        looked_up(a[i], b[i], i % M);
    SHOW("routine", b, n);
}

static void residues(const int (*a)[M], double (*b)[M], int n, int m)
{
#pragma acc parallel loop gang copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        int last = -1, loaded = 0;
        double shifted = 0;
#pragma acc loop vector
        for (int j = 0; j < M; ++j) {
            const int k = i % m;
            if (j == k)
                last = a[i][j];
            if (j == (i & 31))
                shifted = a[i][j] / 2.0;
            if (3 * j == a[i][0] % M)
                loaded = j;
        }
#pragma acc loop vector
        for (int j = 0; j < M; ++j)
            b[i][j] += last + shifted + loaded;
    }
    SHOW("residues", b, n);
}

static void workers(const int (*a)[M], double (*b)[M], int n)
{
#pragma acc parallel loop gang num_workers(4) vector_length(32) copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        int least = 0;
#pragma acc loop worker
        for (int k = 0; k < 4; ++k)
            if (k == 2)
                least = a[i][k] + 1;
#pragma acc loop worker
        for (int k = 0; k < 4; ++k) {
            Found found = {0};
#pragma acc loop vector
            for (int j = 0; j < 15; ++j)
                if (j == k)
                    set(&found, j, a[i][j]);
#pragma acc loop vector
            for (int j = 0; j < 15; ++j)
                b[i][15*k + j] += found.at + found.half + least;
        }
        double kept = 0;
        for (int round = 0; round < 3; ++round) {
#pragma acc loop worker vector collapse(2)
            for (int k = 0; k < 4; ++k)
                for (int j = 0; j < 15; ++j)
                    if (j == 3 && k == round)
                        kept = kept / 2 + b[i][15*k + j];
#pragma acc loop worker vector collapse(2)
            for (int k = 0; k < 4; ++k)
                for (int j = 0; j < 15; ++j)
                    b[i][15*k + j] += kept;
        }
    }
    SHOW("workers", b, n);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 37);
    int(*a)[M] = (int(*)[M])new_ints(n * M, 1);
    double(*b)[M] = (double(*)[M])malloc(n * sizeof *b);
    gangs(a, b, n);
    residues(a, b, n, M - 7);
    workers(a, b, n);
    free(a);
    free(b);
    return 0;
}
