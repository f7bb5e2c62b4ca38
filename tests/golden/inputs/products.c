/* Tiles for all iterations of a block, some of which pass the end of their array. */
#include <stdio.h>
#include <stdlib.h>

static void products(int n, const float *restrict a, const float *restrict b, float *restrict c)
{
#pragma acc parallel loop copyin(a[0:n*n], b[0:n*n]) copyout(c[0:n*n])
    for (int i = 0; i < n; ++i)
#pragma acc loop
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < n; l += 12) {
#pragma acc cache(a[i:1][l:12], b[l:12][j:1])
                for (int k = l; k < l + 12 && k < n; ++k)
                    sum += a[i*n + k] * b[k*n + j];
            }
            c[i*n + j] = sum;
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64;
    float *a = malloc(sizeof(float) * n * n), *b = malloc(sizeof(float) * n * n), *c = malloc(sizeof(float) * n * n);
    for (int i = 0; i < n * n; ++i) {
        a[i] = i * 7 % 11 - 4;
        b[i] = i * 5 % 13 - 6;
    }
    products(n, a, b, c);
    unsigned hash = 0;
    for (int i = 0; i < n * n; ++i)
        hash = hash * 31 + (unsigned)(int)c[i];
    printf("%u\n", hash);
    free(a);
    free(b);
    free(c);
    return 0;
}
