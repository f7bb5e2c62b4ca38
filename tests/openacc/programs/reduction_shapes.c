/* Reductions over blocks of all shapes: parts of warps, whole warps, several of them, and a warp that is not whole. */
#include "show.h"

#define DIRECTIVE(...) _Pragma(#__VA_ARGS__)
#define SHAPE(workers, lanes) \
    static void shape_##workers##_##lanes(const int *a, double *d, int n) \
    { \
        long most = -1000, total = 0; \
        double sum = 0.25; \
        unsigned char bits = 255; \
        DIRECTIVE(acc parallel num_gangs(3) num_workers(workers) vector_length(lanes) copyin(a[0:n]) copyout(d[0:n])) \
        { \
            _Pragma("acc loop gang reduction(+: total)") \
            for (int k = 0; k < n; ++k) { \
                float row = 0.5f; \
                short all = 1; \
                _Pragma("acc loop worker reduction(+: row)") \
                for (int i = 0; i < 70; ++i) { \
                    int column = 3; \
                    _Pragma("acc loop vector reduction(+: column)") \
                    for (int j = 0; j < 150; ++j) \
                        column += a[(i * j + k) % n]; \
                    row += column; \
                } \
                _Pragma("acc loop worker vector reduction(&&: all)") \
                for (int i = 0; i < 2000; ++i) \
                    all = all && a[i % n] != 1000; \
                _Pragma("acc loop vector") \
                for (int j = 0; j < 1; ++j) \
                    d[k] = row + all; \
                total += (long)row; \
            } \
        } \
        DIRECTIVE(acc parallel loop gang worker vector num_gangs(3) num_workers(workers) vector_length(lanes) \
                  copyin(a[0:n]) reduction(max: most) reduction(+: sum) reduction(&: bits)) \
        for (int i = 0; i < n; ++i) { \
            most = a[i] > most ? a[i] : most; \
            sum += a[i] * 0.5; \
            bits &= (unsigned char)~a[i]; \
        } \
        printf(#workers " x " #lanes ": %ld %ld %g %d\n", most, total, sum, bits); \
        SHOW("d", d, n); \
    }

SHAPE(1, 32)
SHAPE(1, 64)
SHAPE(1, 7)
SHAPE(1, 100)
SHAPE(1, 1024)
SHAPE(4, 8)
SHAPE(3, 16)
SHAPE(5, 32)
SHAPE(2, 48)
SHAPE(2, 64)
SHAPE(32, 1)
SHAPE(32, 32)
SHAPE(7, 3)

/* Rows that are warps do not wait for each other where they reduce. */
static void warps(const int *a, int n)
{
    int *b = malloc(n * 128 * sizeof *b);
#pragma acc parallel loop gang num_workers(4) vector_length(32) copyin(a[0:n]) copyout(b[0:128*n])
    for (int k = 0; k < n; ++k) {
        int row[128];
#pragma acc loop worker
        for (int i = 0; i < 4; ++i)
#pragma acc loop vector
            for (int j = 0; j < 32; ++j)
                row[32*i + j] = a[(i + j + k) % n];
#pragma acc loop worker
        for (int i = 0; i < 4; ++i) {
            int sum = 0;
#pragma acc loop vector reduction(+: sum)
            for (int j = 0; j < 32; ++j)
                sum += a[(i * j) % n];
#pragma acc loop vector
            for (int j = 0; j < 32; ++j)
                b[128*k + 32*i + j] = sum + row[(32*i + j + 40) % 128];
        }
    }
    SHOW("warps", b, 128 * n);
}

/* One warp reduces, and then reads what its threads have written. */
static void one_warp(const int *a, int n)
{
    int *b = malloc(n * 32 * sizeof *b);
#pragma acc parallel loop gang vector_length(32) copyin(a[0:n]) copyout(b[0:32*n])
    for (int k = 0; k < n; ++k) {
        int row[32];
        for (int round = 0; round < 3; ++round) {
            int sum = 0;
#pragma acc loop vector reduction(+: sum)
            for (int j = 0; j < 32; ++j) {
                row[j] = a[(j + k) % n] + round;
                sum += a[(k * j) % n];
            }
#pragma acc loop vector reduction(+: sum)
            for (int j = 0; j < 32; ++j)
                sum += row[31 - j];
#pragma acc loop vector
            for (int j = 0; j < 32; ++j)
                b[32*k + j] = sum + row[(j + 5) % 32];
        }
    }
    SHOW("one_warp", b, 32 * n);
}

static void tiles(const int *a, int n)
{
    int most = 0, sum = 0;
#pragma acc parallel loop tile(48, 2) copyin(a[0:n]) reduction(max: most)
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < n; ++j)
            most = a[j] + i > most ? a[j] + i : most;
#pragma acc parallel loop tile(8, 2, 4) copyin(a[0:n]) reduction(+: sum)
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < n; ++k)
                sum += a[k] * i - j;
    printf("tiles %d %d\n", most, sum);
}

int main(int argc, char **argv)
{
    const int n = size_argument(argc, argv, 40);
    int *a = malloc(n * sizeof *a);
    double *d = malloc(n * sizeof *d);
    for (int i = 0; i < n; ++i)
        a[i] = (i * 7 + 3) % 23 - 4;
    shape_1_32(a, d, n);
    shape_1_64(a, d, n);
    shape_1_7(a, d, n);
    shape_1_100(a, d, n);
    shape_1_1024(a, d, n);
    shape_4_8(a, d, n);
    shape_3_16(a, d, n);
    shape_5_32(a, d, n);
    shape_2_48(a, d, n);
    shape_2_64(a, d, n);
    shape_32_1(a, d, n);
    shape_32_32(a, d, n);
    shape_7_3(a, d, n);
    warps(a, n);
    one_warp(a, n);
    tiles(a, n);
    return 0;
}
