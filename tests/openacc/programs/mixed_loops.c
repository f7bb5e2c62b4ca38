/* Loops whose variable, start and limit have different types: C converts the start, and compares unsigned numbers. */
#include "show.h"

void starts_below_unsigned_limits(int *restrict a, int first, unsigned limit, int m)
{
#pragma acc parallel loop copy(a[0:40])
    for (int i = first; i < limit; ++i)
        a[i + 5] += 1;
#pragma acc parallel loop copy(a[0:40])
    for (int i = first; i < sizeof(int[30]) / sizeof(int); ++i)
        a[i + 5] += 2;
#pragma acc parallel loop gang num_gangs(2) copy(a[0:40*m])
    for (int row = 0; row < m; ++row) {
#pragma acc loop vector
        for (int i = first + row; i <= limit; i += 2)
            a[row * 40 + i + 5] += i;
    }
#pragma acc parallel loop gang vector num_gangs(1) copy(a[0:40])
    for (long i = first; i != limit; ++i)
        a[i + 5] ^= i;
#pragma acc parallel loop gang vector copy(a[0:40])
    for (int i = 5; i < limit; ++i)
        a[i] -= i;
}

void starts_of_other_types(int *restrict a, int m, unsigned char byte, long big, float real)
{
#pragma acc parallel loop copy(a[0:400])
    for (unsigned char i = m; i < 100; ++i)
        a[i] += i;
#pragma acc parallel loop copy(a[0:400])
    for (signed char i = byte; i < 100; ++i)
        a[i + 128] += i + 500;
#pragma acc parallel loop copy(a[0:400])
    for (int i = big; i < 30; ++i)
        a[i] ^= i;
#pragma acc parallel loop gang vector num_gangs(2) copy(a[0:400])
    for (unsigned i = -m; i < 4294967290u; ++i)
        a[i - (unsigned)-m] += 3;
#pragma acc parallel loop copy(a[0:400])
    for (int i = real; i < 30; ++i)
        a[i + 10] += i + 100;
#pragma acc parallel loop gang num_gangs(2) copy(a[0:400])
    for (int row = 0; row < 4; ++row) {
#pragma acc loop vector
        for (unsigned char i = m + row; i < 100; ++i)
            a[row * 100 + i] += i * row;
    }
#pragma acc parallel loop collapse(2) copy(a[0:400])
    for (short i = big; i < 8; ++i)
        for (signed char j = real; j < 10; ++j)
            a[i * 20 + j + 4] -= i + j;
}

void limits_of_other_signs(int *restrict a, unsigned n)
{
#pragma acc parallel loop copy(a[0:40])
    for (unsigned i = n; i > -1; --i)
        a[i] += 7;
#pragma acc parallel loop copy(a[0:40])
    for (unsigned i = 4294967290u; i < -1; ++i)
        a[i - 4294967290u] += 9;
}

void limits_below_zero_at_run_time(int *restrict a, unsigned n, int m, long w, size_t z)
{
#pragma acc parallel loop copy(a[0:40])
    for (unsigned i = n; i > m; --i)
        a[i] += 7;
#pragma acc parallel loop gang num_gangs(2) copy(a[0:40])
    for (int r = 0; r < 2; ++r) {
#pragma acc loop vector
        for (size_t i = z + r * 10; i >= w; i -= 3)
            a[i] += 11;
    }
}

int main(void)
{
    int a[400];
    for (int i = 0; i < 400; ++i)
        a[i] = noise(i, 1);
    starts_below_unsigned_limits(a, -5, 10, 7);
    SHOW("starts_below_unsigned_limits", a, 400);
    starts_below_unsigned_limits(a, 3, 10, 5);
    SHOW("starts within unsigned limits", a, 400);
    starts_of_other_types(a, 300, 200, (1L << 32) + 5, -2.5f);
    SHOW("starts_of_other_types", a, 400);
    limits_of_other_signs(a, 20);
    SHOW("limits_of_other_signs", a, 400);
    limits_below_zero_at_run_time(a, 5, -1, -1, 6);
    limits_below_zero_at_run_time(a, 5, 2, 3, 6);
    SHOW("limits_below_zero_at_run_time", a, 400);
    return 0;
}
