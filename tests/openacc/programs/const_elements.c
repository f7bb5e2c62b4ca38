/* Const types in kernels, where copies are filled after their declaration: const hidden by typedef names, const arrays
   of gangs, and structures with const members, which no tile can hold. */
#include <stdio.h>
#include <stdlib.h>
typedef const float fixed;
typedef fixed also_fixed;
typedef const struct pair {
    int a, b;
} fixed_pair;
typedef const struct {
    int a, b;
} only_name;
struct named {
    const int label;
    int value;
};
struct outer {
    struct named parts[2];
    int last;
};

static only_name constants[4] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};

static void tiles(int n, also_fixed *q, fixed_pair *p, const struct outer *o, int *result)
{
    fixed weights[4] = {1, 2, 3, 4};
#pragma acc parallel loop copyin(q[0:n], p[0:n], o[0:n], constants) copyout(result[0:n]) firstprivate(weights)
    for (int i = 0; i < n; i++) {
        fixed before = q[i] + 1;
        {
#pragma acc cache(q[i:1], p[i:1], o[i:1], constants[0:4])
            fixed square = q[i] * q[i];
            fixed_pair pair = p[i];
            result[i] = (int)(square + before * weights[i % 4]) + pair.a * p[i].b;
            result[i] += o[i].last + o[i].parts[1].value + constants[i % 4].a * constants[0].b;
        }
    }
}

static void gangs(int n, fixed *q, int *result)
{
#pragma acc parallel copyin(q[0:n]) copy(result[0:n])
    {
        fixed some = q[0] + 3;
        fixed hidden[3] = {1, 2, some};
        const float written[2] = {some, 4};
#pragma acc loop gang
        for (int g = 0; g < n; g += 16) {
            fixed own = q[g] + some;
            fixed *address = &own;
#pragma acc loop vector
            for (int i = 0; i < 16; i++)
                if (g + i < n)
                    result[g + i] += (int)(*address * i + hidden[i % 3] + written[i % 2]);
        }
    }
}

static const float unwritable[4] = {1, 2, 3, 4};

static void objects(int n, int *result)
{
    static const struct { int n, m; } both = {3, 4};
    const int factor = 7;
#pragma acc parallel loop copy(unwritable, both, factor) copy(result[0:n])
    for (int i = 0; i < n; i++)
        result[i] += (int)unwritable[i % 4] + both.m * factor;
#pragma acc enter data copyin(unwritable)
#pragma acc data copy(both)
#pragma acc parallel loop present(unwritable, both) copy(result[0:n])
    for (int i = 0; i < n; i++)
        result[i] -= (int)unwritable[i % 4] * both.n;
#pragma acc exit data copyout(unwritable)
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    float *q = malloc(n * sizeof *q);
    struct pair *p = malloc(n * sizeof *p);
    struct outer *o = calloc(n, sizeof *o);
    int *result = malloc(n * sizeof *result);
    for (int i = 0; i < n; i++) {
        q[i] = i % 50;
        p[i].a = i, p[i].b = 2 * i;
        o[i].last = 3 * i, o[i].parts[1].value = i / 2;
    }
    tiles(n, q, p, o, result);
    gangs(n, q, result);
    objects(n, result);
    for (int i = 0; i < n; i++)
        printf("%d\n", result[i]);
    free(q), free(p), free(o), free(result);
}
