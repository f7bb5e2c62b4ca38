/* Threads of one block all go their own way through two arrays, so that each block has its reasons to give lines to
   both, to one, to none, or to leave before it has seen enough. */
#include <stdio.h>
#include <stdlib.h>

enum { width = 64, blocks = 6, threads = width * blocks, room = 512 };

int main(void)
{
    static const int kinds[blocks][3] = {{1, 1, 32}, {1, 1, 32}, {1, 1, 32}, {1, 16, 32}, {16, 16, 32}, {1, 1, 3}};
    int *restrict from = malloc(threads * 3 * sizeof(int));
    int *restrict a = malloc(threads * room * sizeof(int)), *restrict b = malloc(threads * room * sizeof(int));
    for (int t = 0; t < threads; ++t)
        for (int k = 0; k < 3; ++k)
            from[3 * t + k] = kinds[t / width][k];
    for (int i = 0; i < threads * room; ++i) {
        a[i] = i * 7;
        b[i] = i;
    }
#pragma acc parallel loop vector_length(width) copyin(a[0:threads*room], from[0:3*threads]) copy(b[0:threads*room])
    for (int t = 0; t < threads; ++t) {
        const int step = from[3 * t], other = from[3 * t + 1], rounds = from[3 * t + 2];
#pragma acc loop seq
#pragma acc cache(a, b)
        for (int k = 0; k < rounds; ++k)
            b[t * room + k * other] = a[t * room + k * step] + k;
    }
    unsigned sum = 0;
    for (int i = 0; i < threads * room; ++i)
        sum = sum * 31 + (unsigned)b[i];
    printf("%u\n", sum);
    free(from);
    free(a);
    free(b);
    return 0;
}
