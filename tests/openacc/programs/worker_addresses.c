/* Between worker and vector loops one thread stores through the address of a variable that its worker has. */
#include "show.h"

enum { W = 24, V = 40 };

typedef struct {
    int number;
    double part[3];
} Pair;

#pragma acc routine seq
static int *same(int *p)
{
    return p;
}

#pragma acc routine seq
static void keep(int **where, int *p)
{
    *where = p;
}

#pragma acc routine seq
static void set(Pair *p, int w)
{
    p->number = w;
    p->part[w % 3] = w * 0.5;
}

static void scalar_int(int *r, int n)
{
#pragma acc parallel loop gang worker num_gangs(3) num_workers(1) vector_length(32) copy(r[0:n*V])
    for (int w = 0; w < n; ++w) {
        int s;
        int *p = &s;
        *p = (int)(w + 1);
#pragma acc loop vector
        for (int v = 0; v < V; ++v)
            r[w * V + v] += (int)s * v;
        *p += 2;
#pragma acc loop vector
        for (int v = 0; v < V; ++v)
            r[w * V + v] += (int)s + (int)*p;
    }
}

static void scalar_char(int *r, int n)
{
#pragma acc parallel loop gang worker num_gangs(3) num_workers(2) vector_length(32) copy(r[0:n*V])
    for (int w = 0; w < n; ++w) {
        char s;
        char *p = &s;
        *p = (char)(w + 1);
#pragma acc loop vector
        for (int v = 0; v < V; ++v)
            r[w * V + v] += (int)s * v;
        *p += 2;
#pragma acc loop vector
        for (int v = 0; v < V; ++v)
            r[w * V + v] += (int)s + (int)*p;
    }
}

static void scalar_float(int *r, int n)
{
#pragma acc parallel loop gang worker num_gangs(3) num_workers(4) vector_length(32) copy(r[0:n*V])
    for (int w = 0; w < n; ++w) {
        float s;
        float *p = &s;
        *p = (float)(w + 1);
#pragma acc loop vector
        for (int v = 0; v < V; ++v)
            r[w * V + v] += (int)s * v;
        *p += 2;
#pragma acc loop vector
        for (int v = 0; v < V; ++v)
            r[w * V + v] += (int)s + (int)*p;
    }
}

static void scalar_double(int *r, int n)
{
#pragma acc parallel loop gang worker num_gangs(3) num_workers(8) vector_length(32) copy(r[0:n*V])
    for (int w = 0; w < n; ++w) {
        double s;
        double *p = &s;
        *p = (double)(w + 1);
#pragma acc loop vector
        for (int v = 0; v < V; ++v)
            r[w * V + v] += (int)s * v;
        *p += 2;
#pragma acc loop vector
        for (int v = 0; v < V; ++v)
            r[w * V + v] += (int)s + (int)*p;
    }
}

static void structures(const int *a, double *r, int n)
{
#pragma acc parallel num_gangs(2) num_workers(4) vector_length(32) copyin(a[0:n*V]) copy(r[0:n*V])
    {
#pragma acc loop gang
        for (int g = 0; g < 2; ++g) {
            Pair of_gang = {g, {1, 2, 3}};
            Pair *q = &of_gang;
            q->part[1] += g;
#pragma acc loop worker
            for (int w = g; w < n; w += 2) {
                Pair s = {0, {0, 0, 0}}, t;
                Pair *p = w % 4 < 2 ? &s : &t;
                double *part = s.part;
                t = s;
                p->number = a[w * V];
                part[1] = w * 0.25;
                set(p, w);
#pragma acc loop vector
                for (int v = 0; v < V; ++v)
                    r[w * V + v] += s.number + t.number * v + s.part[v % 3] + t.part[w % 3] + of_gang.part[v % 3];
            }
        }
    }
}

static void through_calls(const int *a, int *r, int n)
{
#pragma acc parallel loop gang num_workers(4) vector_length(32) copyin(a[0:n*V]) copy(r[0:n*V])
    for (int g = 0; g < 2; ++g) {
#pragma acc loop worker
        for (int w = g; w < n; w += 2) {
            int s = w, t = 1;
            int *p = same(&s), *q;
            keep(&q, &t);
            *p += a[w * V];
            *q = s + 1;
            if (w % 3 == 0)
                p = q;
            for (int k = 0; k < 3; ++k) {
                *p += k;
#pragma acc loop vector
                for (int v = 0; v < V; ++v)
                    r[w * V + v] += s * v + t + *p;
            }
        }
    }
}

