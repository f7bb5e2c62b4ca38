/* Matrix product c = a * b of n x n matrices, in tiles of 16.
 *
 * Element c[i][j] needs row i of a and column j of b. A block of 16 x 16 elements of c therefore
 * needs 16 rows and 16 columns, and needs each of their elements 16 times. The sequential loop
 * over l walks along them 16 elements at a time; the directive inside it names what one element
 * of c needs in that step: 16 elements of a's row and 16 of b's column.
 *
 * The matrices hold small whole numbers, so every product and sum is exact (up to n = 262144) and
 * the result does not depend on the order of additions, nor on fused multiply-adds.
 *
 * usage: gemm [n] [seed]
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE 16

void gemm(const float *a, const float *b, float *c, int n)
{
#pragma acc data copyin(a[0:n*n], b[0:n*n]) copyout(c[0:n*n])
#pragma acc parallel loop independent
    for (int i = 0; i < n; ++i) {
#pragma acc loop independent
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < n; l += TILE) {
#pragma acc cache(a[i:1][l:TILE], b[l:TILE][j:1])
                for (int k = l; k < l + TILE && k < n; ++k)
                    sum += a[i*n + k] * b[k*n + j];
            }
            c[i*n + j] = sum;
        }
    }
}

/* The same computation without any directive. */
static void gemm_plain(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int k = 0; k < n; ++k)
                sum += a[i*n + k] * b[k*n + j];
            c[i*n + j] = sum;
        }
}

/* A random integer in [0, below); the same seed gives the same numbers on every machine. */
static int random_below(unsigned *state, int below)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 8) % (unsigned)below);
}

/* FNV-1a over all bits of a result. */
static uint64_t hash(const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    uint64_t value = 14695981039346656037u;
    for (size_t i = 0; i < bytes; ++i)
        value = (value ^ byte[i]) * 1099511628211u;
    return value;
}

/* Compare bit by bit, print the checksum, and return main's exit status. */
static int check(const float *result, const float *expected, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        if (memcmp(&result[i], &expected[i], sizeof(float)) != 0) {
            fprintf(stderr, "wrong: element %zu is %.9g, expected %.9g\n", i, result[i], expected[i]);
            return 1;
        }
        sum += result[i];
    }
    printf("checksum %016" PRIx64 ", mean %.9g\n", hash(result, count * sizeof(float)), sum / count);
    return 0;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 112;
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    if (n < 1) {
        fprintf(stderr, "usage: gemm [n] [seed]\n");
        return 2;
    }
    size_t count = (size_t)n * n, bytes = count * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes), *plain_c = malloc(bytes);
    for (size_t i = 0; i < count; ++i) {
        a[i] = random_below(&seed, 17) - 8;
        b[i] = random_below(&seed, 17) - 8;
    }

    gemm(a, b, c, n);
    gemm_plain(a, b, plain_c, n);

    int status = check(c, plain_c, count);
    free(a);
    free(b);
    free(c);
    free(plain_c);
    return status;
}
