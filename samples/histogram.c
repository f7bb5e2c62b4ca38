/* Cumulative histogram: an array declared inside the gang loop becomes shared memory.
 *
 * Every gang counts one chunk of the data in an array of its own. The array exists only inside
 * the gang, so there is nothing to load and nothing to write back: it simply lives in the cache.
 * Each vector loop below uses what the loop before it wrote, so the threads wait for each other in
 * between. No atomics are needed: one iteration owns one bin and scans the whole chunk.
 *
 * usage: histogram [n] [seed]
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 64
#define CHUNK 1024

/* cumulative[bin] = how many of the n values lie in this bin or a lower one.
 * partial is room for BINS counters a chunk. */
void histogram(const int *data, int *partial, int *cumulative, int n)
{
    int chunks = (n + CHUNK - 1) / CHUNK;
#pragma acc data copyin(data[0:n]) create(partial[0:chunks*BINS]) copyout(cumulative[0:BINS])
    {
#pragma acc parallel loop gang
        for (int chunk = 0; chunk < chunks; ++chunk) {
            int local[BINS];
#pragma acc cache(local[0:BINS])
            int start = chunk * CHUNK;
            int end = start + CHUNK < n ? start + CHUNK : n;
#pragma acc loop vector
            for (int bin = 0; bin < BINS; ++bin)
                local[bin] = 0;
#pragma acc loop vector
            for (int bin = 0; bin < BINS; ++bin)
                for (int i = start; i < end; ++i)
                    if (data[i] == bin)
                        ++local[bin];
#pragma acc loop vector
            for (int bin = 0; bin < BINS; ++bin) {
                int sum = 0;
                for (int lower = 0; lower <= bin; ++lower)
                    sum += local[lower];
                partial[chunk*BINS + bin] = sum;
            }
        }
#pragma acc parallel loop independent
        for (int bin = 0; bin < BINS; ++bin) {
            int sum = 0;
            for (int chunk = 0; chunk < chunks; ++chunk)
                sum += partial[chunk*BINS + bin];
            cumulative[bin] = sum;
        }
    }
}

/* The same computation without any directive. */
static void histogram_plain(const int *data, int *cumulative, int n)
{
    for (int bin = 0; bin < BINS; ++bin)
        cumulative[bin] = 0;
    for (int i = 0; i < n; ++i)
        ++cumulative[data[i]];
    for (int bin = 1; bin < BINS; ++bin)
        cumulative[bin] += cumulative[bin - 1];
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
static int check(const int *result, const int *expected, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        if (memcmp(&result[i], &expected[i], sizeof(int)) != 0) {
            fprintf(stderr, "wrong: element %zu is %d, expected %d\n", i, result[i], expected[i]);
            return 1;
        }
        sum += result[i];
    }
    printf("checksum %016" PRIx64 ", mean %.9g\n", hash(result, count * sizeof(int)), sum / count);
    return 0;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10000;
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    if (n < 1) {
        fprintf(stderr, "usage: histogram [n] [seed]\n");
        return 2;
    }
    size_t chunks = ((size_t)n + CHUNK - 1) / CHUNK;
    int *data = malloc(n * sizeof(int)), *partial = malloc(chunks * BINS * sizeof(int));
    int *cumulative = malloc(BINS * sizeof(int)), *plain = malloc(BINS * sizeof(int));
    for (int i = 0; i < n; ++i)
        data[i] = random_below(&seed, BINS);

    histogram(data, partial, cumulative, n);
    histogram_plain(data, plain, n);

    int status = check(cumulative, plain, BINS);
    free(data);
    free(partial);
    free(cumulative);
    free(plain);
    return status;
}
