/* Updates of an array that is counted in copies of blocks where it lies apart from what it counts, and not where they overlap. */
#include "show.h"

static void count(int n, int *bins, int *keys)
{
#pragma acc parallel loop present(bins[0:64], keys[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc atomic
        bins[keys[i] & 15] += 1;
    }
}

int main(int argc, char **argv)
{
    const int n = size_argument(argc, argv, 300), size = n + 100;
    int *pool = new_ints(size, 3), *bins = new_ints(64, 7);
#pragma acc data copy(pool[0:size], bins[0:64])
    {
        count(n, bins, pool);
        count(n, pool, pool + 20); /* the sections overlap, the elements that are used do not */
        count(n, pool + n + 20, pool);
    }
    SHOW("pool", pool, size);
    SHOW("bins", bins, 64);
    return 0;
}
