/* Dense writes to a cached element: every thread rewrites its own b[i] again and again.
 *
 * With write-back, all but the last of the writes stay in the cache and memory sees one write an
 * element. With write-through, each of them goes to memory too. Compare
 *     accache run --method rbi --write back samples/write_dense.c
 *     accache run --method rbi --write through samples/write_dense.c
 *
 * usage: write_dense [n] [iterations] [seed]
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Let b[i] approach the mean of itself and its two fixed neighbours a[i-1] and a[i+1]. */
void write_dense(const float *a, float *b, int n, int iterations)
{
#pragma acc parallel loop independent copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(b[i:1])
        for (int k = 0; k < iterations; ++k)
            b[i] = (a[i-1] + b[i] + a[i+1]) / 3;
    }
}

/* The same computation without any directive. */
static void write_dense_plain(const float *a, float *b, int n, int iterations)
{
    for (int i = 1; i < n - 1; ++i)
        for (int k = 0; k < iterations; ++k)
            b[i] = (a[i-1] + b[i] + a[i+1]) / 3;
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
    int iterations = argc > 2 ? atoi(argv[2]) : 16;
    unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
    if (n < 1 || iterations < 0) {
        fprintf(stderr, "usage: write_dense [n] [iterations] [seed]\n");
        return 2;
    }
    size_t bytes = n * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *plain_b = malloc(bytes);
    for (int i = 0; i < n; ++i) {
        a[i] = uniform(&seed);
        b[i] = plain_b[i] = uniform(&seed);
    }

    write_dense(a, b, n, iterations);
    write_dense_plain(a, plain_b, n, iterations);

    int status = check(b, plain_b, n);
    free(a);
    free(b);
    free(plain_b);
    return status;
}
