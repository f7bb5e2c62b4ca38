/* Calls of routines that all threads run together: what they hand over, what they give, where they stand. */
#include "show.h"

enum { N = 20, M = 50, ROWS = 6 };
typedef struct {
    double sum;
    int n;
} result;

#pragma acc routine vector
static result summed(const double *a, int n)
{
    result r = {0, n};
    double s = 0;
#pragma acc loop vector reduction(+: s)
    for (int i = 0; i < n; ++i)
        s += a[i];
    r.sum = s;
    return r;
}

#pragma acc routine vector
static const double *largest(const double *a, int n)
{
    int at = 0;
    double h = a[0];
#pragma acc loop vector reduction(max: h)
    for (int i = 0; i < n; ++i)
        h = a[i] > h ? a[i] : h;
    at = n;
#pragma acc loop vector reduction(min: at)
    for (int i = 0; i < n; ++i)
        if (a[i] == h)
            at = i < at ? i : at;
    return a + at;
}

#pragma acc routine vector
static void histogram(const double *a, int n, int *bins, int *odd)
{
    int local[8] = {0}, many = 0;
#pragma acc loop vector
    for (int i = 0; i < n; ++i) {
#pragma acc atomic update
        local[(int)a[i] & 7] += 1;
#pragma acc atomic update
        many += (int)a[i] & 1;
    }
#pragma acc loop vector
    for (int k = 0; k < 8; ++k)
#pragma acc atomic update
        bins[k] += local[k];
    *odd = many;
}

#pragma acc routine vector
static int found(int *a, int n, int wanted, int step)
{
    switch (wanted) {
    case 3:
        return -3;
    default:
        break;
    }
    for (int k = 0; k < n; k += step) {
        if (a[k] == wanted)
            return k;
    }
    while (a[0] < wanted) {
#pragma acc loop vector
        for (int i = 0; i < n; ++i)
            a[i]++;
    }
    int w = wanted;
    do {
        w--;
        if (w % 5 == 0)
            return w;
    } while (w > 0);
    return -1;
}

static int inferred(int *a, int n)
{
    int c = 0;
#pragma acc loop vector reduction(+: c)
    for (int i = 0; i < n; ++i)
        c += a[i] > 3;
    return c;
}

#pragma acc routine worker
static void mixed(int *a, int *b, int rows, int n)
{
#pragma acc loop worker
    for (int r = 0; r < rows; ++r) {
        int own[4];
#pragma acc loop vector
        for (int k = 0; k < 4; ++k)
            own[k] = r + k;
        int c = inferred(a + r * n, n) + own[3];
#pragma acc loop vector
        for (int j = 0; j < n; ++j)
            b[r * n + j] = a[r * n + j] + c + own[j & 3];
    }
#pragma acc loop worker
    for (int r = 0; r < rows; ++r) {
        int own[4], t = r;
#pragma acc loop vector
        for (int k = 0; k < 4; ++k)
            own[k] = r + k;
        t += b[r * n]++;
#pragma acc loop vector
        for (int j = 1; j < n; ++j)
            b[r * n + j] += own[j & 3] + t;
    }
}

/* Arrays and several variables reduced at once, by all kinds of operators. */
#pragma acc routine vector
static int four(const int *a, int n, int *out)
{
    int t[4] = {1, 0, 0, 0}, most = -1;
    unsigned bits = 0;
    long product = 1;
#pragma acc loop vector reduction(+: t) reduction(max: most) reduction(|: bits)
    for (int i = 0; i < n; ++i) {
        t[a[i] & 3] += a[i];
        most = a[i] > most ? a[i] : most;
        bits |= 1u << (a[i] & 15);
    }
#pragma acc loop vector reduction(*: product)
    for (int i = 0; i < 10; ++i)
        product *= 1 + a[i] % 3;
    int any = 0, all = 1;
#pragma acc loop vector reduction(||: any) reduction(&&: all)
    for (int i = 0; i < n; ++i) {
        any = any || a[i] == 77;
        all = all && a[i] >= 0;
    }
#pragma acc loop vector
    for (int k = 0; k < 4; ++k)
        out[k] = t[k];
    return most + (int)bits + (int)product + any * 3 + all * 5;
}

