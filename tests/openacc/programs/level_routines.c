/* Routines of all levels: their loops are spread over the threads of the blocks that call them, whatever their shape. */
#include "show.h"

enum { ROWS = 12, LENGTHS = 16 };
typedef struct {
    double low, high;
    int count;
} range;

/* What it finds is the same for all threads; what it hands back lies where one of them writes it. */
#pragma acc routine vector
void extremes(const double *row, int n, double *low, double *high)
{
    double l = row[0], h = row[0];
#pragma acc loop vector reduction(min: l) reduction(max: h)
    for (int j = 0; j < n; ++j) {
        l = row[j] < l ? row[j] : l;
        h = row[j] > h ? row[j] : h;
    }
    *low = l;
    *high = h;
}

#pragma acc routine vector
double row_sum(const double *row, int n)
{
    double sum = 0;
#pragma acc loop reduction(+: sum)
    for (int j = n - 1; j >= 0; --j)
        sum += row[j];
    return sum;
}

/* An array of the block, returns in the middle, a loop with wide steps, a parameter whose address is taken. */
#pragma acc routine vector
static int described(const double *row, int n, range *r)
{
    double t[LENGTHS];
    r->count = n;
    extremes(row, n, &r->low, &r->high);
    if (n < LENGTHS)
        return n;
#pragma acc loop vector
    for (int k = 0; k < LENGTHS; ++k)
        t[k] = row[k] * 2;
    double sum = 0;
#pragma acc loop vector reduction(+: sum)
    for (unsigned char k = 0; k < LENGTHS; k += 3)
        sum += t[LENGTHS - 1 - k] * k;
    if (r->count > 3 && sum > 10)
        r->low += sum;
    else {
        r->high = 0;
        return -1;
    }
    r->high += 1;
    return (int)row_sum(t, LENGTHS);
}

/* Each thread changes elements of its own, and all sum up. */
#pragma acc routine vector
static int counted(int *a, int n)
{
    int found = 0;
#pragma acc loop vector reduction(+: found)
    for (int i = 0; i < n; ++i) {
        found += a[i] % 3 == 0;
        a[i] += i;
    }
    return found;
}

#pragma acc routine vector
static void doubled(int *n)
{
    *n *= 2;
}

#pragma acc routine worker
static int all_rows(int *a, int rows, int n)
{
    int sum = 0;
    for (int i = 0; i < rows; ++i)
        sum += 2 * counted(a + i * n, n) + counted(a + i * n, n);
#pragma acc loop worker reduction(+: sum)
    for (int i = 0; i < rows; ++i) {
        int odd = 0;
#pragma acc loop vector reduction(+: odd)
        for (int j = 0; j < n; ++j)
            odd += a[i * n + j] & 1;
        sum += odd;
    }
#pragma acc loop worker vector collapse(2)
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < n; ++j)
            a[i * n + j] ^= i + j;
    doubled(&n);
    return sum + n;
}

/* Workers that call a routine which needs the vector lanes take turns. */
#pragma acc routine worker
static void workers_call(int *a, int *found, int rows, int n)
{
#pragma acc loop worker
    for (int i = 0; i < rows; ++i) {
        int here = counted(&a[i * n], n);
        found[i] = here + counted(&a[i * n], n / 2);
    }
}

#pragma acc routine gang
void everything(double *a, double *b, int rows, int n)
{
#pragma acc loop gang
    for (int i = 0; i < rows; ++i) {
        a[i] = row_sum(b + i * n, n) + i;
#pragma acc loop vector
        for (int j = 0; j < n; ++j)
            b[i * n + j] *= 0.5;
        a[i] += row_sum(&b[i * n], n);
    }
#pragma acc loop gang vector
    for (int i = rows; i < 2 * rows; ++i)
        a[i] += i;
}

static void of_vectors(const double *a, double *out, int n)
{
#pragma acc parallel loop gang copyin(a[0:ROWS*n]) copyout(out[0:ROWS*4]) vector_length(40)
    for (int i = 0; i < ROWS; ++i) {
        range r;
        double low, high = 0, sum;
        int d = described(a + i * n, n, &r);
        extremes(a + i * n, n, &low, &high);
        sum = row_sum(a + i * n, n);
        out[i * 4] = r.low + low;
        out[i * 4 + 1] = r.high * high + sum;
        out[i * 4 + 2] = d;
        if (row_sum(a + i * n, n) > low + r.count)
            out[i * 4 + 3] = 1 + row_sum(a + i * n, n / 2) * row_sum(a + i * n, 1);
        else
            out[i * 4 + 3] = 2;
    }
    SHOW("vectors", out, ROWS * 4);
}

static void of_workers(int *a, int *found, int n)
{
#pragma acc parallel loop gang copy(a[0:ROWS*n]) copyout(found[0:4])
    for (int g = 0; g < 4; ++g)
        found[g] = all_rows(a + g * 3 * n, 3, n);
    SHOW("workers", found, 4);
#pragma acc parallel loop gang num_workers(3) vector_length(7) copy(a[0:ROWS*n]) copyout(found[0:4])
    for (int g = 0; g < 4; ++g)
        found[g] = all_rows(a + g * 3 * n, 3, n);
    SHOW("workers of another shape", found, 4);
#pragma acc parallel loop gang copy(a[0:ROWS*n]) copyout(found[0:ROWS])
    for (int g = 0; g < 4; ++g)
        workers_call(a + g * 3 * n, found + g * 3, 3, n);
    SHOW("workers that call", found, ROWS);
    int total = 0;
#pragma acc parallel loop gang copy(a[0:ROWS*n]) reduction(+: total)
    for (int g = 0; g < 4; ++g) {
#pragma acc loop worker
        for (int k = 0; k < 3; ++k)
            total += counted(a + (g * 3 + k) * n, n);
    }
#pragma acc serial copy(a[0:ROWS*n], total)
    {
        total += all_rows(a, 3, n);
        total += counted(a, n);
        doubled(&total);
    }
    SHOW("what they leave", a, ROWS * n);
    printf("total %d\n", total);
}

static void of_gangs(double *a, double *b, int n)
{
#pragma acc parallel copy(a[0:2*ROWS], b[0:ROWS*n])
    everything(a, b, ROWS, n);
#pragma acc parallel num_gangs(5) num_workers(2) copy(a[0:2*ROWS], b[0:ROWS*n])
    everything(a, b, ROWS, n);
    SHOW("gangs", a, 2 * ROWS);
    SHOW("gangs' rows", b, ROWS * n);
}

int main(int argc, char **argv)
{
    const int n = size_argument(argc, argv, 70);
    double *a = calloc(ROWS * n + 8, sizeof *a), *out = calloc(ROWS * 4, sizeof *out);
    int *numbers = new_ints(ROWS * n, 3), found[ROWS];
    for (int i = 0; i < ROWS * n; ++i)
        a[i] = noise(i, 7) * 0.5;
    of_vectors(a, out, n);
    of_workers(numbers, found, n);
    of_gangs(out, a, n);
    return 0;
}
