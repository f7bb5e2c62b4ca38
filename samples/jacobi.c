/* Jacobi iteration in two dimensions: every inner element becomes the mean of its 3 x 3 neighbourhood.
 *
 * The matrix is one flat array: the element in row i, column j is b[i*m + j]. The directive may
 * still name a rectangle, b[first row : rows][first column : columns], and accache recognises the
 * rows and columns in the index i*m + j.
 *
 * usage: jacobi [n] [m] [iterations] [seed]
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Smooth b into a, then a into b, and so on; the border stays as it is.
 * The last result is in a if iterations is odd, in b if it is even. */
void jacobi(float *a, float *b, int n, int m, int iterations)
{
#pragma acc data copy(a[0:n*m], b[0:n*m])
    for (int k = 0; k < iterations; ++k) {
#pragma acc parallel loop independent
        for (int i = 1; i < n - 1; ++i) {
#pragma acc loop independent
            for (int j = 1; j < m - 1; ++j) {
                int im1 = i - 1, jm1 = j - 1;
                float sum = 0;
#pragma acc cache(b[im1:3][jm1:3])
                for (int row = im1; row <= i + 1; ++row)
                    for (int column = jm1; column <= j + 1; ++column)
                        sum += b[row*m + column];
                a[i*m + j] = sum / 9;
            }
        }
        float *swap = a;
        a = b;
        b = swap;
    }
}

/* The same computation without any directive. */
static void jacobi_plain(float *a, float *b, int n, int m, int iterations)
{
    for (int k = 0; k < iterations; ++k) {
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < m - 1; ++j) {
                float sum = 0;
                for (int row = i - 1; row <= i + 1; ++row)
                    for (int column = j - 1; column <= j + 1; ++column)
                        sum += b[row*m + column];
                a[i*m + j] = sum / 9;
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
    int n = argc > 1 ? atoi(argv[1]) : 67;
    int m = argc > 2 ? atoi(argv[2]) : 131;
    int iterations = argc > 3 ? atoi(argv[3]) : 5;
    unsigned seed = argc > 4 ? (unsigned)atoi(argv[4]) : 1;
    if (n < 1 || m < 1 || iterations < 0) {
        fprintf(stderr, "usage: jacobi [n] [m] [iterations] [seed]\n");
        return 2;
    }
    size_t count = (size_t)n * m, bytes = count * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes);
    float *plain_a = malloc(bytes), *plain_b = malloc(bytes);
    for (size_t i = 0; i < count; ++i)
        a[i] = b[i] = plain_a[i] = plain_b[i] = uniform(&seed);

    jacobi(a, b, n, m, iterations);
    jacobi_plain(plain_a, plain_b, n, m, iterations);

    int odd = iterations % 2;
    int status = check(odd ? a : b, odd ? plain_a : plain_b, count);
    free(a);
    free(b);
    free(plain_a);
    free(plain_b);
    return status;
}
