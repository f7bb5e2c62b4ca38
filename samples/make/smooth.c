#include "smooth.h"

#include <stdlib.h>

static void step(const float *restrict from, float *restrict to, int count)
{
#pragma acc parallel loop present(from[0:count], to[0:count])
    for (int i = 1; i < count - 1; ++i) {
        float sum = 0;
#pragma acc cache(from[i-1:3])
        for (int j = i - 1; j <= i + 1; ++j)
            sum += from[j];
        to[i] = sum / 3;
    }
}

void smooth(float *values, int count, int rounds)
{
    float *const other = malloc(count * sizeof *other);
    for (int i = 0; i < count; ++i)
        other[i] = values[i];
#pragma acc data copy(values[0:count]) copyin(other[0:count])
    {
        for (int round = 0; round < rounds; round += 2) {
            step(values, other, count);
            step(other, values, count);
        }
    }
    free(other);
}
