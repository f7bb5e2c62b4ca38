/* Shared memory that threads need not wait for: each uses only the cells it filled itself. How many barriers the
 * kernel needs stands before each function.
 */
#include "show.h"

#define THREADS 64
#define BINS 150

/* barriers: 0 */
void one_element_each(float *restrict a, const float *restrict b, int n, int m)
{
#pragma acc parallel loop vector_length(THREADS) copy(a[0:n]) copyin(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1]) /* auto: rbi block */
        for (int k = 0; k < m; ++k)
            a[i] += b[i] * k;
    }
}

/* barriers: 0 */
void again_and_again(float *restrict a, const float *restrict b, int n, int m)
{
#pragma acc parallel loop vector_length(THREADS) copy(a[0:n]) copyin(b[0:n])
    for (int i = 0; i < n; ++i)
        for (int t = 0; t < m; ++t) {
#pragma acc cache(a[i:1]) /* auto: rbi block */
            {
                a[i] += b[i] * t;
                a[i] += a[i] / 2;
            }
        }
}

/* barriers: 0, the tile holds more than is used */
void first_of_three(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop vector_length(THREADS) copy(a[0:n]) copyin(b[0:n+2])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(b[i:3]) /* auto: rbi block */
        a[i] = b[i] * 2 + b[i] / 4;
    }
}

/* barriers: 1 */
void neighbours(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop vector_length(THREADS) copy(a[0:n]) copyin(b[0:n+1])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(b[i:2]) /* auto: rbi block */
        a[i] = b[i] + b[i + 1];
    }
}

/* barriers: 1, the threads fetch the cells the other way round */
void backwards(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop vector_length(THREADS) copy(a[0:n]) copyin(b[0:n])
    for (int i = n - 1; i >= 0; --i) {
#pragma acc cache(b[i:1]) /* auto: rbi block */
        a[i] = b[i] * 2 + b[i] / 4;
    }
}

/* barriers: 0 */
void plane(float *restrict a, int n, int m)
{
#pragma acc parallel loop collapse(2) copy(a[0:n*m])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
#pragma acc cache(a[i:1][j:1]) /* auto: rbi block */
            {
                a[i*m + j] += i;
                a[i*m + j] /= j + 1;
            }
        }
}

/* barriers: 1, sixteen threads fetch for all */
void row_of_a_plane(float *restrict a, const float *restrict b, int n, int m)
{
#pragma acc parallel loop collapse(2) copy(a[0:n*m]) copyin(b[0:m])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
#pragma acc cache(b[j:1]) /* auto: rbi block */
            a[i*m + j] += b[j] * 2 - b[j] / 4;
        }
}

/* barriers: 2, around the loop that looks at all bins */
void bins(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop gang vector_length(THREADS) copy(a[0:n*BINS]) copyin(b[0:n])
    for (int g = 0; g < n; ++g) {
        float bin[BINS];
#pragma acc cache(bin) /* auto: scratch */
#pragma acc loop vector
        for (int k = 0; k < BINS; ++k)
            bin[k] = b[g] + k;
#pragma acc loop vector
        for (int k = 0; k < BINS; ++k)
            bin[k] *= 2;
#pragma acc loop vector
        for (int k = 0; k < BINS; ++k)
            a[g*BINS + k] += bin[BINS - 1 - k];
#pragma acc loop vector
        for (int k = 0; k < BINS; ++k)
            bin[k] = b[g] - k;
#pragma acc loop vector
        for (int k = 0; k < BINS; ++k)
            a[g*BINS + k] -= bin[k] / 2;
    }
}

/* barriers: 0, thread t has the bins t + 3 + 64*m of all these loops */
void shifted_bins(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop gang vector_length(THREADS) copy(a[0:n*BINS]) copyin(b[0:n])
    for (int g = 0; g < n; ++g) {
        float bin[2][BINS];
#pragma acc cache(bin) /* auto: scratch */
#pragma acc loop vector
        for (int k = 3; k < BINS; ++k)
            bin[0][k] = b[g] + k;
#pragma acc loop vector
        for (int k = 0; k < BINS - 3; ++k)
            bin[0][k + 3] *= 2;
#pragma acc loop vector
        for (int k = THREADS + 3; k < BINS; ++k)
            a[g*BINS + k] += bin[0][k];
    }
}

/* barriers: 2, a bin changes hands twice */
void other_bins(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop gang vector_length(THREADS) copy(a[0:n*BINS]) copyin(b[0:n])
    for (int g = 0; g < n; ++g) {
        float bin[BINS];
#pragma acc cache(bin) /* auto: scratch */
#pragma acc loop vector
        for (int k = 0; k < BINS; ++k)
            bin[k] = b[g] + k;
#pragma acc loop vector
        for (int k = 1; k < BINS; ++k)
            bin[k] *= 2;
#pragma acc loop vector
        for (int k = 0; k < BINS / 2; ++k)
            a[g*BINS + k] += bin[2*k];
    }
}

/* barriers: 2, every other bin: one step of the loop, not one of the index */
void every_other_bin(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop gang vector_length(THREADS) copy(a[0:n*BINS]) copyin(b[0:n])
    for (int g = 0; g < n; ++g) {
        float bin[BINS];
#pragma acc cache(bin) /* auto: scratch */
#pragma acc loop vector
        for (int k = 0; k < BINS; k += 2)
            bin[k] = b[g] + k;
#pragma acc loop vector
        for (int k = 0; k < BINS / 2; ++k)
            bin[2*k] -= k;
#pragma acc loop vector
        for (int k = 0; k < BINS; ++k)
            if (k % 2 == 0)
                bin[k] *= 2;
#pragma acc loop vector
        for (int k = 0; k < BINS; k += 2)
            a[g*BINS + k] += bin[k];
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 700), m = n % 37 + 1;
    float *a = new_floats(n * BINS, 1), *b = new_floats(n + 2, 2), *c = new_floats(n * m, 3);
    one_element_each(a, b, n, m);
    again_and_again(a, b, n, m);
    SHOW("again_and_again", a, n);
    first_of_three(a, b, n);
    SHOW("first_of_three", a, n);
    neighbours(a, b, n);
    SHOW("neighbours", a, n);
    backwards(a, b, n);
    SHOW("backwards", a, n);
    plane(c, n, m);
    SHOW("plane", c, n * m);
    row_of_a_plane(c, new_floats(m, 4), n, m);
    SHOW("row_of_a_plane", c, n * m);
    n = (n - 1) % 7 + 1;
    bins(a, b, n);
    SHOW("bins", a, n * BINS);
    shifted_bins(a, b, n);
    SHOW("shifted_bins", a, n * BINS);
    other_bins(a, b, n);
    SHOW("other_bins", a, n * BINS);
    every_other_bin(a, b, n);
    SHOW("every_other_bin", a, n * BINS);
    return 0;
}
