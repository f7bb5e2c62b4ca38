/* Pointers that kernels declare: into rows, columns and structures, one based on another, moved, or kept for other uses. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 70, M = 45 };
typedef struct {
    float x, y;
} point;
static float plane[N][M];
static point points[N];

static void rows(int n, int m, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang copyin(a[0:n*m]) copy(b[0:n*m])
    for (int i = 1; i < n - 1; ++i) {
        const float *up = a + (i - 1) * m, *row = up + m, *down = &row[m];
        float *out = &b[i * m];
#pragma acc loop vector
        for (int j = 1; j < m - 1; ++j) {
#pragma acc cache(row[j-1:3], up[j:1])
            *(out + j) += row[j - 1] + row[j + 1] + up[j] * 2 - *(down + j) + *row;
        }
    }
}

static void updates(int n, unsigned m, float *b)
{
#pragma acc parallel loop copy(b[0:n*m])
    for (int i = 0; i < n; ++i) {
        float *row = b + i * m, *last = row + m - 1u;
        for (unsigned j = 1; j < m; ++j)
            row[j] = row[j - 1] * 0.5f + *last; /* the last one is read before it is changed */
        *last = row[-1 + (int)m] + 1;
    }
}

static void wide(size_t n, long m, const float *a, float *b)
{
#pragma acc parallel loop copyin(a[0:n*m]) copy(b[0:n*m])
    for (size_t i = 0; i < n; ++i) {
        const float *from = a + (n - 1 - i) * m;
        float *to = b + i * m;
        for (long j = 0; j < m; ++j)
            to[m - 1 - j] += from[j];
    }
}

static void structures(int n)
{
#pragma acc parallel loop copy(points)
    for (int i = 0; i < n; ++i) {
        point *p = points + i;
        const point *q = &points[i];
        p->x = q->y + i;
        (*p).y -= q[0].x;
    }
}

static void planes(int n)
{
#pragma acc parallel loop copy(plane)
    for (int i = 1; i < n; ++i) {
        float *row = plane[i];
        float(*two)[M] = plane + i;
        for (int j = 0; j < M; ++j)
            row[j] = two[0][j] + (*two)[M - 1 - j] + j;
    }
}

static void kept(int n, const int *restrict to, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop copyin(a[0:n], to[0:n]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        int k = to[i];
        const float *p = a + k, *q = a + to[i], *r = &a[i / 2];
        k = 0;
        const float *moving = r;
        moving += i % 3;
        for (const float *s = r; s < moving; ++s)
            b[i] += *s;
        b[i] += p[k] + q[0] - moving[0] + (float)(moving - a);
    }
}

static float sum(const float *from, int count)
{
    float found = 0;
    for (int i = 0; i < count; ++i)
        found += from[i];
    return found;
}

static void passed(int n, int m, const float *restrict a, float *restrict b)
{
#pragma acc kernels copyin(a[0:n*m]) copy(b[0:n])
    {
        const float *second = a + m;
        for (int i = 0; i < n - 1; ++i) {
            const float *row = second + i * m;
            b[i] += sum(row, m) + row[m / 2];
        }
        float *last = b + n - 1;
        for (int i = 0; i < 3; ++i)
            last[-i] += second[i];
    }
}

static void overlapping(int n, float *a)
{
#pragma acc kernels copy(a[0:n])
    {
        float *half = a + n / 2;
        for (int i = 0; i < n / 2; ++i)
            half[i] = a[i] + 1;
        for (int i = 1; i < n; ++i) { /* each reads what the one before wrote */
            float *here = a + i, *before = here - 1;
            *here += *before * 0.25f;
        }
    }
}

int main(void)
{
    float *a = malloc(N * M * sizeof *a), *b = malloc(N * M * sizeof *b);
    int to[N];
    for (int i = 0; i < N * M; ++i) {
        a[i] = i * 7 % 11 - 3;
        b[i] = i % 5;
        plane[i / M][i % M] = i % 13;
    }
    for (int i = 0; i < N; ++i) {
        points[i].x = points[i].y = i;
        to[i] = i * 31 % N;
    }
    rows(N, M, a, b);
    updates(N, M, b);
    wide(N, M, a, b);
    structures(N);
    planes(N);
    kept(N, to, a, b);
    passed(N, M, a, b);
    overlapping(N, a);
    double total = 0;
    for (int i = 0; i < N * M; ++i)
        total += b[i] + a[i] + plane[i / M][i % M] * (i % 3);
    for (int i = 0; i < N; ++i)
        total += points[i].x * 3 - points[i].y;
    printf("%.9g\n", total);
    return 0;
}