#pragma acc routine worker
static void matrix(const int *restrict a, int (*restrict out)[M], int rows)
{
#pragma acc loop worker private(rows)
    for (int i = ROWS - 1; i >= 0; --i) {
        int row[M];
        rows = i;
#pragma acc loop vector
        for (int j = M - 1; j >= 0; j -= 1)
            row[j] = a[i * M + j] + rows;
#pragma acc loop vector
        for (long j = 0; j < M; ++j)
            out[i][j] = row[M - 1 - j];
    }
#pragma acc loop worker vector tile(4, 8)
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < M; ++j)
            out[i][j] += i * j;
}

static void several_results(const int *x)
{
    int out[ROWS * 4], found[ROWS], moved[ROWS][M];
#pragma acc parallel loop gang copyin(x[0:ROWS*M]) copyout(out, found) vector_length(48)
    for (int i = 0; i < ROWS; ++i)
        found[i] = four(x + i * M, M, out + 4 * i);
    SHOW("found", found, ROWS);
    SHOW("out", out, ROWS * 4);
#pragma acc parallel copyin(x[0:ROWS*M]) copyout(moved)
    matrix(x, moved, 5);
    SHOW("moved", &moved[0][0], ROWS * M);
}

typedef struct {
    int rows, scale;
} Shape;

#pragma acc routine seq
static int scaled(const Shape *shape, int i)
{
    return i * shape->scale;
}

#pragma acc routine seq
static void halved(Shape *shape)
{
    shape->rows /= 2;
}

/* Limits that a routine is handed the address of: one only reads it, the other changes it. */
static void limits(int *y)
{
    Shape shape = {N * M, 5};
#pragma acc parallel loop copy(y[0:N*M])
    for (int i = 0; i < shape.rows; ++i)
        y[i] += scaled(&shape, i);
#pragma acc serial copy(y[0:N*M])
    for (int i = 0; i < shape.rows; ++i) {
        y[i] -= scaled(&shape, 1);
        if (i == 3)
            halved(&shape);
    }
}

int main(void)
{
    static double a[N * M], out[N * 3];
    static int x[N * M], y[N * M], bins[8], odd[N], counter[1] = {3};
    for (int i = 0; i < N * M; ++i) {
        a[i] = noise(i, 1) % 100;
        x[i] = noise(i, 2) % 30;
    }
#pragma acc parallel loop gang copyin(a) copyout(out) copy(bins) copyout(odd)
    for (int i = 0; i < N; ++i) {
        result r = summed(a + i * M, M);
        const double *p = largest(a + i * M, M);
        out[i * 3] = r.sum + summed(p, 1).sum * 3;
        out[i * 3 + 1] = *p + *largest(a + i * M, M / 2);
        out[i * 3 + 2] = r.n;
        int o;
        histogram(a + i * M, M, bins, &o);
        odd[i] = o;
    }
    several_results(x);
    double t = 0;
    for (int i = 0; i < N * 3; ++i)
        t = t * 0.5 + out[i];
    for (int i = 0; i < 8; ++i)
        t = t * 0.5 + bins[i];
    for (int i = 0; i < N; ++i)
        t = t * 0.5 + odd[i];
    printf("%.17g\n", t);
#pragma acc parallel copy(x, y, counter) num_gangs(1)
    {
        int f[4];
        f[0] = found(x, 10, 3, 1);
        f[1] = found(x, 10, 7, counter[0]++);
        f[2] = found(x, 10, 35, ++counter[0]);
        f[3] = found(x, 10, counter[0] += 50, 1);
        y[0] = f[0] + 10 * f[1] + 1000 * f[2] + 10000 * f[3];
    }
    printf("%d %d %d\n", y[0], counter[0], x[3]);
#pragma acc parallel copy(x, y)
    mixed(x, y, N, M);
    unsigned long s = 0;
    for (int i = 0; i < N * M; ++i)
        s = s * 3 + y[i];
    printf("%lu\n", s);
    int total = 0;
#pragma acc kernels copy(x, y, total)
    {
        for (int i = 0; i < N; ++i)
            y[i] = inferred(x + i * M, M);
        total = inferred(x, N * M);
    }
    printf("%d\n", total);
    limits(y);
    s = 0;
    for (int i = 0; i < N * M; ++i)
        s = s * 3 + y[i];
    printf("%lu\n", s);
    return 0;
}