static void by_one_lane(const int *a, int *r, int n)
{
#pragma acc parallel loop gang num_workers(2) vector_length(64) copyin(a[0:n*V]) copy(r[0:n*V])
    for (int g = 0; g < 2; ++g) {
        int of_gang = -1;
#pragma acc loop worker
        for (int w = g; w < n; w += 2) {
            int s = 7;
#pragma acc loop vector
            for (int v = 0; v < V; ++v) {
                int *p = &s;
                if (v == 33)
                    *p = a[w * V];
            }
            if (w == n / 2) {
                int *p = &of_gang;
                *p = s;
            }
#pragma acc loop vector
            for (int v = 0; v < V; ++v)
                r[w * V + v] += s * v;
        }
#pragma acc loop worker vector
        for (int v = 0; v < V; ++v)
            if (g < n)
                r[g * V + v] += of_gang;
    }
}

static void arrays(const int *a, int *r, int n)
{
#pragma acc parallel num_workers(4) vector_length(32) copyin(a[0:n*V]) copy(r[0:n*V])
    {
#pragma acc loop gang worker
        for (int w = 0; w < n; ++w) {
            int row[V], *end = row + V - 1, count = 0;
            int (*whole)[V] = &row;
            int *counted = &count;
            for (int v = 0; v < V; ++v)
                row[v] = a[w * V + v];
            *end = w;
            (*whole)[0] = -w;
            for (int *p = row; p <= end; ++p)
                if (*p % 2)
                    ++*counted;
#pragma acc loop vector
            for (int v = 0; v < V; ++v)
                r[w * V + v] += row[V - 1 - v] + count;
        }
    }
}

static void reductions(const int *a, int *r, int n)
{
#pragma acc parallel loop gang worker num_workers(4) vector_length(32) copyin(a[0:n*V]) copy(r[0:n*V])
    for (int w = 0; w < n; ++w) {
        int sum = 0, *p = &sum;
        *p = w;
#pragma acc loop vector reduction(+: sum)
        for (int v = 0; v < V; ++v)
            sum += a[w * V + v];
        *p += *p % 7;
#pragma acc loop vector
        for (int v = 0; v < V; ++v)
            r[w * V + v] += sum - *p + v * sum;
    }
}

#pragma acc routine worker
static void of_workers(const int *a, int *r, int n, int g)
{
    int all = g, *shared = &all;
    *shared += 3;
#pragma acc loop worker
    for (int w = g; w < n; w += 2) {
        int s, *p = &s;
        *p = a[w * V] + all;
#pragma acc loop vector
        for (int v = 0; v < V; ++v)
            r[w * V + v] += s - v;
    }
}

static void routines(const int *a, int *r, int n)
{
#pragma acc parallel loop gang num_workers(4) vector_length(32) copyin(a[0:n*V]) copy(r[0:n*V])
    for (int g = 0; g < 2; ++g)
        of_workers(a, r, n, g);
}

static void private_clause(const int *a, int *r, int n)
{
    int s = 0, *p = 0;
#pragma acc parallel loop gang worker num_workers(4) vector_length(32) private(s, p) copyin(a[0:n*V]) copy(r[0:n*V])
    for (int w = 0; w < n; ++w) {
        p = &s;
        *p = a[w * V + 1];
#pragma acc loop vector
        for (int v = 0; v < V; ++v)
            r[w * V + v] += s;
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, W);
    int *a = new_ints(n * V, 1), *r = new_ints(n * V, 2);
    double *d = (double *)calloc((size_t)n * V, sizeof *d);
    scalar_int(r, n);
    scalar_char(r, n);
    scalar_float(r, n);
    scalar_double(r, n);
    SHOW("scalars", r, n * V);
    structures(a, d, n);
    SHOW("structures", d, n * V);
    through_calls(a, r, n);
    SHOW("through calls", r, n * V);
    by_one_lane(a, r, n);
    SHOW("by one lane", r, n * V);
    arrays(a, r, n);
    SHOW("arrays", r, n * V);
    reductions(a, r, n);
    SHOW("reductions", r, n * V);
    routines(a, r, n);
    SHOW("routines", r, n * V);
    private_clause(a, r, n);
    SHOW("private clause", r, n * V);
    return 0;
}
