/* What each gang has one copy of, in nests whose levels accache chooses: of two rows at a time each needs its own. */
#include "show.h"

enum { M = 20 };

typedef struct {
    int number, value[M];
} Row;

#pragma acc routine seq
static void put(int *row, int j, int value)
{
    row[j] = value;
}

static void clauses(const int (*a)[M], int (*b)[M], int n)
{
    int own[M] = {0};
#pragma acc parallel private(own) copyin(a[0:n]) copyout(b[0:n])
#pragma acc loop
    for (int i = 0; i < n; ++i) {
#pragma acc loop
        for (int j = 0; j < M; ++j) {
            own[j] = a[i][j] * 3;
            b[i][j] = own[j] + 1;
        }
    }
    SHOW("private", b, n);
#pragma acc parallel firstprivate(own) copyin(a[0:n]) copyout(b[0:n])
#pragma acc loop
    for (int i = 0; i < n; ++i) {
#pragma acc loop
        for (int j = 0; j < M; ++j) {
            own[j] = a[i][j] * 5;
            own[j] += i;
            b[i][j] = own[j] * 2;
        }
    }
    SHOW("firstprivate", b, n);
#pragma acc parallel private(own) copyin(a[0:n]) copyout(b[0:n])
#pragma acc loop collapse(2)
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < M; ++j) {
            own[j] = a[i][j] * 7;
            b[i][j] = own[j] + 1;
        }
    SHOW("collapse", b, n);
#pragma acc parallel private(own) copyin(a[0:n]) copyout(b[0:n])
#pragma acc loop tile(2, 4)
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < M; ++j) {
            own[j] = a[i][j] * 9;
            b[i][j] = own[j] + 1;
        }
    SHOW("tile", b, n);
}

static void declared(const int (*a)[M], int (*b)[M], int n)
{
#pragma acc parallel copyin(a[0:n]) copyout(b[0:n])
    {
        int own[M];
#pragma acc loop
        for (int i = 0; i < n; ++i) {
#pragma acc loop
            for (int j = 0; j < M; ++j) {
                own[j] = a[i][j] * 3;
                b[i][j] = own[j] + 1;
            }
        }
    }
    SHOW("declared", b, n);
#pragma acc kernels copyin(a[0:n]) copyout(b[0:n])
    {
        int own[M];
#pragma acc loop independent
        for (int i = 0; i < n; ++i) {
#pragma acc loop independent
            for (int j = 0; j < M; ++j) {
                own[j] = a[i][j] * 5;
                b[i][j] = own[j] + 1;
            }
        }
    }
    SHOW("kernels", b, n);
#pragma acc parallel copyin(a[0:n]) copyout(b[0:n])
    {
        int own[M], *row = own;
#pragma acc loop
        for (int i = 0; i < n; ++i) {
#pragma acc loop
            for (int j = 0; j < M; ++j) {
                row[j] = a[i][j] * 7;
                b[i][j] = row[j] + 1;
            }
        }
    }
    SHOW("pointer", b, n);
}

static void addresses(const int (*a)[M], int (*b)[M], int n)
{
    int own[M], t, *p;
#pragma acc parallel private(own) copyin(a[0:n]) copyout(b[0:n])
#pragma acc loop
    for (int i = 0; i < n; ++i) {
#pragma acc loop
        for (int j = 0; j < M; ++j) {
            put(own, j, a[i][j] * 3);
            b[i][j] = own[j] + 1;
        }
    }
    SHOW("routine", b, n);
#pragma acc parallel private(t, p) copyin(a[0:n]) copyout(b[0:n])
#pragma acc loop gang
    for (int i = 0; i < n; ++i) {
        p = &t;
        *p = a[i][0];
#pragma acc loop vector
        for (int j = 0; j < M; ++j)
            b[i][j] = t + j;
    }
    SHOW("scalar", b, n);
}

static void structures(const int (*a)[M], int (*b)[M], int n)
{
    Row r;
#pragma acc parallel private(r) copyin(a[0:n]) copyout(b[0:n])
#pragma acc loop gang
    for (int i = 0; i < n; ++i) {
        r.number = i;
#pragma acc loop vector
        for (int j = 0; j < M; ++j)
            r.value[j] = a[i][j] * 3;
#pragma acc loop vector
        for (int j = 0; j < M; ++j)
            b[i][j] = r.value[M - 1 - j] + r.number;
    }
    SHOW("structure", b, n);
    for (int j = 0; j < M; ++j)
        r.value[j] = j;
#pragma acc parallel loop gang firstprivate(r) copyout(b[0:n]) num_gangs(n)
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector
        for (int j = 0; j < M; ++j)
            r.value[j]++;
#pragma acc loop vector
        for (int j = 0; j < M; ++j)
            b[i][j] = r.value[M - 1 - j] > M - 1 - j;
    }
    SHOW("counted", b, n);
#pragma acc parallel copyin(a[0:n]) copy(b[0:n])
    {
        Row s;
#pragma acc loop
        for (int i = 0; i < n; ++i) {
#pragma acc loop
            for (int j = 0; j < M; ++j) {
                int *row = s.value;
                row[j] = a[i][j] * 5;
                b[i][j] += row[j] + 1;
            }
        }
#pragma acc loop
        for (int i = 0; i < n; ++i) {
#pragma acc loop
            for (int j = 0; j < M; ++j) {
                s.value[j] = a[i][j] * 7;
                b[i][j] ^= s.value[j] + 1;
            }
        }
    }
    SHOW("two nests", b, n);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 37);
    int(*a)[M] = (int(*)[M])new_ints(n * M, 1), (*b)[M] = (int(*)[M])new_ints(n * M, 2);
    clauses(a, b, n);
    declared(a, b, n);
    addresses(a, b, n);
    structures(a, b, n);
    free(a);
    free(b);
    return 0;
}
