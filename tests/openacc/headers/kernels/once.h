#pragma once

static void add_one(int *b, int n)
{
#pragma acc kernels copy(b[0:n])
    for (int i = 0; i < n; ++i)
        b[i] += 1;
}
