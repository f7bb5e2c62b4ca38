/* Functions that kernels call: with and without a directive, and what they are handed. */
#include "show.h"

#include <math.h>

static const double SCALE = 2.5, OFFSET = {-SCALE / 2};
enum kind { SMALL, MIDDLE, LARGE = 10 };
typedef struct {
    double x, y;
} vector;
struct node {
    int value, next;
};

static double square(double x)
{
    return x * x;
}

#pragma acc routine seq
double length_of(const vector *v)
{
    return sqrt(square(v->x) + square(v->y)) * SCALE + OFFSET;
}

/* Loops, jumps and an enumeration that is computed with. */
static enum kind kind_of(int i)
{
    enum kind kind = i % 2;
    for (int k = 0; k < 3; ++k) {
        if ((i + k) % 7 == 0)
            return LARGE;
        if (k == 2)
            continue;
        kind += k;
    }
    switch (kind) {
    case SMALL:
        kind++;
        break;
    default:
        return kind > MIDDLE ? LARGE : MIDDLE;
    }
    return kind;
}

/* A row of any array; a table of its own; a name that C++ has no use for. */
static void fill_row(double *row, int n, double start)
{
    static const int table[3] = {1, 2, 3};
    for (int new = 0; new < n; ++new)
        row[new] = start + table[new % 3];
}

static double total(const double *restrict row, int n)
{
    double sum = 0;
    for (const double *p = row; p < row + n; ++p)
        sum += *p;
    return sum;
}

#pragma acc routine
static double corner(int rows, int columns, double (*matrix)[6], int row)
{
    return matrix[row % rows][columns - 1];
}

/* Results by address, into variables of the caller. */
static void extremes(const int *values, int n, int *low, int *high)
{
    *low = *high = values[0];
#pragma acc loop seq
    for (int i = 1; i < n; ++i) {
        *low = values[i] < *low ? values[i] : *low;
        *high = values[i] > *high ? values[i] : *high;
    }
}

/* A structure by value and as a result, one that holds its place in an array. */
static vector moved(vector v, double by)
{
    v.x += by;
    return v;
}

static int follow(const struct node *nodes, int start, int steps)
{
    const struct node *at = &nodes[start];
    while (steps-- > 0)
        at = nodes + at->next;
    return at->value;
}

/* Memory changed: what one call leaves the next one finds. */
static int take(int *counter, int by)
{
    int old = *counter;
    *counter += by;
    return old;
}

/* Private variables of a loop that is not spread are the loop's own. */
#pragma acc routine seq
static int keeps(int x)
{
    int t = x;
#pragma acc loop seq private(t)
    for (int i = 0; i < 3; ++i) {
        t = i;
        x += t - i;
    }
#ifdef _OPENACC
    return t;
#else
    return x;
#endif
}

static void plain(double *out, int n)
{
    vector *v = malloc((n + 1) * sizeof *v);
    for (int i = 0; i < n; ++i)
        v[i] = (vector){noise(i, 1), noise(i, 2)};
#pragma acc parallel loop copyin(v[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i)
        out[i] = length_of(&v[i]) + length_of(v + i) + kind_of(i) + moved(v[i], 2).x + keeps(i);
    free(v);
}

static void rows(double *out, int n)
{
    enum { COLUMNS = 6 };
    int m = COLUMNS;
    double *flat = malloc((n + 1) * COLUMNS * sizeof *flat), fixed[16][COLUMNS], variable[n + 1][m];
#pragma acc parallel loop copyout(out[0:n]) create(flat[0:n*COLUMNS], variable, fixed)
    for (int i = 0; i < n; ++i) {
        fill_row(&flat[i * COLUMNS], COLUMNS, i);
        fill_row(variable[i], m, 2 * i);
        fill_row(&variable[i][3], m - 3, 3 * i);
        if (i < 16)
            fill_row(fixed[i], COLUMNS, 4 * i);
        out[i] = total(flat + i * COLUMNS, m) + total(variable[i], m) + (i < 16 ? corner(16, m, fixed, i) : 0);
    }
    free(flat);
}

