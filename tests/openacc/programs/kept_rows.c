/* Rows that lanes walk several times: those that nothing changes in between may stay in registers, others must not. */
#include "show.h"

enum { WIDE = 96, LONG = 256, SHORT = 32 };

static void same_row(int *restrict out, const int *restrict in, int n)
{
#pragma acc parallel loop gang copyin(in[0:n * LONG]) copyout(out[0:n * LONG])
    for (int r = 0; r < n; ++r) {
        int top = in[r * LONG];
        unsigned sum = 0;
#pragma acc loop vector reduction(max : top)
        for (int j = 0; j < LONG; ++j)
            top = in[r * LONG + j] > top ? in[r * LONG + j] : top;
#pragma acc loop vector reduction(+ : sum)
        for (int j = 0; j < LONG; ++j)
            sum += (unsigned)(top - in[r * LONG + j]) % 1000;
#pragma acc loop vector
        for (int j = 0; j < LONG; ++j)
            out[r * LONG + j] = in[r * LONG + j] % 7 + (int)(sum % 1000);
    }
}

/* Pointers that may overlap: the row's end is overwritten while it is walked. */
static void moved_row(int *out, int *in, int n)
{
#pragma acc parallel loop gang present(in[0:n * WIDE], out[0:n * WIDE])
    for (int r = 0; r < n; ++r) {
        int sum = 0;
#pragma acc loop vector reduction(+ : sum)
        for (int j = 0; j < WIDE; ++j)
            sum += in[r * WIDE + j] % 100;
#pragma acc loop vector
        for (int j = 0; j < WIDE; ++j)
            out[r * WIDE + j] = sum + j;
        int again = 0;
#pragma acc loop vector reduction(+ : again)
        for (int j = 0; j < WIDE; ++j)
            again += in[r * WIDE + j] % 100;
#pragma acc loop vector
        for (int j = 0; j < WIDE; ++j)
            out[r * WIDE + j] += again;
    }
}

/* The first walk goes to some elements only; the row of the second one is another; the third one is turned round. */
static void other_rows(int *restrict out, const int *restrict in, int n)
{
#pragma acc parallel loop gang copyin(in[0:n * WIDE]) copyout(out[0:n])
    for (int r = 0; r < n; ++r) {
        int row = r, sum = 0, back = 0;
#pragma acc loop vector reduction(+ : sum)
        for (int j = 0; j < WIDE; ++j)
            if (j % 3 != r % 3)
                sum += in[row * WIDE + j] % 10;
        row = (r + 1) % n;
#pragma acc loop vector reduction(+ : sum)
        for (int j = 0; j < WIDE; ++j)
            sum += in[row * WIDE + j] % 100;
#pragma acc loop vector reduction(+ : back)
        for (int j = 0; j < WIDE; ++j)
            back += in[row * WIDE + WIDE - 1 - j] % 50 * j % 5;
        out[r] = sum + back;
    }
}

/* A condition of the row lets some walk it first, and all later; lanes of one element each; rows of doubles. */
static void guarded_rows(double *restrict out, const double *restrict in, const int *restrict kinds, int n)
{
#pragma acc parallel loop gang vector_length(32) copyin(in[0:n * SHORT], kinds[0:n]) copyout(out[0:n * SHORT])
    for (int r = 0; r < n; ++r) {
        double most = -1, sum = 0;
        if (kinds[r] % 2) {
#pragma acc loop vector reduction(max : most)
            for (int j = 0; j < SHORT; ++j)
                most = in[r * SHORT + j] > most ? in[r * SHORT + j] : most;
        }
#pragma acc loop vector reduction(max : sum)
        for (int j = 0; j < SHORT; ++j)
            sum = in[r * SHORT + j] / 2 > sum ? in[r * SHORT + j] / 2 : sum;
#pragma acc loop vector
        for (int j = 0; j < SHORT; ++j)
            out[r * SHORT + j] = in[r * SHORT + j] - most + sum;
    }
}

/* Small rows in each lane, of a table of rows of the declared length. */
static void small_rows(int *restrict out, const int (*restrict in)[4 * SHORT], int n)
{
#pragma acc parallel loop gang copyin(in[0:n]) copyout(out[0:n * SHORT])
    for (int r = 0; r < n; ++r) {
        int sum = 0;
#pragma acc loop vector reduction(+ : sum)
        for (int j = 0; j < SHORT; ++j)
            for (int k = 0; k < 4; ++k)
                sum += in[r][4 * j + k] % 9;
#pragma acc loop vector
        for (int j = 0; j < SHORT; ++j) {
            int own = sum;
            for (int k = 0; k < 4; ++k)
                own = own * 3 % 1009 + in[r][4 * j + k] % 5;
            out[r * SHORT + j] = own;
        }
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 300;
    int *in = calloc(n * LONG, sizeof(int)), *out = calloc(n * LONG, sizeof(int)), *kinds = calloc(n, sizeof(int));
    double *numbers = calloc(n * SHORT, sizeof(double)), *results = calloc(n * SHORT, sizeof(double));
    for (int i = 0; i < n * LONG; ++i)
        in[i] = noise(i, 1) % 10000;
    for (int i = 0; i < n; ++i)
        kinds[i] = noise(i, 2) % 100;
    for (int i = 0; i < n * SHORT; ++i)
        numbers[i] = noise(i, 3) % 1000;
    same_row(out, in, n);
    show("same", out, n * LONG * sizeof(int));
    other_rows(out, in, n);
    show("other", out, n * sizeof(int));
    small_rows(out, (const int(*)[4 * SHORT])in, n);
    show("small", out, n * SHORT * sizeof(int));
    guarded_rows(results, numbers, kinds, n);
    for (int i = 0; i < n * SHORT; ++i)
        out[i] = (int)results[i];
    show("guarded", out, n * SHORT * sizeof(int));
    int *pool = calloc(n * WIDE + WIDE, sizeof(int));
    for (int shift = 0; shift < WIDE; shift += 40) {
        for (int i = 0; i < n * WIDE + WIDE; ++i)
            pool[i] = noise(i, 4) % 1000;
        const int rows = shift ? 1 : n;
#pragma acc data copy(pool[0:n * WIDE + WIDE])
        {
            moved_row(pool + shift, pool, rows);
        }
        show("moved", pool, (n * WIDE + WIDE) * sizeof(int));
    }
    free(in), free(out), free(kinds), free(numbers), free(results), free(pool);
    return 0;
}
