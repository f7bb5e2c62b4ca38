/* Bounds and sizes in clauses are the host's: variables that the kernel does not use, or has for itself. */
#include "show.h"

struct part { int first, count; };

static void memory_of_the_host(int *a, int n)
{
    int sizes[2] = {2, n}, *last = &sizes[1], grid[3][2] = {{0, 0}, {1, n}};
    struct part part = {1, n - 1}, *where = &part;
#pragma acc parallel loop copy(a[0:sizes[1]])
    for (int i = 0; i < n; ++i)
        a[i] += i;
#pragma acc parallel loop copy(a[0:*last]) num_gangs(sizes[0])
    for (int i = 0; i < n; ++i)
        a[i] *= 3;
#pragma acc kernels copy(a[where->first:where->count])
    for (int i = 1; i < n; ++i)
        a[i] -= i;
#pragma acc parallel loop copy(a[0:grid[1][1]], sizes) vector_length(sizes[0] * 32)
    for (int i = 0; i < n; ++i)
        a[i] += sizes[0];
    int sums[4] = {0};
#pragma acc parallel loop reduction(+: sums[sizes[0] - 1:2]) copyin(a[0:part.count + part.first])
    for (int i = 0; i < n; ++i)
        sums[1 + i % 2] += a[i];
    SHOW("memory of the host", a, n);
    SHOW("sums", sums, 4);
}

static void own_in_the_kernel(int *a, int n)
{
    int i = n, j = 1;
#pragma acc parallel loop copy(a[j:n - j]) private(j)
    for (int k = 1; k < n; ++k)
        for (j = 0; j < 3; ++j)
            a[k] += j * k;
#pragma acc parallel loop copy(a[0:i])
    for (i = 0; i < n; ++i)
        a[i] -= 5;
    i = n;
#pragma acc kernels copy(a[0:i])
    for (i = 0; i < n; ++i)
        a[i] *= 2;
    j = 2;
#pragma acc parallel loop gang copy(a[j:n - j])
    for (int k = 2; k < n; ++k) {
#pragma acc loop seq
        for (j = 0; j < 4; ++j)
            a[k] += j;
    }
    SHOW("own in the kernel", a, n);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300), *a = new_ints(n, 1);
    memory_of_the_host(a, n);
    own_in_the_kernel(a, n);
    return 0;
}
