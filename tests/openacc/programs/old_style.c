/* Functions that declare their parameters behind the parentheses. */
#include "show.h"

static int sum(values, count, start)
    int values[], count;
    int start;
{
    int total = start;
#pragma acc parallel loop copyin(values[0:count]) reduction(+: total)
    for (int i = 0; i < count; ++i)
        total += values[i];
    return total;
}

int main(argc, argv)
    int argc;
    char **argv;
{
    int n = size_argument(argc, argv, 150), *values = new_ints(n, 3), total = sum(values, n, 5);
    show("sum", &total, sizeof total);
    free(values);
    return 0;
}
