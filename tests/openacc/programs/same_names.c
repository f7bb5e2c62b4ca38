/* Variables of one name in several functions and blocks: a clause names the one of its place. */
#include "show.h"

void first(int *x, int n)
{
#pragma acc parallel loop copy(x[0:n]) default(none)
    for (int i = 0; i < n; ++i)
        x[i] += 1;
}

void second(int *x, int n)
{
#pragma acc parallel loop copy(x[0:n]) default(none)
    for (int i = 0; i < n; ++i)
        x[i] *= 3;
}

void device_addresses(int *x, int n)
{
    {
        int *sums = x;
        sums[0] += n;
    }
    {
        long found[4] = {1, 2, 3, 4}, *sums = found;
#pragma acc data copy(sums[0:4])
#pragma acc host_data use_device(sums)
#pragma acc parallel loop deviceptr(sums) reduction(+ : sums[0:4]) copyin(x[0:n])
        for (int i = 0; i < n; ++i)
            sums[i % 4] += x[i];
        for (int k = 0; k < 4; ++k)
            printf("%ld\n", found[k]);
    }
}

static int sum(const int *p, int n)
{
    int found = 0;
    while (n--)
        found += *p++;
    return found;
}

static void read_size(void *size) { *(int *)size += 1; }

/* what changes is another function's n, and this one's in front of the array */
void length(int n)
{
    read_size((void *)&n);
    int y[n];
#pragma acc parallel loop copyout(y)
    for (int i = 0; i < n; ++i)
        y[i] = i;
    printf("%d\n", sum(y, n));
#pragma acc parallel loop copy(y)
    for (int i = 0; i < n; ++i)
        y[i] += 1;
    SHOW("y", y, n);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 100);
    int *x = new_ints(n, 1);
    first(x, n);
    second(x, n);
    device_addresses(x, n);
    length(n);
    SHOW("x", x, n);
    return 0;
}
