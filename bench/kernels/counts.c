/* A histogram of 64 bins, each gang counting in an array of its own in shared memory. */
#include "problem.h"
#define BINS 64
#define GANG 4096

static void count(int n, const unsigned char *restrict key, int *restrict total)
{
#pragma acc parallel loop gang vector_length(128) copyin(key[0:n]) copy(total[0:BINS])
    for (int g = 0; g < n; g += GANG) {
        int bin[BINS];
#pragma acc cache(bin[0:BINS])
#pragma acc loop vector
        for (int b = 0; b < BINS; ++b)
            bin[b] = 0;
#pragma acc loop vector
        for (int i = g; i < g + GANG; ++i)
            if (i < n) {
#pragma acc atomic
                bin[key[i] % BINS]++;
            }
#pragma acc loop vector
        for (int b = 0; b < BINS; ++b) {
#pragma acc atomic
            total[b] += bin[b];
        }
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
