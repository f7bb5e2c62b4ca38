/* Scalars and structures of the function around, which loops write before they read them and nobody reads behind. */
#include "show.h"

typedef struct {
    int x;
    struct {
        double low, high;
    } part;
    float row[3];
} Record;

typedef struct {
    short x, y;
    double z;
} Point;

static void scalars(const double *restrict a, double *restrict b, int n)
{
    int i, j;
    double t, u, v;
#pragma acc kernels copyin(a[0:n*n]) copyout(b[0:n*n])
    {
#pragma acc loop independent
        for (i = 0; i < n; i++)
#pragma acc loop independent
            for (j = 0; j < n; j++) {
                t = a[i * n + j];
                if (t > 500)
                    u = t + 1;
                else {
                    u = t - 1;
                    u *= 2;
                }
                b[i * n + j] = t * 2 + u;
            }
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++) {
                v = (t = b[i * n + j]) > 3 ? t : -t;
                b[i * n + j] = v + t;
            }
    }
}

static void carried(const double *restrict a, double *restrict b, double *restrict c, int n)
{
    int i, j;
    double t = 3, last = 0, sum, start;
#pragma acc kernels copyin(a[0:n]) copyout(b[0:n], c[0:n])
    {
        start = a[0] + 1;
        for (i = 0; i < n; i++) {
            if (a[i] > 700)
                t = a[i];
            b[i] = t + start;
        }
        for (i = 0; i < n; i++) {
            start = a[i];
            c[i] = last + start;
            last = start;
        }
        for (i = 0; i < n; i++) {
            sum = 0;
            for (j = 0; j < 5; j++)
                sum += a[(i + j) % n] * start;
            if (sum > 1e5)
                continue;
            for (j = 0; j < 3; j++) {
                t = sum + j;
                c[i] += t;
            }
        }
    }
}

static void read_behind(const double *restrict a, double *restrict b, int n)
{
    int i;
    double t = 0;
#pragma acc kernels copyin(a[0:n]) copyout(b[0:n])
    {
        for (i = 0; i < n; i++) {
            t = a[i];
            b[i] = t;
        }
        b[n / 2] += t;
        for (i = 0; i < n; i++) {
            t = a[i] / 2;
            b[i] += t;
        }
    }
    printf("read behind %g\n", t);
}

static void of_kernels(const int *restrict a, int *restrict b, int *c, int n)
{
#pragma acc kernels copyin(a[0:n]) copy(b[0:n], c[0:n])
    {
        int m = n * 2 + 1, t, i;
        const int k = a[0] + m;
        Point p;
        for (i = 0; i < n; i++) {
            t = a[i];
            p.x = (short)t;
            b[i] += t + m + k + p.x;
        }
        for (i = 0; i < n; i++) {
            t = a[i] + 1;
            p.y = 3;
            b[i] += t * m + k - p.y;
            c[i] = m;
        }
        b[0] += k + m;
        if (n > 2)
            for (i = 0; i < n; i++)
                c[i] += m + k;
    }
}

static void structures(const double *restrict a, double *restrict b, int n)
{
    Record r;
    Point p, q;
    double t = 0;
#pragma acc kernels copyin(a[0:n]) copyout(b[0:n])
    {
#pragma acc loop independent
        for (int i = 0; i < n; i++) {
            r.x = i;
            r.part.low = a[i];
            r.part.high = r.part.low + r.x;
            r.row[i % 3] = 4;
            p.x = p.y = i % 100;
            p.z = r.part.high;
            q = p;
            q.y++;
            b[i] = q.z - r.part.low + q.y * p.y;
        }
#pragma acc loop independent
        for (int i = 0; i < n; i++) {
            r.part.high = a[i];
            if (r.part.high > 100 && (t = r.part.high / 2) > 60)
                b[i] += t;
        }
    }
}

static void of_parallel_loops(const double *restrict a, double *restrict b, int n)
{
    Record r;
    Point p;
    double t;
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; i++) {
        r.part.low = a[i];
        t = 1;
        b[i] += r.part.low + t;
    }
#pragma acc parallel num_workers(4) vector_length(32) copyin(a[0:n]) copy(b[0:n])
#pragma acc loop gang
    for (int g = 0; g < 3; g++) {
        p.x = g;
#pragma acc loop worker
        for (int k = 0; k < 2; k++) {
            Record own;
            own.x = k + g;
#pragma acc loop vector
            for (int i = 2 * g + k; i < n; i += 6)
                b[i] += a[i] + own.x + p.x;
        }
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 60);
    double *a = (double *)malloc(n * n * sizeof *a), *b = (double *)calloc(n * n, sizeof *b);
    double *c = (double *)calloc(n, sizeof *c);
    for (int i = 0; i < n * n; i++)
        a[i] = noise(i, 1);
    scalars(a, b, n);
    SHOW("scalars", b, n * n);
    carried(a, b, c, n);
    SHOW("carried", b, n * n);
    SHOW("carried on", c, n);
    read_behind(a, b, n);
    SHOW("read behind", b, n);
    int *whole = new_ints(n, 3), *sums = new_ints(n, 4), *plain = new_ints(n, 5);
    of_kernels(whole, sums, plain, n);
    SHOW("of kernels", sums, n);
    SHOW("of kernels", plain, n);
    structures(a, b, n);
    SHOW("structures", b, n);
    of_parallel_loops(a, b, n);
    SHOW("of parallel loops", b, n);
    return 0;
}
