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
} state = {300, 7};

int main(void)
{
    size_t offsets[64], sum = 0;
    double total = 0;
    state.range.first = 3;
    state.range.ends[1] = 200;
#pragma acc parallel loop copy(state)
    for (int i = 0; i < state.count; ++i)
        state.values[i] = i * state.factor;
#pragma acc parallel loop copy(state)
    for (int i = state.range.first; i < state.range.ends[1]; ++i) {
        state.values[i] += 1;
        if (i == 50)
            state.factor = 4;
    }
#pragma acc parallel loop copyout(offsets)
    for (int i = 0; i < 64; ++i)
        offsets[i] = offsetof(struct cell, value) + i * offsetof(struct cell, value[1]) +
                     offsetof(struct cell, value[i % 3]);
#pragma acc parallel loop copy(state)
    for (unsigned char i = 3; i < 250; i += 7)
        state.values[i] += i;
#pragma acc parallel loop copy(state)
    for (unsigned char i = 3; i <= 248; i += 7)
        state.values[i] -= 2;
#pragma acc parallel loop copy(state)
    for (signed char i = 120; i > -120; i -= 8)
        state.values[i + 120] *= 2;
    for (int i = 0; i < 300; ++i)
        total += state.values[i] * (i % 3);
    for (int i = 0; i < 64; ++i)
        sum = 3 * sum + offsets[i];
    printf("%g %d %zu\n", total, state.factor, sum);
    return 0;
}
