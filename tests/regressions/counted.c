/* An array that a clause reduces, beside another one that is written, all behind plain pointers: where nothing overlaps
   blocks update copies in shared memory, and where the array is counted itself one thread goes through all. */
#include <stdio.h>

static void count(int n, unsigned *counts, const int *x, int *y)
{
#pragma acc parallel loop reduction(+: counts[0:64]) copyin(x[0:n]) copy(counts[0:64]) copyout(y[0:n])
    for (int i = 0; i < n; ++i) {
        counts[x[i] & 63] += 1;
        y[i] = 3 * x[i];
    }
}

int main(void)
{
    enum { N = 5000 };
    static int x[N], y[N];
    unsigned counts[64] = {7, 8, 9}, sum = 0;
    for (int i = 0; i < N; ++i)
        x[i] = i * 7919 % 1021;
    count(N, counts, x, y);
    count(64, counts, (const int *)counts, y);
    for (int k = 0; k < 64; ++k)
        sum = 31 * sum + counts[k];
    printf("%u %d\n", sum, y[N - 1]);
    return 0;
}
