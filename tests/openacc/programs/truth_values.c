/* ++ and -- of truth values, which C++ lacks: as statements and values, of members, locals and cached elements. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
typedef bool flag;
typedef enum { ZERO, ONE, TWO } count;
struct switches {
    bool on;
    flag others[2];
};

#pragma acc routine seq
static int all_forms(bool *place)
{
    bool own = *place;
    int bits = own--;
    bits = 2 * bits + own++;
    bits = 2 * bits + --own;
    bits = 2 * bits + ++own;
    (*place)--;
    return 2 * bits + *place;
}

static void plain(int n, flag *a, bool *b, struct switches *s, count *e, int *result)
{
#pragma acc parallel loop copy(a[0:n], b[0:n], s[0:n], e[0:n]) copyout(result[0:n]) vector_length(32)
    for (int i = 0; i < n; i++) {
        bool own = i & 1;
        int next = i;
        a[i]--;
        result[i] = b[next--]-- + 2 * --a[i] + 4 * s[i].on-- + 8 * ++s[i].others[1] + 16 * (s[i].others[0]++ && own);
        --s[i].on, own++;
        result[i] += 32 * own-- + 64 * own + 128 * all_forms(&own) + next;
        result[i] += (e[i]++ == ONE) + 2 * --e[i];
        for (bool twice = true; twice; twice--)
            result[i] += 10000;
        if (a[i]++ && !b[i])
            result[i] += 20000;
    }
}

static void cached(int n, flag *restrict a, bool *restrict b, count *restrict e, int *restrict result)
{
#pragma acc parallel loop copy(a[0:n], b[0:n], e[0:n], result[0:n]) vector_length(32)
    for (int i = 0; i < n; i++) {
#pragma acc cache(a[i:1], b[i:1], e[i:1])
        a[i]--;
        ++b[i];
        result[i] += --a[i] + 2 * b[i] + 4 * e[i];
        e[i]++;
        b[i]--;
        result[i] += a[i] + b[i] + e[i];
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 100;
    flag *a = malloc(n * sizeof *a);
    bool *b = malloc(n * sizeof *b);
    struct switches *s = malloc(n * sizeof *s);
    count *e = malloc(n * sizeof *e);
    int *result = malloc(n * sizeof *result);
    for (int i = 0; i < n; i++) {
        a[i] = i & 1, b[i] = i & 2, e[i] = i % 2;
        s[i] = (struct switches){i & 4, {i & 8, i & 1}};
    }
    plain(n, a, b, s, e, result);
    cached(n, a, b, e, result);
    for (int i = 0; i < n; i++)
        printf("%d %d %d %d %d %d %d\n", a[i], b[i], s[i].on, s[i].others[0], s[i].others[1], e[i], result[i]);
    free(a), free(b), free(s), free(e), free(result);
}
