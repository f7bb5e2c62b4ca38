/* Table look-up: each iteration reads eight table entries from a place it finds in memory.
 *
 * The lower bound of the subarray is data, not a formula of i. What two threads need may overlap,
 * or lie far apart, and no one can know it when the program is compiled; so there is no tile for
 * the block to share. The directive must still never change the result. "accache explain" says
 * what was done with it, and why.
 *
 * usage: lookup [n] [size of the table] [seed]
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAPS 8

/* out[i] = mean of the TAPS entries of the table from index[i] on; fewer where the table ends. */
void lookup(const int *index, const float *table, float *out, int n, int size)
{
#pragma acc parallel loop independent copyin(index[0:n], table[0:size]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        int start = index[i];
        float sum = 0;
#pragma acc cache(table[start:TAPS])
        for (int k = start; k < start + TAPS && k < size; ++k)
            sum += table[k];
        out[i] = sum / TAPS;
    }
}

/* The same computation without any directive. */
static void lookup_plain(const int *index, const float *table, float *out, int n, int size)
{
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int k = index[i]; k < index[i] + TAPS && k < size; ++k)
            sum += table[k];
        out[i] = sum / TAPS;
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
    int size = argc > 2 ? atoi(argv[2]) : 1000;
    unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
    if (n < 1 || size < 1) {
        fprintf(stderr, "usage: lookup [n] [size of the table] [seed]\n");
        return 2;
    }
    int *index = malloc(n * sizeof(int));
    float *table = malloc(size * sizeof(float));
    float *out = malloc(n * sizeof(float)), *plain_out = malloc(n * sizeof(float));
    for (int i = 0; i < n; ++i)
        index[i] = (int)(uniform(&seed) * size);
    for (int i = 0; i < size; ++i)
        table[i] = uniform(&seed);

    lookup(index, table, out, n, size);
    lookup_plain(index, table, plain_out, n, size);

    int status = check(out, plain_out, n);
    free(index);
    free(table);
    free(out);
    free(plain_out);
    return status;
}
