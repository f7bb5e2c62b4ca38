/* Two constructs on data of one region: sums of neighbours from a tile, and what they change, written back. */
#include <stdio.h>
#include <stdlib.h>

static void smooth(int n, const int *restrict a, int *restrict b)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n]) vector_length(64)
    for (int i = 2; i < n - 2; i++) {
        int sum = 0;
#pragma acc cache(a[i-2:5])
        for (int k = -2; k <= 2; k++)
            sum += a[i + k] * (k + 3);
        b[i] = sum;
    }
}

static void count(int n, int *restrict b, int *restrict c)
{
#pragma acc data copy(b[0:n]) copyout(c[0:n])
    {
#pragma acc parallel loop vector_length(64)
        for (int i = 0; i < n; i++) {
#pragma acc cache(b[i:1])
            for (int k = 0; k < 3; k++)
                b[i] += k * i;
            c[i] = b[i] % 7;
        }
#pragma acc update self(c[0:n])
        int seen = c[n - 1];
#pragma acc parallel loop vector_length(64)
        for (int i = 0; i < n; i++)
            c[i] += seen;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300;
    int *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *c = malloc(n * sizeof *c);
    for (int i = 0; i < n; i++)
        a[i] = i * i % 101, b[i] = i, c[i] = -i;
    smooth(n, a, b);
    count(n, b, c);
    unsigned hash = 0;
    for (int i = 0; i < n; i++)
        hash = hash * 31 + (unsigned)(b[i] ^ c[i]);
    printf("%08x\n", hash);
    return 0;
}
