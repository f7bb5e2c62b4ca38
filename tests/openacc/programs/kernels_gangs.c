/* Gangs of a kernels region: what is not spread over them is run by one, and no loop depends on another gang's. */
#include "show.h"

#pragma acc routine gang
static void halve(int *a, int n)
{
#pragma acc loop gang vector
    for (int i = 0; i < n; ++i)
        a[i] /= 2;
}

static void with_a_number(int *restrict a, int *restrict sum, int n)
{
#pragma acc kernels num_gangs(8) copy(a[0:n], sum[0:1])
    {
        for (int i = 1; i < n; ++i)
            a[i] += a[i - 1] % 7;
        sum[0] += a[n / 2];
        for (int i = 0; i < n; ++i)
            a[i] += 2;
    }
}

/* Several kernels that start in one line. */
static void in_one_line(int *restrict a, const int *restrict b, int n)
{
#pragma acc kernels copy(a[0:n]) copyin(b[0:n])
    { for (int i = 0; i < n - 1; ++i) a[i] += b[i + 1]; a[n - 1] = b[0]; for (int i = 0; i < n; ++i) a[i] *= 2; }
}

/* Two loops and a scalar in one kernel: the second loop needs all of the first. */
static int under_a_condition(int *restrict a, int *restrict b, int n)
{
    int first = 0;
#pragma acc kernels copy(a[0:n], b[0:n], first)
    {
        if (n > 0) {
            first += a[0];
            for (int i = 0; i < n; ++i)
                b[i] = a[i] + 2;
            for (int i = 0; i < n; ++i)
                a[i] = b[n - 1 - i] + first;
        }
    }
    return first;
}

static void until(int *restrict a, int n)
{
#pragma acc kernels copy(a[0:n])
    {
        int rounds = 0;
        while (rounds < 3) {
            for (int i = 0; i < n; ++i)
                a[i] += a[i] % 3;
            ++rounds;
        }
        if (a[n - 1] > 0) {
            for (int i = 0; i < n; ++i)
                a[i] = -a[i];
        }
        if (n > 1) {
            for (int i = 0; i < n; ++i)
                a[i] *= 2;
        }
    }
}

static void by_another_name(int *a, int *b, int n)
{
#pragma acc kernels copy(a[0:n]) present_or_copy(b[0:n])
    {
        if (b[n / 2] != 0) {
#pragma acc loop independent
            for (int i = 0; i < n; ++i)
                a[i] = 0;
        }
    }
}

static void called(int *a, int n)
{
#pragma acc kernels copy(a[0:n])
    {
        halve(a, n);
        for (int k = 0; k < 3; ++k) {
            halve(a + k, n - k);
            halve(a, n - k);
        }
    }
}

#pragma acc routine vector
static int sum_of(const int *a, int n)
{
    int sum = 0;
#pragma acc loop vector reduction(+: sum)
    for (int i = 0; i < n; ++i)
        sum += a[i];
    return sum;
}

/* What a kernel needs is computed in it, and what is computed for its own sake in one of its own. */
static void between_kernels(int *restrict a, int *restrict b, int n)
{
#pragma acc kernels copy(a[0:n], b[0:n])
    {
        int m = n * 2, k = m + 1, unused = b[0]++;
        for (int i = 0; i < n; ++i)
            a[i] += k;
        b[1] = 2 * sum_of(a, b[0]++ ? n : 1);
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 4000);
    int *a = new_ints(n + 3, 1), *b = new_ints(n + 3, 2), sum = 0;
    with_a_number(a, &sum, n);
    SHOW("with a number", a, n);
    in_one_line(a, b, n);
    SHOW("in one line", a, n);
    printf("sum %d first %d\n", sum, under_a_condition(a, b, n));
    SHOW("under a condition", a, n);
    until(a, n);
    SHOW("until", a, n);
    called(a, n);
    SHOW("called", a, n);
    between_kernels(a, b, n);
    SHOW("between kernels", b, n);
    by_another_name(a, a, n);
    SHOW("by another name", a, n);
    return 0;
}
