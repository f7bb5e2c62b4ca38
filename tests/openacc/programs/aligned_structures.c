/* Structures that attributes align as a whole, as CUDA's own are: alone, in others, in arrays, tiles and routines. */
#include "show.h"

struct __attribute__((aligned(8))) pair {
    float x, y;
};
typedef struct {
    char kind;
    struct pair at;
} __attribute__((__aligned__(16))) item;
union __attribute__((aligned(8))) word {
    double whole;
    struct {
        int low, high;
    } __attribute__((aligned(16))) parts;
};
typedef struct pair pair;

static pair turned(pair p)
{
    pair q = {p.y, -p.x};
    return q;
}

int main(int argc, char **argv)
{
    const int n = size_argument(argc, argv, 300);
    item *items = malloc((n + 2) * sizeof *items);
    pair *pairs = malloc((n + 2) * sizeof *pairs);
    union word *words = malloc((n + 1) * sizeof *words);
    long *sizes = malloc((n + 1) * sizeof *sizes);
    memset(words, 0, (n + 1) * sizeof *words);
    memset(items, 0, (n + 2) * sizeof *items);
    for (int i = 0; i < n + 2; ++i) {
        pairs[i].x = noise(i, 1);
        pairs[i].y = noise(i, 2);
    }
#pragma acc parallel loop copyin(pairs[0:n+2]) copy(items[0:n], words[0:n]) copyout(sizes[0:n])
    for (int i = 0; i < n; ++i) {
        struct {
            char a;
            pair b;
        } __attribute__((aligned(16))) own = {1, turned(pairs[i])};
#pragma acc cache(pairs[i:3])
        items[i].kind = own.a + i % 3;
        items[i].at.x = own.b.x + pairs[i + 2].y;
        items[i].at.y = pairs[i + 1].x;
        words[i].parts.high = i;
        sizes[i] = 1000000 * sizeof(item) + 10000 * sizeof(union word) + 100 * sizeof(pair) + sizeof own;
    }
    SHOW("items", items, n);
    SHOW("words", words, n);
    SHOW("sizes", sizes, n);
    return 0;
}
