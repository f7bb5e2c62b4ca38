/* Atomic accesses: in memory and in a gang's own array, results handed out, and operations CUDA has no function for. */
#include "show.h"

#define BINS 24

void histogram(const int *keys, int *bins, int n)
{
#pragma acc parallel loop copyin(keys[0:n]) copy(bins[0:BINS])
    for (int i = 0; i < n; ++i) {
#pragma acc atomic
        bins[keys[i]]++;
    }
}

/* Each gang counts on its own, adds that to the whole, and takes room for its even keys. */
void choose(const int *keys, int *restrict bins, int *restrict kept, int *restrict top, int n)
{
    int chunks = (n + 99) / 100, used = 0;
#pragma acc parallel loop gang vector_length(64) copyin(keys[0:n]) copy(bins[0:BINS], used, top[0:1]) copy(kept[0:n])
    for (int c = 0; c < chunks; ++c) {
        int local[BINS], even = 0, first;
        int end = (c + 1) * 100 < n ? (c + 1) * 100 : n;
#pragma acc loop vector
        for (int b = 0; b < BINS; ++b)
            local[b] = 0;
#pragma acc loop vector
        for (int i = c * 100; i < end; ++i) {
#pragma acc atomic update
            local[keys[i]] += 1;
            if (keys[i] % 2 == 0) {
#pragma acc atomic
                ++even;
            }
        }
#pragma acc atomic capture
        {
            first = used;
            used += even;
        }
#pragma acc loop vector
        for (int b = 0; b < BINS; ++b) {
#pragma acc atomic
            bins[b] += local[b];
        }
#pragma acc atomic
        top[0] = local[0] + top[0];
#pragma acc loop vector
        for (int i = 0; i < even; ++i)
            kept[first + i] = 1;
    }
    printf("used %d\n", used);
}

/* Bytes, products and a value that is both read and replaced. */
void others(const int *keys, unsigned char *flags, double *product, float *last, int *most, int *seen, int n)
{
#pragma acc parallel loop copyin(keys[0:n]) copy(flags[0:BINS], product[0:1], last[0:1], most[0:1]) copyout(seen[0:n])
    for (int i = 0; i < n; ++i) {
        float before;
#pragma acc atomic
        flags[keys[i]] |= 1 << i % 8;
        if (keys[i] == 3) {
#pragma acc atomic
            product[0] *= -1;
        }
#pragma acc atomic
        most[0] = keys[i] > most[0] ? keys[i] : most[0];
#pragma acc atomic capture
        {
            before = last[0];
            last[0] = 7;
        }
#pragma acc atomic read
        seen[i] = last[0];
        seen[i] -= before > 7;
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 300), top = 0, sum = 0, most = 0;
    int *keys = filled_int(n, BINS), *kept = filled_int(n, 1), *seen = filled_int(n, 1), bins[BINS] = {0};
    unsigned char flags[BINS] = {0};
    double product = 1;
    float last = 0;
    histogram(keys, bins, n);
    choose(keys, bins, kept, &top, n);
    others(keys, flags, &product, &last, &most, seen, n);
    for (int i = 0; i < n; ++i)
        sum += kept[i] + seen[i];
    for (int b = 0; b < BINS; ++b)
        printf("%d %d\n", bins[b], flags[b]);
    printf("%d %g %g %d %d\n", top, product, last, most, sum);
    return 0;
}
