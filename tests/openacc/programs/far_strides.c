/* A reduction whose index would pass the largest int if the loop ended much later. */
#include "show.h"

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 2147010000;
    long last = 0;
#pragma acc parallel loop reduction(+: last)
    for (int i = 2147000000; i < n; ++i)
        last += i % 1000;
    printf("%ld\n", last);
    return 0;
}
