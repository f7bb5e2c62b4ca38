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
    tiles(a, n);
    return 0;
}
