/* Structures that hold the limit of a loop beside what the loop writes; offsets of members; steps of small types. */
#include <stddef.h>
#include <stdio.h>

struct cell {
    char kind;
    double value[4];
};
static struct {
    int count, factor;
    double values[300];
    struct {
        int first, ends[2];
    } range;
    struct cell cells[40];
} all = {300, 7};

int main(void)
{
    size_t offsets[64], sum = 0;
    double total = 0;
    all.range.first = 3;
    all.range.ends[1] = 200;
#pragma acc parallel loop copy(all)
    for (int i = 0; i < all.count; ++i)
        all.values[i] = i * all.factor;
#pragma acc parallel loop copy(all)
    for (int i = all.range.first; i < all.range.ends[1]; ++i) {
        all.values[i] += 1;
        if (i == 50)
            all.factor = 4;
    }
#pragma acc parallel loop copyout(offsets)
    for (int i = 0; i < 64; ++i)
        offsets[i] = offsetof(struct cell, value) + i * offsetof(struct cell, value[1]) +
                     offsetof(struct cell, value[i % 3]);
#pragma acc parallel loop copy(all)
    for (unsigned char i = 3; i < 250; i += 7)
        all.values[i] += i;
#pragma acc parallel loop copy(all)
    for (unsigned char i = 3; i <= 248; i += 7)
        all.values[i] -= 2;
#pragma acc parallel loop copy(all)
    for (signed char i = 120; i > -120; i -= 8)
        all.values[i + 120] *= 2;
    for (int i = 0; i < 300; ++i)
        total += all.values[i] * (i % 3);
    for (int i = 0; i < 64; ++i)
        sum = 3 * sum + offsets[i];
    printf("%g %d %zu\n", total, all.factor, sum);
    return 0;
}
