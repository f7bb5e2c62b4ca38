/* Unsigned sums and products that wrap around: C computes them modulo 2^32, whatever an array's positions are. */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "show.h"

#define N 600

/* off stands for a negative number: i + off is i - 1 */
static void shifted(const float *a, float *b, unsigned n, unsigned off)
{
#pragma acc parallel loop copyin(a[0:n+8]) copy(b[0:n])
    for (unsigned i = 1; i < n; i++) {
        float s = 0;
#pragma acc cache(a[i+off:4])
        for (unsigned k = 0; k < 4; k++)
            s += a[i + off + k];
        b[i] = s;
    }
}

/* the same by addresses of 64 bits, where this is right as it is */
static void shifted_far(const float *a, float *b, size_t n, size_t off)
{
#pragma acc parallel loop copyin(a[0:n+8]) copy(b[0:n])
    for (size_t i = 1; i < n; i++) {
        float s = 0;
#pragma acc cache(a[i+off:4])
        for (size_t k = 0; k < 4; k++)
            s += a[i + off + k];
        b[i] = s;
    }
}

/* the sum wraps before it becomes an address */
static void converted(const float *a, float *b, unsigned n, unsigned off)
{
#pragma acc parallel loop copyin(a[0:n+8]) copy(b[0:n])
    for (unsigned i = 1; i < n; i++) {
        const unsigned first = i + off;
#pragma acc cache(a[(size_t)first:2])
        b[i] = a[(size_t)first] - a[(size_t)(i + off) + 1];
    }
}

/* products wrap, too: with m = 2^31, 2*i*m is 0 */
static void product(const float *a, float *b, unsigned n, unsigned m)
{
#pragma acc parallel loop copyin(a[0:4]) copy(b[0:n])
    for (unsigned i = 0; i < n; i++) {
#pragma acc cache(a[2*i*m:3])
        b[i] = a[2 * i * m] + 2 * a[2 * i * m + 2];
    }
}

/* written, too */
static void written(float *a, unsigned n, unsigned off)
{
#pragma acc parallel loop copy(a[0:n])
    for (unsigned i = 1; i < n; i++) {
#pragma acc cache(a[i+off:1])
        a[i + off] = 2 * a[i + off] + 1;
    }
}

/* rows and columns of a flat array */
static void plane(const float *a, float *b, unsigned rows, unsigned columns, unsigned off)
{
#pragma acc parallel loop collapse(2) copyin(a[0:rows*columns]) copy(b[0:rows*columns])
    for (unsigned i = 1; i < rows; i++)
        for (unsigned j = 0; j < columns; j++) {
#pragma acc cache(a[(i+off)*columns+j:1])
            b[i * columns + j] = a[(i + off) * columns + j];
        }
}

/* an offset that only the device knows */
static void from_memory(const float *a, const unsigned *offs, float *b, unsigned n)
{
#pragma acc parallel loop copyin(a[0:n+4], offs[0:n]) copy(b[0:n])
    for (unsigned i = 1; i < n; i++) {
        const unsigned off = offs[i];
#pragma acc cache(a[i:3])
        b[i] = a[i + off] + a[i + off + 1];
    }
}

/* no loop may run in parallel only because its products do not wrap */
static void dependent(float *a, unsigned n, unsigned m)
{
#pragma acc kernels copy(a[0:2])
    for (unsigned i = 0; i < n; i += 2)
        a[i * m] = 3 * a[i * m] - (float)(i % 5);
}

static void dependent_plane(float *a, unsigned rows, unsigned columns, unsigned pitch)
{
#pragma acc kernels copy(a[0:columns])
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < columns; j++)
            if (i % 4 == 0)
                a[i * pitch * columns + j] = 0.5f * a[i * pitch * columns + j] - (float)(i % 7);
}

static void independent_plane(float *a, unsigned rows, unsigned columns)
{
#pragma acc kernels copy(a[0:rows*columns])
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < columns; j++)
            a[i * columns + j] = a[i * columns + j] + (float)(i % 7);
}

static void narrow(const float *a, float *b, unsigned char off, unsigned short n)
{
#pragma acc parallel loop copyin(a[0:n+400]) copy(b[0:n])
    for (unsigned short i = 0; i < n; i++) {
        const unsigned char low = (unsigned char)(i + off);
#pragma acc cache(a[i:2], a[low:1])
        b[i] = a[(unsigned char)(i + off)] + a[low] + a[i + 1] + a[(unsigned short)(i + off)];
    }
}

/* a limit that wraps: the loop does not run */
static void limits(float *a, float *b, unsigned n, unsigned off)
{
#pragma acc parallel loop copy(a[0:n], b[0:4])
    for (unsigned i = 0; i < 4; i++) {
#pragma acc cache(b[i:1])
        {
            b[i] += 1;
            for (unsigned j = off; j < off + n; j++)
                b[i] += a[j - off];
        }
    }
}

/* the loop's limit wraps, so nothing is written: what is written back must be what was there */
static void unwritten(float *b, unsigned n, unsigned off, size_t far)
{
#pragma acc parallel loop gang vector_length(32) copy(b[0:n])
    for (unsigned i = 0; i < n - 8; i += 4) {
#pragma acc cache(b[i+4:4])
        for (unsigned j = i + off; j < i + off + 4; j++)
            b[j - i - off + i + 4] = 1;
    }
#pragma acc parallel loop gang vector_length(32) copy(b[0:n])
    for (unsigned i = 0; i < 2; i++) {
#pragma acc cache(b[4*i:4])
        for (size_t j = far; j < far + 4; j++)
            b[4 * i + (j - far)] = 1;
    }
}

int main(void)
{
    static float a[4 * N], b[4 * N];
    static unsigned offs[N];
    for (int i = 0; i < 4 * N; i++)
        a[i] = (float)(i * 7 % 101), b[i] = 0;
    for (unsigned i = 0; i < N; i++)
        offs[i] = i % 3 ? UINT_MAX : 1;
    shifted(a, b, N, UINT_MAX);
    show("shifted", b, N * sizeof *b);
    shifted(a, b, N, 3);
    show("shifted up", b, N * sizeof *b);
    shifted_far(a, b, N, SIZE_MAX);
    show("shifted far", b, N * sizeof *b);
    converted(a, b, N, UINT_MAX);
    show("converted", b, N * sizeof *b);
    product(a, b, N, 1u << 31);
    show("product", b, N * sizeof *b);
    written(a, N, UINT_MAX);
    show("written", a, N * sizeof *a);
    plane(a, b, 20, 30, UINT_MAX);
    show("plane", b, N * sizeof *b);
    from_memory(a, offs, b, N);
    show("from memory", b, N * sizeof *b);
    dependent(a, 9, 1u << 31);
    show("dependent", a, 2 * sizeof *a);
    dependent_plane(a, 40, 8, 1u << 30);
    show("dependent plane", a, 8 * sizeof *a);
    independent_plane(a, 20, 30);
    show("independent plane", a, N * sizeof *a);
    narrow(a, b, 250, 300);
    show("narrow", b, 300 * sizeof *b);
    limits(a, b, N, 5);
    limits(a, b, N, UINT_MAX - 2);
    show("limits", b, 4 * sizeof *b);
    unwritten(b + 8, N - 8, UINT_MAX - 2, SIZE_MAX - 2);
    show("unwritten", b, N * sizeof *b);
    return 0;
}
