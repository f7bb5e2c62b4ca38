/* A histogram of 256 bins as it is written first: one loop, and an atomic update. */
#include "problem.h"
#define BINS 256

static void count(int n, const unsigned char *restrict key, int *restrict total)
{
#pragma acc parallel loop copyin(key[0:n]) copy(total[0:BINS])
    for (int i = 0; i < n; ++i) {
#pragma acc atomic
        total[key[i]]++;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 1 << 17);
    int total[BINS] = {0};
    ALLOCATE(unsigned char, key, n);
    for (int i = 0; i < n; ++i)
        key[i] = (unsigned char)(255 * input(i));
    count(n, key, total);
    REPORT(total, BINS, n);
    return 0;
}
