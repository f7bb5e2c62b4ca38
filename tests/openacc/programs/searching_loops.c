/* Sequential loops that a break leaves: their variables tell where, behind them too. */
#include "show.h"

static void in_every_thread(int n, const int *restrict a, int *restrict found)
{
    int k;
#pragma acc parallel loop gang vector copyin(a[0:n]) copyout(found[0:n]) private(k)
    for (int i = 0; i < n; ++i) {
#pragma acc loop seq
        for (k = 0; k < n; ++k)
            if (a[k] % 7 == i % 11)
                break;
        found[i] = k;
    }
}

static void in_every_gang(int n, const int *restrict a, int *restrict found)
{
#pragma acc parallel loop gang copyin(a[0:n]) copy(found[0:n])
    for (int i = 0; i < n; ++i) {
        int k, steps = 0;
#pragma acc loop seq
        for (k = i; k < n; ++k) {
            if (a[k] % 5 == 1)
                break;
            ++steps;
        }
#pragma acc loop vector
        for (int j = 0; j < 40; ++j)
            if (j == k % 40)
                found[i] += k + steps;
    }
}

static void alone(int n, int *a, int *found)
{
    int k = 77;
#pragma acc serial copy(a[0:n], found[0:n])
    {
#pragma acc loop seq
        for (k = 0; k < n; ++k)
            if (a[k] % 9 == 2)
                break;
        found[0] = k;
    }
#pragma acc kernels copy(a[0:n], found[0:n])
    {
#pragma acc loop seq
        for (k = n - 1; k > 0; --k)
            if (a[k] % 9 == 2)
                break;
#pragma acc loop independent
        for (int i = 1; i < n; ++i)
            found[i] += a[i];
    }
    found[0] += 3 * k;
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300), *a = new_ints(n, 1), *found = new_ints(n, 2);
    in_every_thread(n, a, found);
    SHOW("in_every_thread", found, n);
    in_every_gang(n, a, found);
    SHOW("in_every_gang", found, n);
    alone(n, a, found);
    SHOW("alone", found, n);
    free(a);
    free(found);
    return 0;
}
