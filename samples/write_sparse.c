/* Sparse writes to a cached element: few threads write b[i], and they write seldom.
 *
 * One element in 64 carries a probe, and a probe writes in one iteration of 64: less than 2 % of
 * the threads and less than 2 % of their iterations. Write-back stores the whole cache at the end,
 * whatever was written; write-through stores what is written, when it is written. Compare
 *     accache run --write back samples/write_sparse.c
 *     accache run --write through samples/write_sparse.c
 *
 * usage: write_sparse [n] [iterations] [seed]
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVERY 64

/* Every element heats up between its neighbours; where there is a probe, b[i] keeps a running mean.
 * The condition stands inside the cached loop: all threads of a block arrive there together. */
void write_sparse(const float *a, const unsigned char *probe, float *b, int n, int iterations)
{
#pragma acc parallel loop independent copyin(a[0:n], probe[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
        float heat = a[i];
#pragma acc cache(b[i:1])
        for (int k = 0; k < iterations; ++k) {
            heat = (a[i-1] + heat + a[i+1]) / 3;
            if (probe[i] && k % EVERY == EVERY - 1)
                b[i] = (b[i] + heat) / 2;
        }
    }
}

/* The same computation without any directive. */
static void write_sparse_plain(const float *a, const unsigned char *probe, float *b, int n, int iterations)
{
    for (int i = 1; i < n - 1; ++i) {
        float heat = a[i];
        for (int k = 0; k < iterations; ++k) {
            heat = (a[i-1] + heat + a[i+1]) / 3;
            if (probe[i] && k % EVERY == EVERY - 1)
                b[i] = (b[i] + heat) / 2;
        }
    }
}

/* A random float in [0, 1); the same seed gives the same numbers on every machine. */
static float uniform(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) * (1.0f / 16777216);
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
    int n = argc > 1 ? atoi(argv[1]) : 4096;
    int iterations = argc > 2 ? atoi(argv[2]) : 128;
    unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
    if (n < 1 || iterations < 0) {
        fprintf(stderr, "usage: write_sparse [n] [iterations] [seed]\n");
        return 2;
    }
    size_t bytes = n * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *plain_b = malloc(bytes);
    unsigned char *probe = malloc(n);
    for (int i = 0; i < n; ++i) {
        a[i] = uniform(&seed);
        b[i] = plain_b[i] = uniform(&seed);
        probe[i] = uniform(&seed) < 1.0f / EVERY;
    }

    write_sparse(a, probe, b, n, iterations);
    write_sparse_plain(a, probe, plain_b, n, iterations);

    int status = check(b, plain_b, n);
    free(a);
    free(b);
    free(plain_b);
    free(probe);
    return status;
}
