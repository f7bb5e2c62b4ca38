/* Cache directives in routines of all levels: at the top, in loops, between loops, and in front of their declarations. */
#include <stdio.h>
#include <stdlib.h>

#define ROW 32

#pragma acc routine seq
static float weighted(const float *a, int i)
{
    float weights[3] = {1, 2, 1};
#pragma acc cache(a[i:3], weights)
    float all = 0;
    for (int k = 0; k < 3; ++k) {
#pragma acc cache(a[i+k:1])
        all += a[i + k] * weights[k];
    }
    return all;
}

#pragma acc routine vector
static void turned(const float *restrict a, float *restrict b, float factor)
{
    float row[ROW];
#pragma acc cache(row, a[0:ROW])
    float last = a[ROW - 1];
#pragma acc loop vector
    for (int k = 0; k < ROW; ++k) {
#pragma acc cache(a[k:1], row[k:1])
        row[k] = a[k] * factor;
    }
#pragma acc cache(row[0:ROW])
#pragma acc loop vector
    for (int k = 0; k < ROW; ++k)
        b[k] = row[ROW - 1 - k] + last;
}

#pragma acc routine worker
static void smoothed(const float *restrict a, float *restrict b, int rows)
{
    float ends[2];
    ends[0] = a[0];
    ends[1] = a[rows * ROW - 1];
#pragma acc loop worker
    for (int r = 0; r < rows; ++r) {
        float row[ROW + 2];
#pragma acc cache(ends[0:2], a[r*ROW:ROW])
        row[0] = ends[0];
        row[ROW + 1] = ends[1];
#pragma acc loop vector
        for (int k = 0; k < ROW; ++k) {
#pragma acc cache(row[k:3])
            row[k + 1] = a[r * ROW + k];
        }
#pragma acc loop vector
        for (int k = 0; k < ROW; ++k) {
#pragma acc cache(row[k:3])
            b[r * ROW + k] = row[k] + 2 * row[k + 1] + row[k + 2];
        }
    }
}

#pragma acc routine gang
static void shifted(const float *restrict a, float *restrict b, int n)
{
#pragma acc cache(a[0:n])
#pragma acc loop gang vector
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:3])
        b[i] = a[i] - a[i + 2];
    }
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 40, n = rows * ROW;
    float *a = malloc((n + 2) * sizeof *a), *b = calloc(4 * n, sizeof *b);
    for (int i = 0; i < n + 2; ++i)
        a[i] = (i * 37) % 101;
    float *turn = b + n, *smooth = b + 2 * n, *shift = b + 3 * n;
#pragma acc data copyin(a[0:n+2]) copy(b[0:n], turn[0:n], smooth[0:n], shift[0:n])
    {
#pragma acc parallel loop
        for (int i = 0; i < n; ++i)
            b[i] = weighted(a, i);
#pragma acc parallel loop gang vector_length(64)
        for (int r = 0; r < rows; ++r)
            turned(a + r * ROW, turn + r * ROW, r);
#pragma acc parallel num_gangs(1) num_workers(3) vector_length(32)
        smoothed(a, smooth, rows);
#pragma acc parallel num_gangs(5) vector_length(96)
        shifted(a, shift, n);
    }
    double sum = 0;
    for (int i = 0; i < 4 * n; ++i)
        sum += b[i] * (i % 7 + 1);
    printf("%.0f\n", sum);
    free(a);
    free(b);
    return 0;
}
