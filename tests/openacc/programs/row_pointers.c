/* Pointers to arrays of variable length: rows by arithmetic on them, named and cast, and sizes of such types. */
#include "show.h"

enum { WIDTH = 6 };
static int third_of(int m, const int (*rows)[m], int i);
#pragma acc routine(third_of) seq

static void moved_rows(int *out, int n)
{
    int m = WIDTH + n % 2;
    struct {
        int value;
        short weight;
    } pairs[n + 1][m];
    int *all = calloc((n + 1) * m, sizeof(int)), (*first)[m] = (int (*)[m])all;
    for (int i = 0; i < (n + 1) * m; ++i)
        all[i] = noise(i, 3);
    pairs[0][0].value = 1;
#pragma acc parallel loop copyin(first[0:n + 1], pairs) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        unsigned back = 1;
        out[i] = (first + 1)[i][2] + (*(i + first))[3] + *(first[i] + 1) + **(first + i + 1) + (first + i + 1)[-1][4];
        out[i] += (*(&first[i + 1] - back))[5] + (first + back)[i - 1 + (i == 0)][0] + *(*(first + i) + 2);
        out[i] += sizeof(pairs) + sizeof(pairs[0]) * 3 + sizeof(first) + sizeof(*first) % 7;
    }
#pragma acc parallel loop copyin(all[0:n * m + m]) copy(out[0:n])
    for (int i = 0; i < n; ++i) {
        out[i] += ((int (*)[m])all)[i][1] + ((const int (*)[m])all + 1)[i][3] + *((int (*)[m])all)[i];
        out[i] += (*(int (*)[m])(all + i))[2] + third_of(m, (const int (*)[m])all + 1, i);
        out[i] += sizeof(int[n + 1][m]) / sizeof(int[m]) + sizeof(int (*)[m]) + (i % 2 ? first : first + 1)[i][4];
    }
    free(all);
}

static int third_of(int m, const int (*rows)[m], int i)
{
    return rows[i][2] + (*rows)[1] + (rows + i)[0][3];
}

/* Rows of several dimensions, of which only the outer lengths are variables. */
static int of_planes(const int (*plane)[5], int k);
#pragma acc routine(of_planes) seq

static void planes(int *out, int n)
{
    int m = WIDTH + n % 2, (*all)[m][5] = calloc(n + 1, sizeof *all);
    for (int i = 0; i < (n + 1) * m * 5; ++i)
        ((int *)all)[i] = noise(i, 4);
#pragma acc parallel loop copyin(all[0:n + 1]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        const int(*plane)[5] = all[i];
        out[i] = (*(all + i))[2][1] + *(all[i] + 1)[2] + (all[i] + 1)[0][3] + **all[i] + plane[3][2] + (*plane)[4];
        out[i] += (int)(&all[i][2] - &all[i][0]) + of_planes(all[i + 1], 2) + of_planes(all[i] + 1, 1);
        out[i] += of_planes(&all[i][2], 1) + (i % 2 ? all[i] : all[i + 1])[2][3] + all[i][1][2] + (&all[i][1])[1][4];
    }
    free(all);
}

static int of_planes(const int (*plane)[5], int k)
{
    return plane[k][4] - (*plane)[k];
}

int main(int argc, char **argv)
{
    const int n = size_argument(argc, argv, 200);
    int *out = calloc(n + 1, sizeof(int));
    moved_rows(out, n);
    SHOW("rows", out, n);
    planes(out, n);
    SHOW("planes", out, n);
    free(out);
    return 0;
}

