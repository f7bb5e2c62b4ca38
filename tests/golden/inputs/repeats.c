/* A table that is read again and again, in an order that only the data knows. */
#include "show.h"

#define READS 12

void repeats(const float *table, const int *index, float *b, int n, int size)
{
#pragma acc parallel loop independent copyin(table[0:size], index[0:n*READS]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
#pragma acc cache(table[0:size])
        for (int k = 0; k < READS; ++k)
            sum = sum / 2 + table[index[i * READS + k]];
        b[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100), size = argument(argc, argv, 2, 30);
    float *table = filled(size), *b = filled(n);
    int *index = filled_int((long)n * READS, size);
    repeats(table, index, b, n, size);
    show("b", b, n);
    return 0;
}
