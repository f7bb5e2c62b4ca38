/* Reductions of arrays and parts of arrays: sections, several dimensions, loops in loops. */
#include "show.h"

static double file_scope[4];

static void sections(int *c, const int *a, int n)
{
#pragma acc parallel loop reduction(+: c[2:5]) copyin(a[0:n])
    for (int i = 0; i < n; ++i)
        c[2 + a[i] % 5] += a[i];
    SHOW("sections", c, 9);
    for (int x = 0; x < 3; ++x) {
#pragma acc parallel loop reduction(max: c[x]) copyin(a[0:n])
        for (int i = x; i < n; i += 3)
            c[x] = a[i] > c[x] ? a[i] : c[x];
    }
    SHOW("one element", c, 9);
}

static void planes(const int *a, int n)
{
    int plane[2][3] = {{1, 2, 3}, {4, 5, 6}};
#pragma acc parallel loop reduction(+: plane) copyin(a[0:n])
    for (int i = 0; i < n; ++i)
        plane[i % 2][a[i] % 3]++;
    SHOW("plane", &plane[0][0], 6);
#pragma acc parallel loop gang vector reduction(^: plane[1:1][0:3]) copyin(a[0:n])
    for (int i = 0; i < n; ++i)
        plane[1][i % 3] ^= a[i];
    SHOW("half a plane", &plane[0][0], 6);
}

/* The inner loops have no clause of their own, or have one; between them all threads read the sums so far. */
static void nested(const int *a, int *b, int rows, int n)
{
    int c[3] = {1, 2, 3};
#pragma acc parallel reduction(+: c) copyin(a[0:rows*n]) copy(b[0:rows]) num_gangs(3)
    {
#pragma acc loop gang
        for (int r = 0; r < rows; ++r) {
            int d[2][2];
#pragma acc loop vector
            for (int k = 0; k < 4; ++k)
                d[k / 2][k % 2] = r;
#pragma acc loop vector reduction(+: c)
            for (int j = 0; j < n; ++j)
                c[j % 3] += a[r * n + j];
#pragma acc loop vector reduction(+: d)
            for (int j = 0; j < n; ++j)
                d[j % 2][a[r * n + j] % 2] += j;
            c[0] += 1;
            b[r] = d[0][0] + 10 * d[0][1] + 100 * d[1][0] + 1000 * d[1][1];
        }
    }
    SHOW("construct", c, 3);
    SHOW("rows", b, rows);
}

static void workers(const int *a, int *b, int rows, int n)
{
#pragma acc parallel loop gang copyin(a[0:rows*n*4]) copy(b[0:rows*3]) num_workers(4) vector_length(32)
    for (int r = 0; r < rows; ++r) {
        int most[3] = {-1, -1, -1};
#pragma acc loop worker reduction(max: most)
        for (int w = 0; w < 4; ++w) {
#pragma acc loop vector reduction(max: most)
            for (int j = 0; j < n; ++j)
                most[j % 3] = a[(r * 4 + w) * n + j] > most[j % 3] ? a[(r * 4 + w) * n + j] : most[j % 3];
        }
        for (int k = 0; k < 3; ++k)
            b[r * 3 + k] = most[k];
    }
    SHOW("workers", b, rows * 3);
}

static void globals(const int *a, int n)
{
#pragma acc kernels copyin(a[0:n])
    {
#pragma acc loop independent reduction(+: file_scope)
        for (int i = 0; i < n; ++i)
            file_scope[i & 3] += a[i] * 0.25;
    }
    SHOW("file scope", file_scope, 4);
}

static void four_dimensions(const int *a, int n)
{
    int sums[2][2][1][2] = {{{{1}}}}, gangs[3];
    long most[2][1][2][2][2] = {{{{{1}}}}};
#pragma acc parallel loop copyin(a[0:n]) reduction(+: sums) reduction(max: most)
    for (int i = 0; i < n; ++i) {
        sums[i & 1][i >> 1 & 1][0][i >> 2 & 1] += a[i];
        if (most[i & 1][0][i >> 1 & 1][1][i >> 2 & 1] < a[i])
            most[i & 1][0][i >> 1 & 1][1][i >> 2 & 1] = a[i];
    }
    SHOW("four dimensions", &sums[0][0][0][0], 8);
    SHOW("five dimensions", &most[0][0][0][0][0], 16);
#pragma acc parallel loop gang copyin(a[0:n]) copyout(gangs)
    for (int g = 0; g < 3; ++g) {
        int own[2][1][2][2] = {{{{g}}}};
#pragma acc loop vector reduction(+: own)
        for (int i = 0; i < n; ++i)
            own[i & 1][0][i >> 1 & 1][i >> 2 & 1] += a[i] + g;
        gangs[g] = own[0][0][0][0] + 3 * own[1][0][1][1];
    }
    SHOW("of gangs", gangs, 3);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300), rows = 7;
    int *a = new_ints(rows * n * 4, 1), *b = new_ints(rows * 3, 2), *c = new_ints(9, 3);
    sections(c, a, n);
    planes(a, n);
    nested(a, b, rows, n);
    workers(a, b, rows, n);
    globals(a, n);
    four_dimensions(a, n);
    return 0;
}
