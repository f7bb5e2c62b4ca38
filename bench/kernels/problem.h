/* What the programs of this folder share: input that is the same everywhere, and what they print.
   A program takes its size as its argument; "units" is the work that bench/cost divides by. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Numbers from 0 to 1, in steps of 1/1024, so that short sums of them are exact. */
static inline double input(long i)
{
    return (double)((uint32_t)i * 2654435761u >> 22) / 1024.0;
}

static inline long size_of(int argc, char **argv, long otherwise)
{
    return argc > 1 ? atol(argv[1]) : otherwise;
}

#define FILL(array, count) \
    for (long item = 0; item < (long)(count); ++item) \
        (array)[item] = input(item)

#define ALLOCATE(type, name, count) type *name = (type *)malloc((size_t)(count) * sizeof *name)

#define REPORT(array, count, units) \
    do { \
        double checksum = 0; \
        for (long item = 0; item < (long)(count); ++item) \
            checksum += (double)(array)[item] * (1 + item % 7); \
        printf("checksum %.9g\nunits %ld\n", checksum, (long)(units)); \
    } while (0)
