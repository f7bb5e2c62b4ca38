/* A reduction of an array: sums of points by their class. */
#include "problem.h"
#define CLASSES 16

static void add(int n, const unsigned char *restrict group, const float *restrict x, float sum[CLASSES])
{
#pragma acc parallel loop reduction(+:sum[0:CLASSES]) copyin(group[0:n], x[0:n])
    for (int i = 0; i < n; ++i)
        sum[group[i]] += x[i];
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 1 << 15);
    float sum[CLASSES] = {0};
    ALLOCATE(unsigned char, group, n);
    ALLOCATE(float, x, n);
    for (int i = 0; i < n; ++i) {
        group[i] = (unsigned char)(CLASSES * input(i)) % CLASSES;
        x[i] = (float)(16 * input(i + 7));
    }
    add(n, group, x, sum);
    REPORT(sum, CLASSES, n);
    return 0;
}
