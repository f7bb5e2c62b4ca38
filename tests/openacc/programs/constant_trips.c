/* Sequential loops whose trip count is a constant or cut short by a second limit, in kernels with tiles and without. */
#include <stdio.h>
#include <stdlib.h>

static void show(const char *what, const long *a, int n)
{
    unsigned long sum = 5381;
    for (int i = 0; i < n; ++i)
        sum = sum * 33 + (unsigned long)a[i];
    printf("%s %lu\n", what, sum);
}

static void windows(const long *a, long *b, int n)
{
#pragma acc parallel loop copyin(a[0:n+16]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        long sum = b[i];
        int from = i + 4;
#pragma acc cache(a[i:16])
        {
            for (int j = i; j < i + 3; ++j)
                sum += a[j];
            for (int j = i + 15; j >= i; j -= 4)
                sum = sum * 3 + a[j] + j;
            for (long j = from; j <= from + 5L; j += 2)
                sum ^= a[j];
            for (int j = from; j != i + 9; j++)
                sum -= a[j] * j;
            for (int j = i; j < i; ++j) /* none */
                sum += a[j];
        }
        b[i] = sum;
    }
}

static void moving(const long *a, long *b, int n)
{
#pragma acc parallel loop copyin(a[0:n+16]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        int from = i;
        long sum = 0;
        for (int j = from; j < i + 4; ++j) { /* what it starts from changes in it */
            from = 0;
            sum += a[j] + from;
        }
        for (unsigned j = (unsigned)i - 1; j <= (unsigned)i + 1; ++j) /* none where i is 0 */
            sum += 7;
        for (short j = i % 8; j < i % 8 + 3; ++j)
            sum += a[i + j];
        for (int j = i - 1; j <= i + 1; ++j) {
            if (j < 0)
                continue;
            if (j > n)
                break;
            for (int k = j; k < j + 2; ++k)
                sum += a[k] * k;
        }
        b[i] += sum;
    }
}

static void chunks(const long *a, long *b, int n)
{
#pragma acc parallel loop gang vector copyin(a[0:n]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        long sum = 0;
        for (int l = 0; l < n; l += 32) {
#pragma acc cache(a[l:32])
            for (int k = l; k < l + 32 && k < n; ++k) {
                long x = a[k] + k;
                sum += x * (i % 3);
            }
        }
        for (int l = 1; l < n; l += 8) {
            int last = l + 7;
            for (int k = l; k < n && k < l + 8; ++k)
                sum = sum * 5 + a[k];
            for (int k = l; k <= last && k <= n - 1; ++k)
                sum = sum * 7 + a[k];
            for (int k = l; k < l + 8 && k < i; ++k) /* not the same for all threads */
                sum = sum * 11 + a[k];
            for (int k = 3; k < 3 + 8 && k < n; ++k)
                sum += a[k];
        }
        b[i] += sum;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300;
    long *a = malloc((n + 16) * sizeof *a), *b = malloc(n * sizeof *b);
    for (int i = 0; i < n + 16; ++i)
        a[i] = (i * 7919L) % 1009 - 500;
    for (int i = 0; i < n; ++i)
        b[i] = i % 17;
    windows(a, b, n);
    show("windows", b, n);
    moving(a, b, n);
    show("moving", b, n);
    chunks(a, b, n);
    show("chunks", b, n);
    free(a);
    free(b);
    return 0;
}
