/* Macros that hold directives, used more than once in a line, and directives behind macros. */
#include "show.h"
#define PAR _Pragma("acc parallel loop copy(a[0:n])")
#define VEC _Pragma("acc loop vector")
#define FILL(p, n) { for (int q = 0; q < (n); ++q) (p)[q] = q; }
#define ATOMIC _Pragma("acc atomic")

void two_constructs(int *a, int n) { PAR for (int i = 0; i < n; ++i) a[i] += i; PAR for (int i = 0; i < n; ++i) a[i] *= 3; }

void three_constructs(int *a, int n) { PAR for (int i = 0; i < n; ++i) a[i] -= i; if (n > 3) { PAR for (int i = 0; i < n; ++i) a[i] ^= 5; } PAR for (int i = 1; i < n; ++i) a[i] /= 2; }

void two_loops(int *a, int n)
{
#pragma acc parallel loop gang copy(a[0:n*40])
    for (int k = 0; k < n; ++k) {
        VEC for (int i = 0; i < 40; ++i) a[k * 40 + i] += i * k; VEC for (int i = 0; i < 40; ++i) a[k * 40 + i] *= 3;
    }
}

void two_accesses(const int *restrict b, int *restrict a, int n)
{
#pragma acc parallel loop copy(a[0:2]) copyin(b[0:n])
    for (int k = 0; k < n; ++k) {
        ATOMIC a[0] += b[k]; ATOMIC a[1] += 2 * b[k];
    }
}

int behind_a_macro(int *a, int n)
{
    int sum = 0;
#pragma acc data create(a[0:n])
    {
        FILL(a, n)
#pragma acc update device(a[0:n])
#pragma acc parallel loop reduction(+: sum)
        for (int i = 0; i < n; ++i)
            sum += a[i];
    }
    _Pragma("acc wait(1)") _Pragma("acc wait(2)")
    return sum;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    int *a = (int *)malloc(n * 40 * sizeof(int)), sums[2] = { 0, 0 };
    for (int i = 0; i < n * 40; ++i)
        a[i] = noise(i, 1);
    two_constructs(a, n);
    SHOW("two_constructs", a, n * 40);
    three_constructs(a, n);
    SHOW("three_constructs", a, n * 40);
    two_loops(a, n);
    SHOW("two_loops", a, n * 40);
    two_accesses(a, sums, n);
    SHOW("two_accesses", sums, 2);
    sums[0] = behind_a_macro(a, n);
    SHOW("behind_a_macro", sums, 1);
    return 0;
}
