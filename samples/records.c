/* Each thread scans records of its own, one after the other, in a narrow array and two wide ones. Its next record lies in
   the lines that it fetched for the last one, unless other threads have pushed these out of L1 by then. The directive
   names whole arrays: with --method private each thread keeps lines of its own in shared memory.

   Arguments: threads, records of a thread, seed. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void transform(const char *restrict a, const int *restrict b, int *restrict out, int threads, int records)
{
#pragma acc parallel loop copyin(a[0:threads*records], b[0:threads*records]) copyout(out[0:threads*records])
    for (int t = 0; t < threads; ++t) {
#pragma acc loop seq
#pragma acc cache(a, b, out)
        for (int i = t * records; i < (t + 1) * records; ++i)
            out[i] = a[i] * 3 + b[i];
    }
}

/* The same computation without any directive. */
static void transform_plain(const char *a, const int *b, int *out, int n)
{
    for (int i = 0; i < n; ++i)
        out[i] = a[i] * 3 + b[i];
}

/* A random number of 24 bits; the same seed gives the same numbers on every machine. */
static int uniform(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
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

/* Compare, print the checksum, and return main's exit status. */
static int check(const int *result, const int *expected, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        if (result[i] != expected[i]) {
            fprintf(stderr, "wrong: record %zu is %d, expected %d\n", i, result[i], expected[i]);
            return 1;
        }
        sum += result[i];
    }
    printf("checksum %016" PRIx64 ", mean %.9g\n", hash(result, count * sizeof(int)), sum / count);
    return 0;
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 512;
    int records = argc > 2 ? atoi(argv[2]) : 256;
    unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
    if (threads < 1 || records < 1 || threads > 100000000 / records) {
        fprintf(stderr, "usage: records [threads] [records] [seed]\n");
        return 2;
    }
    size_t count = (size_t)threads * records;
    char *a = malloc(count);
    int *b = malloc(count * sizeof(int)), *out = malloc(count * sizeof(int)), *plain = malloc(count * sizeof(int));
    for (size_t i = 0; i < count; ++i) {
        a[i] = (char)(uniform(&seed) & 127);
        b[i] = uniform(&seed);
    }

    transform(a, b, out, threads, records);
    transform_plain(a, b, plain, (int)count);

    int status = check(out, plain, count);
    free(a);
    free(b);
    free(out);
    free(plain);
    return status;
}
