// A gang's own array leaves no shared memory for lines, and arrays that may overlap do at the second call.
#include <stdio.h>
#include <stdlib.h>

#define GANGS 3
#define LANES 64
#define RECORDS 60
#define LOCAL ROOM

static void add(const int *a, int *b, int first)
{
#pragma acc parallel loop gang vector_length(LANES) copyin(a[0:GANGS*LANES*RECORDS]) copy(b[0:GANGS*LANES*RECORDS])
    for (int g = 0; g < GANGS; ++g) {
        char local[LOCAL];
#pragma acc loop vector
        for (int l = 0; l < LANES; ++l)
            local[l] = (char)(l + first);
#pragma acc loop vector
        for (int l = 0; l < LANES; ++l) {
#pragma acc loop seq
#pragma acc cache(a, b)
            for (int i = (g * LANES + l) * RECORDS; i < (g * LANES + l + 1) * RECORDS; ++i)
                b[i] += a[i] + local[(l + 1) % LANES];
        }
    }
}

int main(void)
{
    static int a[GANGS * LANES * RECORDS + 1], b[GANGS * LANES * RECORDS];
    for (int i = 0; i < GANGS * LANES * RECORDS; ++i) {
        a[i] = i * 7;
        b[i] = i % 50;
    }
    add(a, b, 1);
    add(a, a, 2);
    unsigned long long sum = 0;
    for (int i = 0; i < GANGS * LANES * RECORDS; ++i)
        sum = (sum * 31 + (unsigned)b[i]) * 31 + (unsigned)a[i];
    printf("%llu\n", sum);
    return 0;
}
