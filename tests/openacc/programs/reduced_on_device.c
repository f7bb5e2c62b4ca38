/* An array on the device takes part in its reduction and gets the result; the host's does where there is none. */
#include "show.h"

static void present(int *c, const int *a, int n)
{
    fill(c, 3, 1000);
#pragma acc data copy(c[0:3]) copyin(a[0:n])
    {
        fill(c, 3, 5);
#pragma acc parallel loop reduction(+: c[0:3])
        for (int i = 0; i < n; ++i)
            c[i % 3] += a[i];
        expect("the host's array is as it was", all_are(c, 3, 5));
    }
    int sum = 0;
    for (int i = 0; i < n; ++i)
        sum += a[i];
    expect("the device's array has the sums", c[0] + c[1] + c[2] == sum + 3000);
}

static void absent(int *c, const int *a, int n)
{
    int sum = 0;
    fill(c, 3, 5);
#pragma acc parallel loop reduction(+: c[0:3]) copyin(a[0:n])
    for (int i = 0; i < n; ++i)
        c[i % 3] += a[i];
    for (int i = 0; i < n; ++i)
        sum += a[i];
    expect("the host's array has the sums", c[0] + c[1] + c[2] == sum + 15);
}

/* Two kernels of one construct, whose results come together at its end. */
static void twice(const int *a, int n)
{
    int evens = 0, odds[2] = {0, 0}, sum = 0;
#pragma acc kernels copyin(a[0:n])
    {
#pragma acc loop independent reduction(+: evens)
        for (int i = 0; i < n; i += 2)
            evens += a[i];
#pragma acc loop independent reduction(+: odds)
        for (int i = 1; i < n; i += 2)
            odds[i / 2 % 2] += a[i];
    }
    for (int i = 0; i < n; ++i)
        sum += a[i];
    expect("both kernels have their sums", evens + odds[0] + odds[1] == sum);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    int *a = new_ints(n, 1), *c = new_ints(3, 2);
    present(c, a, n);
    absent(c, a, n);
    twice(a, n);
    return wrong_lines;
}
