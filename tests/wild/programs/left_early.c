/* Regions that a jump leaves, and loops that end elsewhere than at their limit. */
#include "show.h"

/* The break leaves the region of the whole body: what was written must be in memory by then. */
void left_by_break(int *restrict v, int n)
{
#pragma acc parallel loop copy(v[0:n]) vector_length(32)
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 4; ++k) {
#pragma acc cache(v[i:1]) /* auto: rbi thread */
            v[i] += k * i;
            v[i] += 1;
            v[i] += 2;
            if (k == 2)
                break;
            v[i] *= 2;
        }
    }
}

void left_by_continue(int *restrict v, int n)
{
#pragma acc parallel loop copy(v[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(v[i:1]) /* auto: any */
        v[i] += i;
        v[i] += 1;
        if (v[i] % 3 == 0)
            continue;
        v[i] *= 2;
    }
}

/* All threads of a block leave the loop together, so they share the tiles in it. */
void left_together(float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop gang copy(a[0:n*64], b[0:n*64])
    for (int i = 0; i < n; ++i) {
        for (int t = 0; t < 6; ++t) {
            if (t == i % 5 + 1)
                break;
#pragma acc loop vector
            for (int j = 1; j < 63; ++j) {
#pragma acc cache(a[i*64+j-1:3]) /* auto: rbi block */
                b[i * 64 + j] = a[i * 64 + j - 1] + a[i * 64 + j] + a[i * 64 + j + 1];
            }
            if (b[i * 64 + 9] > 3000)
                break;
#pragma acc loop vector
            for (int j = 0; j < 64; ++j)
                a[i * 64 + j] = 0.5f * b[i * 64 + j];
        }
    }
}

/* They leave the region of a shared tile, which is written. */
void left_with_a_tile(int *restrict a, int *restrict b, int n)
{
#pragma acc parallel loop gang copy(a[0:n*64], b[0:n*64])
    for (int i = 0; i < n; ++i) {
        for (int t = 0; t < 56; t += 8) {
#pragma acc cache(a[i*64+t:8]) /* auto: rbi block */
            {
#pragma acc loop vector
                for (int j = 0; j < 8; ++j)
                    a[i * 64 + t + j] += b[i * 64 + t + 7 - j];
#pragma acc loop vector
                for (int j = 0; j < 8; ++j)
                    b[i * 64 + j] += a[i * 64 + t + 7 - j];
            }
            if (b[i * 64 + 3] > 4000)
                break;
#pragma acc loop vector
            for (int j = 0; j < 64; ++j)
                b[i * 64 + j] += 1;
        }
    }
}

/* Below zero a limit is large beside an unsigned counter, and another condition ends the loop. */
void beside_unsigned(const int *restrict a, int *restrict r, int n)
{
#pragma acc parallel loop copyin(a[0:16]) copyout(r[0:n])
    for (int i = 0; i < n; ++i) {
        int less = i % 12 - 5, sum = 0;
        size_t place = i % 3;
#pragma acc cache(a[0:4]) /* auto: rbc */
        {
            for (unsigned long j = 0; j < less && j < 8; ++j)
                sum += a[j] + a[j];
            for (size_t j = 0; j < place - 1 && j < 8; ++j)
                sum += 2 * a[j] + a[j];
        }
        r[i] = sum;
    }
}

/* In the minimum's type the negative side is the larger one. */
void least_of_two_types(const int *restrict a, int *restrict r, int n)
{
    size_t most = 8;
#pragma acc parallel loop copyin(a[0:16]) copyout(r[0:n])
    for (int i = 0; i < n; ++i) {
        int less = i % 12 - 5, sum = 0;
#pragma acc cache(a[0:4]) /* auto: rbc */
        for (int j = 0; j < (less < most ? less : most); ++j)
            sum += a[j] + a[j];
        r[i] = sum;
    }
}

/* One side of the minimum wraps around, the other one ends the loop. */
void least_that_wraps(const int *restrict a, int *restrict r, int n)
{
#pragma acc parallel loop copyin(a[0:16]) copyout(r[0:n])
    for (int i = 0; i < n; ++i) {
        size_t place = i % 3;
        int sum = 0;
#pragma acc cache(a[0:2]) /* auto: rbc */
        for (size_t j = 0; j < (place - 1 < 8 ? place - 1 : 8); ++j)
            sum += a[j] + a[j];
        r[i] = sum;
    }
}

/* The limit lies behind the start; the loop ends by break, and elsewhere by wrapping around. */
void not_equal(const int *restrict a, int *restrict r, int n)
{
#pragma acc parallel loop copyin(a[0:256]) copyout(r[0:n])
    for (int i = 0; i < n; ++i) {
        int sum = 0;
#pragma acc cache(a[0:1]) /* auto: rbc */
        {
            for (int j = i % 8 + 1; j != 0; ++j) {
                sum += a[j];
                if (j >= i % 8 + 3)
                    break;
            }
            for (unsigned char j = 250 + i % 4; j != 0; ++j)
                sum += a[j] + a[j];
        }
        r[i] = sum;
    }
}

/* Steps of three pass the limit, below zero an unsigned char goes on from 255. */
void past_the_limit(const int *restrict a, int *restrict r, int n)
{
#pragma acc parallel loop copyin(a[0:256]) copyout(r[0:n])
    for (int i = 0; i < n; ++i) {
        int sum = 0;
#pragma acc cache(a[0:16]) /* auto: rbc */
        for (unsigned char j = 10; j > 0; j -= 3)
            sum += a[j] + a[j];
        r[i] = sum;
    }
}

/* The other part of the condition moves the counter on. */
void counted_in_the_condition(const int *restrict a, const int *restrict c, int *restrict r, int n)
{
#pragma acc parallel loop copyin(a[0:n+16], c[0:16]) copyout(r[0:n])
    for (int i = 0; i < n; ++i) {
        int sum = 0;
#pragma acc cache(a[i:8]) /* auto: any */
        for (int j = 1; j < 8 && c[++j] > -2000; j++)
            sum += a[i + j] * 2 + a[i + j - 1];
        r[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    int *v = new_ints(n * 64, 1), *w = new_ints(n * 64 + 256, 2), *r = new_ints(n, 3);
    float *a = new_floats(n * 64, 4), *b = new_floats(n * 64, 5);
    left_by_break(v, n);
    SHOW("left_by_break", v, n);
    left_by_continue(v, n);
    SHOW("left_by_continue", v, n);
    left_together(a, b, n);
    SHOW("left_together", b, n * 64);
    left_with_a_tile(v, w, n);
    SHOW("left_with_a_tile", v, n * 64);
    SHOW("left_with_a_tile", w, n * 64);
    beside_unsigned(w, r, n);
    SHOW("beside_unsigned", r, n);
    least_of_two_types(w, r, n);
    SHOW("least_of_two_types", r, n);
    least_that_wraps(w, r, n);
    SHOW("least_that_wraps", r, n);
    not_equal(w, r, n);
    SHOW("not_equal", r, n);
    past_the_limit(w, r, n);
    SHOW("past_the_limit", r, n);
    counted_in_the_condition(w, w + n + 16, r, n);
    SHOW("counted_in_the_condition", r, n);
    return 0;
}
