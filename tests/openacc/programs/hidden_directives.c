/* Macros that make directives together with loops, blocks, functions and other code. */
#include <assert.h>
#include "show.h"

#define TEXT(x) _Pragma(#x)
#define EACH(i, n) _Pragma("acc parallel loop copy(a[0:n])") for (int i = 0; i < (n); ++i)
#define INNER(i, n) _Pragma("acc loop vector") for (int i = 0; i < (n); ++i)
#define REDUCED(type, operator, start, value, ...)                                                                     \
    {                                                                                                                  \
        type found = start, wanted = start;                                                                            \
        TEXT(acc parallel __VA_ARGS__ copy(found))                                                                     \
        TEXT(acc loop gang reduction(operator: found))                                                                 \
        for (int i = 0; i < n; ++i)                                                                                    \
            found = found operator (value);                                                                            \
        for (int i = 0; i < n; ++i)                                                                                    \
            wanted = wanted operator (value);                                                                          \
        assert(found == wanted);                                                                                       \
        long shown = (long)found;                                                                                      \
        SHOW(#type " " #operator, &shown, 1);                                                                          \
    }
#define FUNCTION(name, type)                                                                                           \
    static void name##_of_##type(type *a, int n)                                                                       \
    {                                                                                                                  \
        _Pragma("acc parallel loop gang copy(a[0:n])") for (int i = 0; i < n; ++i)                                     \
        {                                                                                                              \
            type sum = 0;                                                                                              \
            _Pragma("acc loop vector reduction(+: sum)") for (int k = 0; k < 40; ++k) sum += (type)(k + i);            \
            a[i] += sum;                                                                                               \
        }                                                                                                              \
    }
#define SIZE 8
#define BEGIN _Pragma("acc data copy(a[0:n])") {
#define END }

FUNCTION(sum, int)
FUNCTION(sum, double) /* a comment that
goes on */ static int behind_the_comment(int x) { return x + 1; }

static void loops(int *a, int n)
{
    EACH(i, n) a[i] += i; EACH(i, n) { a[i] *= 3; } /* two in a line */
    EACH(
        i,
        n) // a call over several lines
        if (a[i] > 5)
            a[i] ^= SIZE;
#pragma acc parallel loop gang copy(a[0:n]) num_gangs(SIZE)
    for (int k = 0; k < 2; ++k) {
        INNER(i, n / 2) a[k * (n / 2) + i] -= 7;
    }
    BEGIN
#pragma acc parallel loop present(a)
        for (int i = 0; i < n; ++i)
            a[i] = behind_the_comment(a[i]);
    END
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300), *a = new_ints(n, 1), line = __LINE__;
    double *b = (double *)calloc(n, sizeof(double));
    REDUCED(int, +, 0, i, num_gangs(SIZE)); REDUCED(long, *, 1, i % 5 + 1, num_gangs(2) num_workers(2))
    REDUCED(unsigned, ^, 0u, i * 77u,
            num_gangs(SIZE)
            vector_length(32))
    sum_of_int(a, n);
    SHOW("int", a, n);
    sum_of_double(b, n);
    SHOW("double", b, n);
    loops(a, n);
    SHOW("loops", a, n);
    line = __LINE__ - line;
    SHOW("line", &line, 1);
    free(a);
    free(b);
    return 0;
}
