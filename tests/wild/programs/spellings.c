/* One directive in all the ways it can be written. */
#include "show.h"

#define RADIUS 1
#define SPAN (2 * RADIUS + 1)
#define NEIGHBOURS a[i-RADIUS:SPAN]
#define DO_PRAGMA(text) _Pragma(#text)
#define CACHE_ROW DO_PRAGMA(acc cache(a[i-1:3]))
#define PARALLEL(array, count) DO_PRAGMA(acc parallel loop copyin(a[0:count]) copy(array[0:count]))

#define BODY b[i] = b[i] / 2 + a[i - 1] + a[i + 1]

void macro_in_the_bounds(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-RADIUS:SPAN]) /* auto: rbi block */
        BODY;
    }
}

void macro_for_the_list(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(NEIGHBOURS) /* auto: rbi block */
        BODY;
    }
}

void by_operator(const float *restrict a, float *restrict b, int n)
{
    _Pragma("acc parallel loop copyin(a[0:n]) copy(b[0:n])")
    for (int i = 1; i < n - 1; ++i) {
        _Pragma("acc cache(a[i-1:3])") /* auto: rbi block */
        BODY;
    }
}

void operator_in_a_macro(const float *restrict a, float *restrict b, int n)
{
    PARALLEL(b, n)
    for (int i = 1; i < n - 1; ++i) {
        CACHE_ROW /* auto: rbi block */
        BODY;
    }
}

void continued(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop  \
        copyin(a[0:n])     \
        copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc \
        cache( \
            a[i-1 /* auto: rbi block */ \
              :3] \
        )
        BODY;
    }
}

void blanks(const float *restrict a, float *restrict b, int n)
{
#  pragma   acc  parallel   loop copyin ( a [ 0 : n ] ) copy	(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
    # pragma acc cache ( a [ i - 1 : 3 ] )   // auto: rbi block
        BODY;
    }
}

void commas(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop, copyin(a[0:n]), copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i - 1:3]) /* auto: rbi block */
        BODY;
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1000);
    float *a = new_floats(n, 1), *b = new_floats(n, 2);
    macro_in_the_bounds(a, b, n);
    SHOW("macro_in_the_bounds", b, n);
    macro_for_the_list(a, b, n);
    SHOW("macro_for_the_list", b, n);
    by_operator(a, b, n);
    SHOW("by_operator", b, n);
    operator_in_a_macro(a, b, n);
    SHOW("operator_in_a_macro", b, n);
    continued(a, b, n);
    SHOW("continued", b, n);
    blanks(a, b, n);
    SHOW("blanks", b, n);
    commas(a, b, n);
    SHOW("commas", b, n);
    return 0;
}
