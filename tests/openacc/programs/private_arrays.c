/* Arrays of gangs, workers and threads: private, declared between loops, of a length known at the launch, and large. */
#include "show.h"

enum { ROWS = 5, WORKERS = 6 };

static void of_gangs(const int *restrict a, int *restrict out, int *c, int n)
{
#pragma acc parallel loop gang private(c[0:n]) copyin(a[0:ROWS*n]) copyout(out[0:ROWS])
    for (int r = 0; r < ROWS; ++r) {
#pragma acc loop vector
        for (int j = 0; j < n; ++j)
            c[j] = a[r * n + j];
        int s = 0;
#pragma acc loop vector reduction(+: s)
        for (int j = 0; j < n; ++j)
            s += c[n - 1 - j] * j;
        out[r] = s;
    }
    SHOW("gangs", out, ROWS);
}

static void of_threads(const int *restrict a, int *restrict out, int *c, int n)
{
    int t = 7, own[3] = {1, 2, 3};
#pragma acc parallel loop gang vector private(c[2:n], own) copyin(a[0:ROWS*n]) copy(out[0:ROWS])
    for (int r = 0; r < ROWS; ++r) {
        for (int k = 0; k < 3; ++k)
            own[k] = r + k;
        for (int j = 0; j < n; ++j)
            c[2 + j] = a[r * n + j] + own[j % 3];
        for (int j = 0; j < n; ++j)
            out[r] += c[n + 1 - j] * j;
    }
#pragma acc parallel loop gang copy(out[0:ROWS])
    for (int r = 0; r < ROWS; ++r) {
        int u = r;
#pragma acc loop vector private(t)
        for (int j = 0; j < 3; ++j)
            t = j;
        out[r] += u;
    }
    SHOW("threads", out, ROWS);
}

/* Sequential loops have private variables too: what stands outside keeps its value. */
static void of_iterations(int *out)
{
#pragma acc serial copyout(out[0:4])
    {
        int row[4];
        for (int k = 0; k < 4; ++k)
            row[k] = 10 * k;
#pragma acc loop seq
        for (int i = 0; i < 4; ++i)
            out[i] = row[i] + i;
    }
    SHOW("iterations", out, 4);
}

static int first_two(const int *c, int *last)
{
    *last = c[2] + c[3];
    return c[2];
}

/* A loop of one thread has a copy too; parts of arrays count from the array's first element. */
static void in_one_thread(int *out, int *c, int n)
{
#pragma acc parallel loop gang vector copyout(out[0:20])
    for (int i = 0; i < 20; ++i) {
        int s = 0;
        if (i % 3)
            for (int u = 0; u < 2; ++u)
#pragma acc loop seq private(c[2:n])
                for (int r = 0; r < 3; ++r) {
                    for (int k = 0; k < n; ++k)
                        *(c + k + 2) = i + k * r;
                    int last;
                    s += first_two(c, &last) + c[n + 1] * (c + 1)[1];
                    s += last;
                }
        out[i] = s;
    }
    SHOW("threads of their own", out, 20);
#pragma acc parallel loop gang copyout(out[0:20])
    for (int i = 0; i < 20; ++i) {
        int s = 0;
#pragma acc loop seq private(c[0:n])
        for (int r = 0; r < 3; ++r) {
            for (int k = 0; k < n; ++k)
                c[k] = i + k * r;
            s += c[n - 1];
        }
        int t = 0;
#pragma acc loop vector reduction(+: t)
        for (int j = 0; j < n; ++j)
            t += s * j;
        out[i] = t;
    }
    SHOW("gangs of one loop", out, 20);
}

static void collapsed(int *out)
{
#pragma acc parallel loop gang copy(out[0:ROWS*WORKERS])
    for (int r = 0; r < ROWS; ++r) {
#pragma acc loop worker collapse(2)
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < WORKERS / 2; ++j) {
                int own[3][8];
#pragma acc loop vector collapse(2)
                for (int k = 0; k < 3; ++k)
                    for (int l = 0; l < 8; ++l)
                        own[k][l] = r + i * j + k * l;
                int s = 0;
#pragma acc loop vector reduction(+: s)
                for (int k = 0; k < 24; ++k)
                    s += own[2 - k / 8][7 - k % 8] * k;
                out[r * WORKERS + i * (WORKERS / 2) + j] = s;
            }
    }
    SHOW("collapsed", out, ROWS * WORKERS);
}

static void of_workers(const int *restrict a, int *restrict out, int *restrict row_out, int *c, int n)
{
    int total = 0;
#pragma acc parallel loop gang copyin(a[0:n]) copy(total) num_workers(4) vector_length(32) \
    copyout(out[0:ROWS*WORKERS], row_out[0:ROWS*WORKERS*n])
    for (int r = 0; r < ROWS; ++r) {
#pragma acc loop worker private(c[0:n])
        for (int w = 0; w < WORKERS; ++w) {
            int own[8], square[2][3], odd = r, count = w, first;
            out[r * WORKERS + w] = count++;
#pragma acc atomic capture
            {
                first = total;
                total += 2;
            }
#pragma acc loop vector
            for (int k = 0; k < 8; ++k)
                own[k] = r + w * k;
#pragma acc loop vector collapse(2)
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 3; ++j)
                    square[i][j] = 10 * i + j + w;
#pragma acc loop vector
            for (int j = 0; j < n; ++j) {
                c[j] = a[j] + r;
#pragma acc atomic
                own[j % 8] += a[j];
#pragma acc atomic
                odd += a[j] & 1;
            }
#pragma acc loop vector
            for (int j = 0; j < n; ++j)
                row_out[(r * WORKERS + w) * n + j] = c[n - 1 - j] + square[j % 2][j % 3] + count + (first >= 0);
            out[r * WORKERS + w] += own[0] + 10 * own[7] + 1000 * odd;
        }
    }
    SHOW("workers", out, ROWS * WORKERS);
    SHOW("rows of workers", row_out, ROWS * WORKERS * n);
    printf("total %d\n", total);
}

