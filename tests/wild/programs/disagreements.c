/* What the threads of a block do not agree on, so that no barrier may depend on it, and writes that not all of them do. */
#include "show.h"

typedef struct {
    int lo, hi;
} Range;

/* a member of a thread's own structure decides who comes to the region */
void by_a_member(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n+8]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        Range own;
        own.lo = i % 3;
        float t = 0;
        if (own.lo > 0) {
#pragma acc cache(a[i:8]) /* auto: rbi thread */
            for (int k = 0; k < 8; ++k)
                t += a[i + k] * a[i + k];
        }
        b[i] = t;
    }
}

/* or one of a union, written as another one */
void by_a_union(const float *restrict a, float *restrict b, int n)
{
    union both {
        int number, parts[2];
    };
#pragma acc parallel loop copyin(a[0:n+8]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        union both own;
        own.parts[0] = i % 3;
        for (int q = 0; q < own.number; ++q) {
#pragma acc cache(a[i:8]) /* auto: rbi thread */
            for (int k = 0; k < 8; ++k)
                b[i] += a[i + k] * a[i + k];
        }
    }
}

/* workers with ranges of their own run apart */
void by_workers(const int *restrict a, const int *restrict p, int *restrict b, int n)
{
#pragma acc parallel loop gang worker num_workers(4) vector_length(32) copyin(a[0:4*n+8], p[0:n+1]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        Range r;
        r.lo = p[i];
        r.hi = p[i + 1];
        int s = 0;
#pragma acc loop vector reduction(+:s)
        for (int j = r.lo; j < r.hi; ++j) {
#pragma acc cache(a[j:3]) /* auto: any */
            s += a[j] * a[j + 1] * a[j + 2] + a[j] + a[j + 1] + a[j + 2];
        }
        b[i] = s;
    }
}

/* threads without an iteration never count with k */
void by_a_skipped_loop(const float *restrict a, float *restrict b, float *restrict x, int n, int m)
{
#pragma acc parallel loop copyin(a[0:n+16]) copy(b[0:n], x[0:n])
    for (int i = 0; i < n; ++i) {
        int k;
        for (k = 0; k < m; k++)
            x[i] += k;
        float t = 0;
        for (int l = 0; l < k; ++l) {
#pragma acc cache(a[i+l:8]) /* auto: any */
            for (int q = 0; q < 8; ++q)
                t += a[i + l + q] * a[i + l + q];
        }
        b[i] = t;
    }
}

/* another variable's initial value is what gives k one */
#pragma acc routine seq
static int remainder_of(int i, int *k)
{
    *k = i & 1;
    return i % 3;
}

void by_an_initial_value(const int *restrict a, int *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n+8]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        int k, l;
        int sum = remainder_of(i, &k), other = (l = i % 5) + 1;
        if (k + l > 2) {
#pragma acc cache(a[i:4]) /* auto: rbi thread */
            for (int j = 0; j < 4; ++j)
                sum += a[i + j] * (a[i + j] + other);
        }
        b[i] += sum;
    }
}

/* or an atomic update hands out */
void by_a_captured_member(const int *restrict a, int *restrict b, int *counter, int n)
{
#pragma acc parallel loop copyin(a[0:n+8]) copy(b[0:n], counter[0:1])
    for (int i = 0; i < n; ++i) {
        Range own;
#pragma acc atomic capture
        own.lo = counter[0]++;
        int sum = 0;
        if (own.lo & 1) {
#pragma acc cache(a[i:4]) /* auto: rbi thread */
            for (int j = 0; j < 4; ++j)
                sum += a[i + j] * a[i + j];
        }
        b[i] = sum > 0;
    }
    for (int i = 1; i < n; ++i)
        b[0] += b[i], b[i] = 0;
}

/* until the loop ends, each thread has a copy of what it reduces */
int by_a_reduction(const int *restrict a, int n)
{
    int found = 0;
#pragma acc parallel loop num_gangs(2) vector_length(32) copyin(a[0:n+8]) reduction(||:found)
    for (int i = 0; i < n; ++i) {
        if (!found) {
            int sum = 0;
#pragma acc cache(a[i:4]) /* auto: rbi thread */
            for (int j = 0; j < 4; ++j)
                sum += a[i + j] * a[i + j];
            if (sum > 1500)
                found = 1;
        }
    }
    return found;
}

