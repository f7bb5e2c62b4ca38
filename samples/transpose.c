/* Matrix transpose through a tile in shared memory, private to each gang.
 *
 * Read row by row and written column by column, one of the two would touch memory in strides. A
 * gang therefore reads a tile row by row, waits, and writes the tile's columns as rows: both sides
 * then touch neighbouring elements, and the strides happen inside the cache.
 *
 * usage: transpose [n] [m] [seed]
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE 32

/* b (m x n) = transpose of a (n x m). */
void transpose(const float *a, float *b, int n, int m)
{
    float tile[TILE][TILE];
#pragma acc parallel loop gang collapse(2) independent private(tile) copyin(a[0:n*m]) copyout(b[0:n*m])
    for (int i = 0; i < n; i += TILE) {
        for (int j = 0; j < m; j += TILE) {
#pragma acc cache(tile)
#pragma acc loop vector collapse(2) independent
            for (int y = 0; y < TILE; ++y)
                for (int x = 0; x < TILE; ++x)
                    if (i + y < n && j + x < m)
                        tile[y][x] = a[(i + y)*m + j + x];
#pragma acc loop vector collapse(2) independent
            for (int y = 0; y < TILE; ++y)
                for (int x = 0; x < TILE; ++x)
                    if (i + x < n && j + y < m)
                        b[(j + y)*n + i + x] = tile[x][y];
        }
    }
}

/* The same computation without any directive. */
static void transpose_plain(const float *a, float *b, int n, int m)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
            b[j*n + i] = a[i*m + j];
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
    int n = argc > 1 ? atoi(argv[1]) : 100;
    int m = argc > 2 ? atoi(argv[2]) : 77;
    unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
    if (n < 1 || m < 1) {
        fprintf(stderr, "usage: transpose [n] [m] [seed]\n");
        return 2;
    }
    size_t count = (size_t)n * m, bytes = count * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *plain_b = malloc(bytes);
    for (size_t i = 0; i < count; ++i)
        a[i] = uniform(&seed);

    transpose(a, b, n, m);
    transpose_plain(a, plain_b, n, m);

    int status = check(b, plain_b, count);
    free(a);
    free(b);
    free(plain_b);
    return status;
}
