/* One-dimensional stencil: every element becomes the mean of itself and its neighbours.
 *
 * Neighbouring iterations read almost the same elements: iteration i reads a[i-1], a[i], a[i+1],
 * iteration i+1 reads a[i], a[i+1], a[i+2]. The cache directive names that subarray as
 * a[first : count], so that a block of threads can load it once and share it.
 *
 * usage: stencil [n] [iterations] [seed]          (wider: compile with -DRADIUS=4)
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef RADIUS
#define RADIUS 1
#endif

/* Smooth a into b, then b into a, and so on; the RADIUS elements at either end stay as they are.
 * The last result is in b if iterations is odd, in a if it is even. */
void stencil(float *a, float *b, int n, int iterations)
{
#pragma acc data copy(a[0:n], b[0:n])
    for (int k = 0; k < iterations; ++k) {
#pragma acc parallel loop independent
        for (int i = RADIUS; i < n - RADIUS; ++i) {
            float sum = 0;
#pragma acc cache(a[i-RADIUS:2*RADIUS+1])
            for (int j = i - RADIUS; j <= i + RADIUS; ++j)
                sum += a[j];
            b[i] = sum / (2 * RADIUS + 1);
        }
        /* Only the names change places. The data region still ends on the arrays it began with. */
        float *swap = a;
        a = b;
        b = swap;
    }
}

/* The same computation without any directive. */
static void stencil_plain(float *a, float *b, int n, int iterations)
{
    for (int k = 0; k < iterations; ++k) {
        for (int i = RADIUS; i < n - RADIUS; ++i) {
            float sum = 0;
            for (int j = i - RADIUS; j <= i + RADIUS; ++j)
                sum += a[j];
            b[i] = sum / (2 * RADIUS + 1);
        }
        float *swap = a;
        a = b;
        b = swap;
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
    int iterations = argc > 2 ? atoi(argv[2]) : 9;
    unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
    if (n < 1 || iterations < 0) {
        fprintf(stderr, "usage: stencil [n] [iterations] [seed]\n");
        return 2;
    }
    size_t bytes = n * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes);
    float *plain_a = malloc(bytes), *plain_b = malloc(bytes);
    for (int i = 0; i < n; ++i)
        a[i] = b[i] = plain_a[i] = plain_b[i] = uniform(&seed);

    stencil(a, b, n, iterations);
    stencil_plain(plain_a, plain_b, n, iterations);

    int odd = iterations % 2;
    int status = check(odd ? b : a, odd ? plain_b : plain_a, n);
    free(a);
    free(b);
    free(plain_a);
    free(plain_b);
    return status;
}
