/* Threads of a block stride over numbers that are near to the end of int. */
#include "show.h"

int main(int argc, char **argv)
{
    int limit = size_argument(argc, argv, 1 << 30), n = 1500, first = limit - n;
    int *a = new_ints(3 * n, 1), *turned = new_ints(n, 2);
#pragma acc parallel loop gang num_workers(4) vector_length(32) copy(a[0:3*n])
    for (int k = 0; k < 3; ++k) {
#pragma acc loop worker
        for (int i = first; i < limit; i += 100) {
#pragma acc loop vector
            for (int j = 0; j < 100; ++j)
                a[k*n + i + j - first] += i % (k + 2);
        }
    }
#pragma acc parallel copy(turned[0:n])
    {
#pragma acc loop vector
        for (int i = -first; i > -limit; --i)
            turned[-i - first] += i / 7;
#pragma acc loop vector
        for (int i = -first; i > -limit; --i)
            turned[-i - first] *= 3;
    }
    SHOW("ints", a, 3 * n);
    SHOW("ints", turned, n);
    free(a);
    free(turned);
    return 0;
}
