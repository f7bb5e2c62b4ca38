/* Loops over variables of 64 bits, up and down, from below zero, with limits of 32 bits; loops to the ends of types. */
#include "show.h"
#include <limits.h>

void from_below_zero(long *restrict a, int n)
{
#pragma acc parallel loop copy(a[0:2*n])
    for (long k = -n; k < n; ++k)
        a[k + n] -= k / 3;
#pragma acc parallel loop copy(a[0:10])
    for (long k = -5; k != 5; ++k)
        a[k + 5] += k * k;
}

void downwards(long *restrict a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (long k = n - 1; k >= 0; k--)
        a[k] += k;
#pragma acc parallel loop copy(a[0:n])
    for (long long k = n - 1; k >= 0; k -= 7)
        a[k] -= k / 2;
#pragma acc parallel loop copy(a[0:n])
    for (unsigned long k = n; k > 0; k -= 1)
        a[k - 1] ^= k;
}

void up_to_the_end_of_the_type(long *restrict a)
{
#pragma acc parallel loop copy(a[0:215])
    for (int k = 2147483000; k < 2147483645; k += 3)
        a[(k - 2147483000) / 3] += k;
#pragma acc parallel loop copy(a[0:215])
    for (int k = -2147483000; k > -2147483645; k -= 3)
        a[(-2147483000 - k) / 3] ^= k;
#pragma acc parallel loop copy(a[0:214])
    for (long k = LONG_MAX - 645; k < LONG_MAX - 3; k += 3)
        a[(k - (LONG_MAX - 645)) / 3] -= k;
#pragma acc parallel loop gang vector num_gangs(2000) copy(a[0:215])
    for (int k = 2146999785; k < 2147000000; ++k)
        a[k - 2146999785] += k;
}

void to_ends_at_run_time(long *restrict a, int first, int limit)
{
#pragma acc parallel loop copy(a[0:215])
    for (int k = first; k < limit; k += 3)
        a[(k - first) / 3] += k;
#pragma acc parallel loop gang vector num_gangs(2) copy(a[0:215])
    for (int k = -first; k > -limit; k -= 3)
        a[(-first - k) / 3] ^= k;
}

void through_the_whole_type(long *restrict a, int first, int limit)
{
#pragma acc parallel loop copy(a[0:200])
    for (int k = first; k < limit; k += 20000000)
        a[((long)k - first) / 20000000] += k;
#pragma acc parallel loop copy(a[0:200])
    for (int k = -2000000000; k < 2000000000; k += 20000000)
        a[(k + 2000000000L) / 20000000] ^= k;
}

void far_from_zero(const long *restrict a, long *restrict b, int far)
{
#pragma acc parallel loop copyin(a[0:110]) copy(b[0:100])
    for (long k = 2 * (long)far; k < 2 * (long)far + 100; ++k) {
#pragma acc cache(a[k - 2 * (long)far:3])
        b[k - 2 * (long)far] += a[k - 2 * (long)far] ^ a[k - 2 * (long)far + 2];
    }
}

void strides(long *restrict a, int rows)
{
#pragma acc parallel loop gang num_gangs(3) vector_length(32) copy(a[0:rows*40])
    for (long row = rows - 1; row >= 0; --row) {
#pragma acc loop vector
        for (long j = -20; j < 20; ++j)
            a[row * 40 + j + 20] += j * row;
#pragma acc loop vector
        for (long j = 39; j >= 0; j -= 3)
            a[row * 40 + j] -= j;
    }
#pragma acc parallel loop gang num_gangs(3) vector_length(32) copy(a[0:rows*40])
    for (size_t row = 0; row < rows; ++row) {
#pragma acc loop vector
        for (size_t j = 0; j < 40; ++j)
            a[row * 40 + j] ^= j + row;
    }
}

void tiles(const long *restrict a, long *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (size_t k = 2; k < n - 2; ++k) {
#pragma acc cache(a[k - 2:5])
        b[k] += a[k - 2] + a[k + 2] - a[k];
    }
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (long k = n - 3; k > 1; k -= 2) {
#pragma acc cache(a[k - 2:5])
        b[k] -= a[k - 2] + a[k + 2] - a[k] * 2;
    }
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (long k = -2; k < n - 4; ++k) {
        int shift = 2;
#pragma acc cache(a[k + 2:3])
        for (long t = 0; t < 3; ++t)
            b[k + 2] ^= a[k + shift + t];
    }
}

long nests(long *restrict a, int m)
{
    long sum = 0;
#pragma acc parallel loop collapse(2) copy(a[0:m*m]) reduction(+: sum)
    for (long i = m - 2; i >= -1; --i)
        for (size_t j = 0; j < m - 1; ++j)
            sum += a[(i + 1) * m + j] * (i - (long)j);
#pragma acc parallel loop copy(a[0:m*m])
    for (int i = m - 2; i > 0; --i) {
#pragma acc loop
        for (long j = -1; j < m - 1; ++j)
            a[i * m + j + 1] += i * j;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300) + 5, rows = n / 20 + 1, size = n * 40 + 23 * 23;
    long *a = (long *)malloc(size * sizeof(long)), *b = (long *)malloc(size * sizeof(long));
    for (int i = 0; i < size; ++i) {
        a[i] = noise(i, 1);
        b[i] = noise(i, 2);
    }
    from_below_zero(a, n);
    SHOW("from_below_zero", a, size);
    downwards(a, n);
    SHOW("downwards", a, size);
    up_to_the_end_of_the_type(a);
    SHOW("up_to_the_end_of_the_type", a, size);
    to_ends_at_run_time(a, 2147483000, 2147483645);
    SHOW("to_ends_at_run_time", a, size);
    through_the_whole_type(a, -2000000000, 2000000000);
    SHOW("through_the_whole_type", a, size);
    far_from_zero(a, b, 1500000000);
    SHOW("far_from_zero", b, size);
    strides(b, rows);
    SHOW("strides", b, size);
    tiles(a, b, n);
    SHOW("tiles", b, size);
    long sum = nests(a, 23);
    SHOW("nests", a, size);
    SHOW("sum", &sum, 1);
    return 0;
}
