/* memcpy and memset in kernels: of a thread's arrays, between loops, in routines, and of what is mapped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 40

struct pair {
    int left, right[3];
};

static int sorted(const int *values)
{
    int copy[4];
    memcpy(copy, values, sizeof copy);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3 - i; ++j)
            if (copy[j] > copy[j + 1]) {
                int other = copy[j];
                copy[j] = copy[j + 1];
                copy[j + 1] = other;
            }
    return copy[0] + 10 * copy[1] + 100 * copy[2] + 1000 * copy[3];
}

static void threads(const int *a, int *out, struct pair *pairs, int n)
{
#pragma acc parallel loop copyin(a[0:n*4]) copyout(out[0:n], pairs[0:n])
    for (int i = 0; i < n; ++i) {
        int counts[10];
        struct pair one;
        memset(counts, 0, sizeof counts);
        __builtin_memset(&one, 255, sizeof one);
        memcpy(&one.right[1], a + 4 * i, 2 * sizeof(int));
        for (int k = 0; k < 4; ++k)
            counts[a[4 * i + k]]++;
        memcpy(&pairs[i], &one, sizeof one);
        out[i] = sorted(&a[4 * i]) + counts[a[4 * i]];
    }
}

static void rows(int *a, int n)
{
#pragma acc parallel loop gang vector_length(32) copy(a[0:n*WIDTH])
    for (int row = 0; row < n; ++row) {
        int *mine = a + row * WIDTH, before[WIDTH];
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            mine[j] += j;
        memcpy(before, mine, sizeof before);
        memset(mine, row % 2 ? 0 : -1, WIDTH / 2 * sizeof *mine);
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            mine[j] += before[WIDTH - 1 - j];
    }
}

static void in_order(int *a, int n)
{
#pragma acc kernels copy(a[0:n*4])
    for (int i = 1; i < n; ++i)
        memcpy(a + 4 * i, a + 4 * i - 2, 2 * sizeof *a);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 50;
    int *a = malloc(4 * n * sizeof *a), *out = malloc(n * sizeof *out), *lines = malloc(n * WIDTH * sizeof *lines);
    struct pair *pairs = malloc(n * sizeof *pairs);
    unsigned long sum = 0;
    for (int i = 0; i < 4 * n; ++i)
        a[i] = i * 7 % 10;
    for (int i = 0; i < n * WIDTH; ++i)
        lines[i] = i;
    threads(a, out, pairs, n);
    rows(lines, n);
    in_order(a, n);
    for (int i = 0; i < n; ++i)
        sum = sum * 31 + out[i] + pairs[i].left + pairs[i].right[1] + 3 * pairs[i].right[2] + a[4 * i] + 5 * a[4 * i + 1];
    for (int i = 0; i < n * WIDTH; ++i)
        sum = sum * 31 + lines[i];
    printf("%lu\n", sum);
    return 0;
}
