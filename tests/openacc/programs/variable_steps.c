/* Loops whose step only the run knows: up and down, of several types, collapsed, tiled by hand, with caches. */
#include <stddef.h>
#include <stdio.h>

#define N 200

struct plan { int first, stride; };

static int step_of_all = 5;

static void fill(unsigned *a)
{
    for (int i = 0; i < N; ++i)
        a[i] = (unsigned)i * 2654435761u >> 7;
}

static void forms(unsigned *a, int n, int s, short t, struct plan p, const int *steps)
{
    const long back = -s - 1;
    int i;
    unsigned u;
#pragma acc parallel loop copy(a[0:N])
    for (i = 0; i < n; i += s)
        a[i] += 1u;
#pragma acc parallel loop copy(a[0:N])
    for (i = p.first; i <= n - 1; i = i + p.stride)
        a[i] *= 3u;
#pragma acc parallel loop copy(a[0:N])
    for (i = n - 1; i >= 0; i -= t)
        a[i] ^= 5u;
#pragma acc parallel loop copy(a[0:N])
    for (i = n - 1; 3 < i; i = i - (s + 1))
        a[i] -= 7u;
#pragma acc parallel loop copy(a[0:N])
    for (u = 2; u < (unsigned)n; u += (unsigned)s)
        a[u] += u;
#pragma acc parallel loop copy(a[0:N])
    for (size_t k = 1; k < (size_t)n; k = s + k)
        a[k] += (unsigned)k;
#pragma acc parallel loop copy(a[0:N])
    for (long k = n - 1; k > 10; k -= step_of_all)
        a[k] += (unsigned)k;
#pragma acc parallel loop copy(a[0:N])
    for (i = n - 1; i > 2; i += -s)
        a[i] += 13u;
#pragma acc parallel loop copy(a[0:N])
    for (i = n - 1; i >= p.first; i = back + i)
        a[i] *= 17u;
#pragma acc parallel loop copy(a[0:N])
    for (i = 1; i < n; i -= back)
        a[i] ^= 19u;
#pragma acc parallel loop copy(a[0:N]) copyin(steps[0:2])
    for (i = 0; i < n; i += steps[1])
        a[i] += 11u;
}

static unsigned nests(unsigned *a, int n, int s)
{
    unsigned sum = 0, most = 0;
#pragma acc parallel loop collapse(2) copy(a[0:N])
    for (int i = 0; i < 10; i += s)
        for (int j = 19; j > 0; j -= s)
            a[20 * i + j] += (unsigned)(i ^ j);
#pragma acc parallel loop gang copy(a[0:N])
    for (int i = 0; i < n; i += s) {
        unsigned t = a[i];
#pragma acc loop vector
        for (int j = i + 1; j < (i + s < n ? i + s : n); j += 2)
            a[j] += t;
    }
#pragma acc parallel loop gang reduction(+: sum) copyin(a[0:N])
    for (int i = 0; i < n; i += s) {
        unsigned part = 0;
#pragma acc loop vector reduction(+: part)
        for (int j = i; j < n; j += s + 1)
            part += a[j];
        sum += part * (unsigned)i;
    }
#pragma acc kernels loop independent reduction(max: most) copyin(a[0:N])
    for (int i = s; i < n; i += s)
        most = a[i] > most ? a[i] : most;
    return sum ^ most;
}

static void cached(unsigned *restrict out, const unsigned *restrict in, int n, int s)
{
#pragma acc parallel loop copyin(in[0:N]) copy(out[0:N])
    for (int i = 1; i < n - 1; i += s) {
#pragma acc cache(in[i - 1:3])
        out[i] += in[i - 1] + 2u * in[i] + in[i + 1];
    }
}

static void never(unsigned *a, int n, int s)
{
#pragma acc parallel loop copy(a[0:N])
    for (int i = 0; i < n; i += s)
        a[i] = 0;
#pragma acc parallel loop copy(a[0:N])
    for (int i = n; i > 0; i -= s)
        a[i] = 0;
}

int main(void)
{
    unsigned a[N], b[N], seen = 0;
    const int steps[2] = {100, 9};
    for (int s = 1; s < 9; s += 3) {
        fill(a);
        fill(b);
        struct plan p = {s + 2, 2 * s + 1};
        forms(a, N - s, s, (short)(s + 2), p, steps);
        forms(a, s, s, 1, p, steps);
        seen = seen * 31u + nests(a, N, s + 1);
        cached(a, b, N, s);
        never(a, 0, 0);
        never(a, -4, s);
        for (int i = 0; i < N; ++i)
            seen = seen * 33u + a[i];
        printf("%d: %u\n", s, seen);
    }
    return 0;
}