static void large(int *out)
{
#pragma acc parallel loop gang copyout(out[0:ROWS])
    for (int r = 0; r < ROWS; ++r) {
        double wide[40000];
#pragma acc loop vector
        for (int k = 0; k < 40000; ++k)
            wide[k] = k + r;
        double s = 0;
#pragma acc loop vector reduction(+: s)
        for (int k = 0; k < 40000; k += 999)
            s += wide[39999 - k];
        out[r] = (int)s;
    }
    SHOW("large", out, ROWS);
}

static void filled(int *out)
{
#pragma acc parallel loop gang copyout(out[0:ROWS])
    for (int r = 0; r < ROWS; ++r) {
        int some[5] = {r, 2, 3}, square[2][2] = {1, 2, r, 4}, rows[2][3] = {{1}, {2, 3}};
#pragma acc loop vector
        for (int k = 0; k < 5; ++k)
            some[k] += square[k % 2][k / 3] * 10 + rows[k % 2][k % 3] * 100;
        out[r] = some[0] + 7 * some[1] + 11 * some[4];
    }
    SHOW("filled", out, ROWS);
}

typedef int quad[4];

static void of_a_named_type(int *out)
{
    quad start = {1, 2, 3, 4}, work;
#pragma acc parallel loop gang firstprivate(start) private(work) copyout(out[0:ROWS])
    for (int r = 0; r < ROWS; ++r) {
#pragma acc loop seq
        for (int k = 0; k < 4; ++k)
            work[k] = start[k] * r;
        out[r] = work[r % 4] + start[3 - r % 4];
    }
    SHOW("of_a_named_type", out, ROWS);
}

/* A copied part begins where its clause said, whatever becomes of the variables in it. */
static void from_a_variable(int *out, int *w)
{
    int k = 2;
    for (int i = 0; i < 20; ++i)
        w[i] = i * i;
#pragma acc parallel firstprivate(w[k:9]) copyout(out[0:ROWS])
    {
        w[3] = 100;
        int sum = w[3];
        k = 4;
        sum += w[k];
#pragma acc loop gang
        for (int r = 0; r < ROWS; ++r)
            out[r] = w[k] + w[5] + sum + w[3];
    }
    SHOW("from_a_variable", out, ROWS);
    k = 2;
#pragma acc parallel private(w[k:6]) copyout(out[0:ROWS])
    {
        w[3] = 100;
        k = 4;
        w[k] = 7;
#pragma acc loop gang
        for (int r = 0; r < ROWS; ++r)
            out[r] = w[k] + w[3];
    }
    SHOW("from_a_variable", out, ROWS);
    for (int on_host = 0; on_host < 2; ++on_host) {
        k = 2;
        for (int i = 0; i < 20; ++i)
            w[i] = i * i;
#pragma acc parallel loop gang copyout(out[0:ROWS]) firstprivate(w[k:9]) private(k) if(!on_host)
        for (int r = 0; r < ROWS; ++r) {
            k = r + 2;
            w[k]++;
            out[r] = w[k] + 1000 * w[8];
        }
        SHOW("from_a_variable", out, ROWS);
    }
#pragma acc parallel private(w[2:9]) copyout(out[0:ROWS])
    {
#pragma acc loop gang private(k)
        for (int r = 0; r < ROWS; ++r) {
            w[2] = 5;
            w[3] = r;
            w[4] = 7;
            k = r % 3 + 2;
            out[r] = w[k];
        }
    }
    SHOW("from_a_variable", out, ROWS);
    k = 3;
#pragma acc parallel loop gang private(w[k:3], k) copyout(out[0:ROWS])
    for (int r = 0; r < ROWS; ++r) {
        w[3] = r;
        w[5] = 2;
        k = 5;
        out[r] = w[3] + w[k];
    }
    SHOW("from_a_variable", out, ROWS);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 70);
    int *a = new_ints(ROWS * n, 1), *c = new_ints(n + 2, 2), *out = new_ints(ROWS * WORKERS, 3);
    int *row_out = new_ints(ROWS * WORKERS * n, 4);
    of_gangs(a, out, c, n);
    of_threads(a, out, c, n);
    of_iterations(out);
    in_one_thread(out, c, n > 1 ? n : 2);
    collapsed(out);
    of_workers(a, out, row_out, c, n);
    large(out);
    filled(out);
    of_a_named_type(out);
    int w[20];
    from_a_variable(out, w);
    return 0;
}
