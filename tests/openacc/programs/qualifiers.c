/* volatile and restrict of data, pointers in structures and in arrays. */
#include "show.h"

struct column { double *restrict cells; volatile int *counts; volatile int hits; };

void volatile_data(int n)
{
    static volatile int table[100];
    volatile int step = 3;
    struct column c;
    volatile int *seen = malloc(n * sizeof *seen);
    c.hits = 1;
    c.counts = malloc(n * sizeof *c.counts);
    for (int i = 0; i < n; ++i)
        c.counts[i] = seen[i] = i;
#pragma acc parallel loop copy(table, step)
    for (int i = 0; i < 100; ++i)
        table[i] += step * i;
#pragma acc data copy(table, step, c, c.counts[0:n], seen[0:n])
    {
#pragma acc parallel loop
        for (int i = 0; i < n; ++i) {
            c.counts[i] += c.hits + step;
            seen[i]++;
        }
#pragma acc update self(table, seen[0:n])
#pragma acc host_data use_device(seen)
#pragma acc parallel loop deviceptr(seen)
        for (int i = 0; i < n; ++i)
            seen[i] *= 2;
    }
    long sum = 0;
    for (int i = 0; i < n; ++i)
        sum = sum * 31 % 1000003 + c.counts[i] + seen[i] + table[i % 100];
    printf("volatile_data %ld\n", sum);
}

void restricted_pointers(int n)
{
    struct column c;
    double *restrict rows[3], *other = malloc(n * sizeof *other);
    c.cells = malloc(n * sizeof *c.cells);
    for (int r = 0; r < 3; ++r)
        rows[r] = malloc(n * sizeof *rows[r]);
    for (int i = 0; i < n; ++i)
        rows[0][i] = rows[1][i] = rows[2][i] = c.cells[i] = other[i] = i;
#pragma acc data copyin(c) copy(c.cells[0:n])
#pragma acc parallel loop present(c)
    for (int i = 0; i < n; ++i)
        c.cells[i] += 1;
#pragma acc enter data copyin(c, c.cells[0:n])
#pragma acc parallel loop present(c)
    for (int i = 0; i < n; ++i)
        c.cells[i] *= 2;
#pragma acc exit data copyout(c.cells[0:n]) delete(c)
    c.cells = other;
#pragma acc enter data copyin(c, other[0:n])
#pragma acc enter data attach(c.cells)
#pragma acc parallel loop present(c)
    for (int i = 0; i < n; ++i)
        c.cells[i] -= 0.5;
#pragma acc exit data detach(c.cells)
#pragma acc exit data delete(c) copyout(other[0:n])
#pragma acc parallel loop copy(rows[0:3][0:n])
    for (int i = 0; i < n; ++i)
        for (int r = 0; r < 3; ++r)
            rows[r][i] *= r;
    SHOW("cells", c.cells, n);
    SHOW("row", rows[2], n);
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    volatile_data(n);
    restricted_pointers(n);
    return 0;
}
