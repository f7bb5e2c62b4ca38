/* What every input here needs: sizes from the command line, values that repeat, and results as text. */
#include <stdio.h>
#include <stdlib.h>

static int argument(int argc, char **argv, int number, int otherwise)
{
    return number < argc ? atoi(argv[number]) : otherwise;
}

/* The next of a row of small whole numbers; sums of them are exact. */
static int next(int below)
{
    static unsigned state = 1;
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (unsigned)below);
}

/* An array of its own size exactly, so that one element too far is out of bounds. */
static float *filled(long count)
{
    float *values = (float *)malloc((count ? count : 1) * sizeof *values);
    for (long k = 0; k < count; ++k)
        values[k] = (float)(next(2000) - 1000);
    return values;
}

static int *filled_int(long count, int below)
{
    int *values = (int *)malloc((count ? count : 1) * sizeof *values);
    for (long k = 0; k < count; ++k)
        values[k] = next(below);
    return values;
}

static void show(const char *name, const float *values, long count)
{
    for (long k = 0; k < count; ++k)
        printf("%s[%ld] = %.9g\n", name, k, values[k]);
}
