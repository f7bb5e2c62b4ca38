/* Indices that memory holds: a checked tile, written back by marks, and one with tags; atomic counts. */
#include <stdio.h>
#include <stdlib.h>
#define N 256

static int where[N], value[N + 32], out[N], bins[16], moved[N + 4];

static void gather(void)
{
#pragma acc parallel loop copyin(where, value) copyout(out) vector_length(64)
    for (int i = 0; i < N; i++) {
#pragma acc cache(value[i:16])
        out[i] = value[i + where[i] + 1] + value[i];
    }
}

static void spread(void)
{
#pragma acc parallel loop copyin(where) copy(moved) vector_length(64)
    for (int i = 0; i < N; i++) {
#pragma acc cache(moved[i:1])
        {
            if (where[i] & 1)
                moved[i] = where[i];
            moved[i] += i;
        }
    }
}

static void count(void)
{
#pragma acc parallel loop copyin(where) copy(bins) vector_length(64)
    for (int i = 0; i < N; i++) {
#pragma acc atomic update
        bins[where[i]] += i;
    }
}

int main(void)
{
    for (int i = 0; i < N; i++)
        where[i] = i % 16, value[i] = i * 3, moved[i] = 1000 - i;
    gather();
    spread();
    count();
    unsigned hash = 0;
    for (int i = 0; i < N; i++)
        hash = hash * 31 + (unsigned)(out[i] ^ moved[i] ^ bins[i % 16]);
    printf("%08x\n", hash);
    return 0;
}
