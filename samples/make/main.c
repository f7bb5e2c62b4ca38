#include "smooth.h"

#include <stdio.h>

enum { COUNT = 1000, ROUNDS = 100 };

int main(void)
{
    static float values[COUNT];
    values[COUNT / 2] = 1;
    smooth(values, COUNT, ROUNDS);

    double sum = 0;
    for (int i = 0; i < COUNT; ++i)
        sum += values[i];
    printf("sum %.3f, highest %.3f\n", sum, values[COUNT / 2]);
    return !(sum > 0.999 && sum < 1.001);
}
