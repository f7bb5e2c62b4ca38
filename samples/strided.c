/* Strided subarrays: iteration i reads five elements from 3*i + 4 on.
 *
 * The lower bound is rate * i + offset with rate 3 and offset 4. Neighbours start three elements
 * apart and need five each, so they overlap in two: three threads together need the 11 elements
 * 4 to 14, not 15. In general W threads share length + rate * (W - 1) elements.
 *
 * usage: strided [n] [seed]
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE 3
#define OFFSET 4
#define LENGTH 5

/* b[i] = mean of LENGTH elements of a; a has RATE*(n-1) + OFFSET + LENGTH elements. */
void strided(const float *a, float *b, int n)
{
#pragma acc parallel loop independent copyin(a[0:RATE*(n-1)+OFFSET+LENGTH]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
#pragma acc cache(a[RATE*i+OFFSET:LENGTH])
        for (int j = RATE*i + OFFSET; j < RATE*i + OFFSET + LENGTH; ++j)
            sum += a[j];
        b[i] = sum / LENGTH;
    }
}

/* The same computation without any directive. */
static void strided_plain(const float *a, float *b, int n)
{
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int j = RATE*i + OFFSET; j < RATE*i + OFFSET + LENGTH; ++j)
            sum += a[j];
        b[i] = sum / LENGTH;
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
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    if (n < 1) {
        fprintf(stderr, "usage: strided [n] [seed]\n");
        return 2;
    }
    size_t count = (size_t)RATE * (n - 1) + OFFSET + LENGTH;
    float *a = malloc(count * sizeof(float));
    float *b = malloc(n * sizeof(float)), *plain_b = malloc(n * sizeof(float));
    for (size_t i = 0; i < count; ++i)
        a[i] = uniform(&seed);

    strided(a, b, n);
    strided_plain(a, plain_b, n);

    int status = check(b, plain_b, n);
    free(a);
    free(b);
    free(plain_b);
    return status;
}