static void by_address(int *out, int n)
{
    int *values = new_ints(n + 8, 3);
    struct node *nodes = malloc((n + 1) * sizeof *nodes);
    for (int i = 0; i < n; ++i)
        nodes[i] = (struct node){noise(i, 4), noise(i, 5) % n};
#pragma acc parallel loop copyin(values[0:n+8], nodes[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        int low, high;
        extremes(&values[i], 8, &low, &high);
        out[i] = high - low + follow(nodes, i, 5);
    }
    free(nodes);
    free(values);
}

/* Between gang and vector loops one thread does what changes memory, and all know the result. */
static void between_loops(int *out, int n)
{
    int *counters = new_ints(n, 6);
#pragma acc parallel loop gang vector_length(64) copy(counters[0:n]) copyout(out[0:n*70])
    for (int i = 0; i < n; ++i) {
        int first = take(&counters[i], 3), last;
        last = take(counters + i, i);
        last += take(counters + i, 2);
        if (last > 500)
            last -= counters[i]++;
#pragma acc loop vector
        for (int j = 0; j < 70; ++j)
            out[i * 70 + j] = j + first + last;
        out[i * 70] += take(&counters[i], 1);
    }
    SHOW("counters", counters, n);
    free(counters);
}

/* A loop that nobody called independent: the function reads nothing that the loop writes. */
static void proved(const double *restrict in, double *restrict out, int n)
{
#pragma acc kernels loop copyin(in[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i)
        out[i] = square(in[i]) + total(in, n < 3 ? n : 3);
}

/* Here it does. */
static void carried(double *restrict out, int n)
{
#pragma acc kernels loop copy(out[0:n+3])
    for (int i = 0; i < n; ++i) /* one thread */
        out[i + 3] = total(&out[i], 3) / 3;
}

/* An array that a routine gets is not cached; another one in the region is. On the host the function is C. */
static void cached(const double *restrict in, const double *restrict other, double *restrict out, int n)
{
#pragma acc parallel loop copyin(in[0:n+2], other[0:n+2]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(in[i:3], other[i:3])
        out[i] = total(&in[i], 3) + other[i] * other[i + 1] - other[i + 2];
    }
#pragma acc parallel loop copy(out[0:n]) if(n < 0)
    for (int i = 0; i < n; ++i)
        out[i] += square(out[i]);
}

/* Nobody uses the value of a call that reaches the routine's end. */
static int add_small(int *place, int value)
{
    if (value > 100)
        return 0;
    *place += value;
}

static int sign(int value)
{
    for (;;) {
        if (value > 0)
            return 1;
        else
            return value ? -1 : 0;
    }
}

static void without_value(int *numbers, int n)
{
#pragma acc parallel loop copy(numbers[0:n])
    for (int i = 0; i < n; ++i) {
        add_small(&numbers[i], i % 200);
        add_small(&numbers[i], 1 + sign(i - n / 2));
    }
}

int main(int argc, char **argv)
{
    const int n = size_argument(argc, argv, 300);
    double *out = calloc(n + 8, sizeof *out), *in = malloc((n + 8) * sizeof *in), *other = malloc((n + 8) * sizeof *in);
    int *numbers = calloc(70 * n + 1, sizeof *numbers);
    for (int i = 0; i < n + 8; ++i) {
        in[i] = noise(i, 7) * 0.5;
        other[i] = noise(i, 8) * 0.25;
    }
    plain(out, n);
    SHOW("plain", out, n);
    rows(out, n);
    SHOW("rows", out, n);
    by_address(numbers, n);
    SHOW("by address", numbers, n);
    between_loops(numbers, n);
    SHOW("between loops", numbers, 70 * n);
    proved(in, out, n);
    SHOW("proved", out, n);
    carried(in, n);
    SHOW("carried", in, n + 3);
    without_value(numbers, 70 * n);
    SHOW("without value", numbers, 70 * n);
    cached(in, other, out, n);
    SHOW("cached", out, n);
    return 0;
}
