/* Parallel loops that count with pointers: up, down, with steps, over rows, collapsed, through structures, cached. */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 6
#define COLUMNS 10

struct point { int x; double y; };

static float planes[4][ROWS][COLUMNS];
static int numbers[1500];

static void upwards(double *restrict v, int n, int first, unsigned unsign, unsigned long wide)
{
    int *p;
#pragma acc parallel loop copy(v[0:n])
    for (double *q = v + first; q < v + n; q++)
        *q = *q * 2 + (q - v);
#pragma acc parallel loop copy(numbers)
    for (p = numbers; p != &numbers[n]; ++p)
        p[0] += 2;
#pragma acc parallel loop copy(numbers)
    for (p = numbers; numbers + unsign > p; p += 3)
        *p *= 3;
#pragma acc parallel loop copy(numbers)
    for (p = numbers; p != numbers + 12; p = 4 + p)
        p[1] += 3;
#pragma acc parallel loop copy(numbers)
    for (p = wide + numbers - 1; p >= numbers; p--)
        *p ^= 9;
#pragma acc kernels loop independent copy(numbers)
    for (p = numbers + 2; p + 2 < numbers + n; p += 2)
        p[0] += 9;
#pragma acc kernels copy(numbers)
#pragma acc loop
    for (p = numbers; p < numbers + n; p++)
        p[0] += 1;
}

static void downwards(int n, int step)
{
    int *p;
#pragma acc parallel loop copy(numbers)
    for (p = numbers + n - 1; p > &numbers[3]; p = p - step)
        p[0] += 7;
#pragma acc parallel loop copy(numbers)
    for (p = &numbers[n - 1]; numbers <= p; --p)
        p[0] ^= 5;
#pragma acc parallel loop copy(numbers)
    for (p = numbers + n; p != numbers; p -= 1)
        p[-1] += 3;
#pragma acc parallel loop copy(numbers)
    for (p = numbers + n - 1; p >= numbers; p += -2)
        p[0] -= 11;
}

static void steps(int n, int step)
{
    const int back = -step;
#pragma acc parallel loop copy(numbers)
    for (int *p = numbers; p < numbers + n; p += step)
        *p += 13;
#pragma acc parallel loop copy(numbers)
    for (int *p = numbers + n - 1; p > numbers; p += back)
        *p -= 17;
}

static void rows(void)
{
#pragma acc parallel loop gang copy(planes)
    for (float *i = &planes[0][0][0]; i < &planes[0][0][4]; i++)
#pragma acc loop vector collapse(2)
        for (float *j = &planes[0][ROWS][0]; j > &planes[0][0][0]; j -= COLUMNS)
            for (float *k = planes[0][0] + COLUMNS; k > &planes[0][0][0]; --k)
                planes[i - &planes[0][0][0]][(j - &planes[0][0][0]) / COLUMNS - 1][(k - &planes[0][0][0]) - 1] -= 3.5f;
#pragma acc parallel loop collapse(2) copy(planes)
    for (float (*plane)[ROWS][COLUMNS] = planes; plane < planes + 4; ++plane)
        for (int j = 0; j < ROWS; ++j)
            (*plane)[j][2] += j;
#pragma acc parallel loop collapse(2) copy(planes)
    for (float (*row)[COLUMNS] = planes[1]; row < &planes[3][2]; ++row)
        for (int j = 0; j < COLUMNS; ++j)
            (*row)[j] += j;
#pragma acc parallel loop collapse(2) copy(planes)
    for (int i = 0; i < ROWS; ++i)
        for (float *p = planes[0][0]; p < &planes[0][0][COLUMNS]; p++)
            planes[2][i][p - &planes[0][0][0]] += i;
}

static void points(struct point *q, int n, long u)
{
#pragma acc parallel loop copy(q[0:n])
    for (struct point *p = q; p < q + n; ++p) {
        p->x += (int)u;
        p->y = p->x * 0.5;
    }
    int sum = 0;
#pragma acc parallel loop copyin(q[0:n]) reduction(+ : sum)
    for (const struct point *p = q; p < q + n; ++p)
        sum += p->x;
    numbers[0] += sum;
}

static void cached(const int *restrict from, int *restrict to, int n)
{
#pragma acc parallel loop copyin(from[0:n]) copy(to[0:n])
    for (int *p = to + 1; p < to + n - 1; ++p) {
        const long i = p - to;
#pragma acc cache(from[i-1:3])
        *p += from[i - 1] + 2 * from[i] + from[i + 1];
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 100;
    double v[1500];
    int from[1500];
    struct point q[1500];
    for (int i = 0; i < 1500; ++i) {
        numbers[i] = i;
        from[i] = 3 * i;
        v[i] = i;
        q[i].x = i;
        q[i].y = 1;
    }
    for (int i = 0; i < 4 * ROWS * COLUMNS; ++i)
        planes[i / (ROWS * COLUMNS)][i / COLUMNS % ROWS][i % COLUMNS] = i;
    upwards(v, n, 2, n, n);
    downwards(n, 3);
    steps(n, 1 + n % 5);
    rows();
    points(q, n, 4);
    cached(from, numbers, n);
    double s = 0;
    for (int i = 0; i < 1500; ++i)
        s = s * 0.99 + numbers[i] + v[i] + q[i].x + 2 * q[i].y;
    for (int i = 0; i < 4 * ROWS * COLUMNS; ++i)
        s = s * 0.99 + planes[i / (ROWS * COLUMNS)][i / COLUMNS % ROWS][i % COLUMNS];
    printf("%.9g\n", s);
    return 0;
}