/* one thread takes a place and hands it to the others, before the fetch */
void taken_by_one(const int *restrict a, int *restrict taken, int *restrict b, int n)
{
#pragma acc parallel loop gang vector_length(32) copyin(a[0:512]) copy(taken[0:n]) copyout(b[0:n*32])
    for (int g = 0; g < n; ++g) {
        int base = taken[g]++;
#pragma acc cache(a[base:36]) /* auto: rbi block */
#pragma acc loop vector
        for (int i = 0; i < 32; ++i)
            b[g * 32 + i] = a[base + i] + 2 * a[base + i + 4];
    }
}

/* k changes between the declarations, all of which stand before the fetch */
void declared_in_order(const int *restrict a, int *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n+8]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        int k = 0, l = 7;
        int first = k++;
        int second = k, third = remainder_of(i, &l), fourth = l + 1;
        int sum = 0;
        {
#pragma acc cache(a[i:4]) /* auto: rbi block */
            for (int j = 0; j < 4; ++j)
                sum += a[i + j] * (j + fourth);
        }
        b[i] += sum + first * 100 + second * 1000 + k * 10000 + third * 7;
    }
}

/* a loop without a round takes no step */
void in_the_step(int *restrict b, const int *restrict m, int *restrict s, int n)
{
#pragma acc parallel loop copy(b[0:n], s[0:n]) copyin(m[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(b[i:1]) /* auto: any */
        for (int k = 0; k < m[i] % 3; b[i] = k, k++)
            s[i] += k;
    }
}

/* element (i, 8) is element (i + 1, 0) */
void past_the_row(float *restrict a, float *restrict r, int n, int first)
{
#pragma acc parallel loop gang vector copy(a[0:n*8+8]) copy(r[0:n])
    for (int i = 0; i < n; i += 2) {
        float s = 0;
#pragma acc cache(a[i:2][0:4]) /* auto: none ACC402 stay inside their row */
        for (int t = 0; t < 4; ++t) {
            for (int k = first; k < first + 2; ++k)
                a[i * 8 + k] += 1;
            s += a[i * 8 + t] + 10 * a[(i + 1) * 8 + t] + a[i * 8 + t] * 2 + a[(i + 1) * 8 + t];
        }
        r[i] += s;
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    float *a = new_floats(n * 8 + 16, 1), *b = new_floats(n, 2), *x = new_floats(n, 3);
    int *v = new_ints(n, 4), *w = new_ints(n, 5), *p = new_ints(n + 1, 6);
    for (int i = 0; i <= n; ++i)
        p[i] = 3 * i + i % 2;
    by_a_member(a, b, n);
    SHOW("by_a_member", b, n);
    by_a_union(a, b, n);
    SHOW("by_a_union", b, n);
    by_workers(new_ints(4 * n + 8, 7), p, v, n);
    SHOW("by_workers", v, n);
    by_a_skipped_loop(a, b, x, n, 5);
    SHOW("by_a_skipped_loop", b, n);
    for (int i = 0; i < n; ++i)
        p[i] = i % 5;
    int *squares = new_ints(n + 8, 8);
    for (int i = 0; i < n + 8; ++i)
        squares[i] = i * i % 37 + 1;
    by_an_initial_value(squares, v, n);
    SHOW("by_an_initial_value", v, n);
    declared_in_order(squares, v, n);
    SHOW("declared_in_order", v, n);
    by_a_captured_member(squares, v, w, n);
    SHOW("by_a_captured_member", v, n);
    int *many = new_ints(n * 32, 9);
    for (int i = 0; i < n; ++i)
        w[i] = i * 5 % 300;
    taken_by_one(new_ints(512, 10), w, many, n);
    SHOW("taken_by_one", many, n * 32);
    printf("by_a_reduction %d\n", by_a_reduction(squares, n));
    in_the_step(v, p, w, n);
    SHOW("in_the_step", v, n);
    past_the_row(a, b, n, n < 300 ? 1 : 7);
    past_the_row(a, b, n, 8);
    SHOW("past_the_row", a, n * 8 + 8);
    SHOW("past_the_row", b, n);
    return 0;
}
