/* Members of structures and unions without names: read, written, in tiles, by pointers, attached. */
#include <stdio.h>
#include <stdlib.h>
struct node {
    int id;
    union {
        struct { double *values; int count; };
        long pad[4];
    };
};
struct tagged {
    int kind;
    union { int i; float f; unsigned bits; };
    struct { int a; struct { int b, c; }; } named;
    struct { int low : 5, high : 7; };
};

static struct tagged table[4];
#pragma acc declare create(table)
#pragma acc routine seq
static int total(const struct tagged *t)
{
    return t->i + t->named.b + t->named.c + t->high;
}

int main(void)
{
    struct node n = {.id = 3};
    n.count = 20;
    n.values = malloc(20 * sizeof *n.values);
    for (int i = 0; i < 20; ++i)
        n.values[i] = i;
#pragma acc data copy(n, n.values[0:n.count])
#pragma acc parallel loop present(n)
    for (int i = 0; i < n.count; ++i)
        n.values[i] += n.id;
    for (int i = 0; i < 20; ++i)
        printf("%g\n", n.values[i]);
    struct tagged t[30] = {{0}};
    for (int i = 0; i < 30; ++i) {
        t[i].kind = i % 3;
        t[i].i = i;
        t[i].named.b = 2;
        t[i].named.c = 3;
        t[i].low = t[i].high = 9;
    }
    for (int i = 0; i < 4; ++i)
        table[i].i = i;
    int sum = 0;
#pragma acc update device(table)
#pragma acc parallel loop copy(t) reduction(+: sum)
    for (int i = 1; i < 29; ++i) {
        struct tagged mine = {1, {7}};
#pragma acc cache(t[i - 1:3])
        if (t[i].kind == 1)
            t[i].f = 1.5f;
        else
            t[i].bits ^= 5u;
        t[i].high = t[i].low + i;
        mine.i += table[i & 3].i;
        struct tagged *q = &mine;
        q->i++;
        sum += mine.i + q->named.a + (t[i].kind != 1 ? total(&t[i]) : 0);
    }
    int read = 0;
#pragma acc parallel loop copyin(t) reduction(+: read)
    for (int i = 1; i < 29; ++i) {
#pragma acc cache(t[i - 1:3])
        read += t[i - 1].kind + (int)t[i].bits % 99 + t[i + 1].high;
    }
    printf("%d\n", read);
    for (int i = 0; i < 30; ++i)
        printf("%d %x %d %d\n", t[i].kind, t[i].bits, t[i].named.c, t[i].high);
    printf("%d %zu\n", sum, sizeof t[0].f);
    return 0;
}
