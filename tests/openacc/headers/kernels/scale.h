#ifndef SCALE_H
#define SCALE_H
#include "once.h"

static inline void scale(float *a, int n, float factor)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i)
        a[i] *= factor;
}

#endif
