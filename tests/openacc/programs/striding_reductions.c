/* Reductions over more iterations than there are threads at most: each thread has several. */
#include "show.h"

static void rows(const int *a, int *b, int n)
{
    long sum = 7, down = 0;
    int least = 100000, skipped = 0;
    double halves = 0.5;
    size_t wide = 3;
    unsigned bits = 0;
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n]) reduction(+: sum) reduction(min: least)
    for (int i = 0; i < n; ++i) {
        b[i] = a[i] - b[i];
        sum += b[i];
        least = b[i] < least ? b[i] : least;
    }
#pragma acc parallel loop copyin(a[0:n]) reduction(+: down) vector_length(64)
    for (int i = n - 2; i >= 1; i -= 2)
        down += a[i] * 3L - a[i - 1] + a[i + 1];
#pragma acc parallel loop copyin(a[0:n]) reduction(+: halves) reduction(+: skipped)
    for (long i = 5; i <= n - 4; i += 3) {
        if (a[i] % 5 == 0)
            continue;
        halves += a[i] * 0.5;
        ++skipped;
    }
#pragma acc kernels loop copyin(a[0:n]) reduction(+: wide)
    for (size_t i = 0; i < n; ++i)
        wide += a[i] * i;
#pragma acc parallel loop copyin(a[0:n]) reduction(^: bits)
    for (unsigned i = 1; i != n; ++i)
        bits ^= a[i] * i;
    printf("rows %ld %d %ld %g %d %zu %u\n", sum, least, down, halves, skipped, wide, bits);
    SHOW("b", b, n);
}

static void planes(const int *a, int *b, int n)
{
    const int m = 9;
    int most = -5;
    long sum = 0, solid = 1;
#pragma acc parallel loop collapse(2) copyin(a[0:n]) copy(b[0:n]) reduction(max: most) reduction(+: sum)
    for (int i = 0; i < n / m; ++i)
        for (int j = 0; j < m; ++j) {
            b[i*m + j] = a[i*m + j] * (j - 4);
            if (j == i % m)
                continue;
            most = b[i*m + j] > most ? b[i*m + j] : most;
            sum += b[i*m + j] + i;
        }
#pragma acc parallel loop collapse(3) copyin(a[0:n]) reduction(+: solid)
    for (int i = n / 50 - 1; i > 2; --i)
        for (int j = 1; j < 5; ++j)
            for (int k = 0; k < 10; k += 2)
                solid += a[i*50 + j*10 + k] * (i % 3) - j;
    printf("planes %d %ld %ld\n", most, sum, solid);
    SHOW("b", b, n / m * m);
}

static void counts(const int *a, int n)
{
    int count[10] = {0};
    float weights[2] = {0};
#pragma acc parallel loop copyin(a[0:n]) reduction(+: count, weights)
    for (int i = 0; i < n; ++i) {
        int own[3];
        for (int k = 0; k < 3; ++k)
            own[k] = a[i] + k;
        ++count[own[a[i] % 3] % 10];
        weights[i % 2] += 0.25f * (own[2] % 2);
    }
    SHOW("count", count, 10);
    SHOW("weights", weights, 2);
}

int main(int argc, char **argv)
{
    const int n = size_argument(argc, argv, 600000);
    int *a = new_ints(n, 1), *b = new_ints(n, 2);
    rows(a, b, n);
    planes(a, b, n);
    counts(a, n);
    return 0;
}
