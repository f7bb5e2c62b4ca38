/* A gang's own array, filled, changed and read by three vector loops, twice. */
#include "show.h"

#define CHUNK 96

void scratch(const float *a, float *b, int n)
{
#pragma acc parallel loop gang vector_length(64) copyin(a[0:n*CHUNK]) copy(b[0:n*CHUNK])
    for (int g = 0; g < n; ++g) {
        float local[CHUNK];
#pragma acc cache(local[0:CHUNK])
        for (int round = 0; round < 2; ++round) {
#pragma acc loop vector independent
            for (int k = 0; k < CHUNK; ++k)
                local[k] = a[g*CHUNK + k] + round;
#pragma acc loop vector independent
            for (int k = 0; k < CHUNK / 2; ++k)
                local[k] += local[CHUNK - 1 - k];
#pragma acc loop vector independent
            for (int k = 1; k < CHUNK / 2; ++k)
                b[g*CHUNK + k] += local[k - 1] + round * local[k];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 3);
    float *a = filled(n * CHUNK), *b = filled(n * CHUNK);
    scratch(a, b, n);
    show("b", b, n * CHUNK);
    return 0;
}
