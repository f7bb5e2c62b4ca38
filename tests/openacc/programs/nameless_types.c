/* Typedef names of pointers to, and arrays of, types without a tag: the names are all that there is to spell them. */
#include "show.h"

typedef struct {
    int cell[4];
} box, *box_pointer, box_pair[2];
typedef struct {
    float x, y;
} *point_pointer, point;
typedef union {
    int whole;
    unsigned char byte[4];
} *word;
typedef const struct {
    short low, high;
} *limits;
typedef struct {
    double weight;
} weights[3];
typedef enum { RED, GREEN, BLUE } colour, *colour_pointer;

#pragma acc routine seq
static int sum_of(box_pointer b, const box other)
{
    box_pointer next = b;
    return next->cell[0] + other.cell[3];
}

/* one name for the structure itself, and others after it */
static void boxes(box_pointer b, box_pair pair, int *out, int n)
{
#pragma acc parallel loop copyin(b[0:n], pair[0:2]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(b[i:1])
        box_pointer own = pair + i % 2;
        box copied = b[i];
        copied.cell[0] += b[i].cell[1] + b[i].cell[2];
        out[i] = sum_of(own, copied) + copied.cell[0] + (int)sizeof(*b);
    }
}

/* none, or only one behind the pointer's */
static void others(point_pointer points, word words, limits between, weights by, int *out, int n)
{
#pragma acc parallel loop copy(points[0:n]) copyin(words[0:n], between[0:1], by[0:3]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        point_pointer own = points + i;
        point moved = *own;
        own->y = moved.x + by[i % 3].weight;
        word last = &words[n - 1];
        out[i] = words[i].whole > between->low ? words[i].byte[0] : last->byte[1] + between->high;
    }
}

/* structures written out where members are declared, whose own members have types of this file, or of this function */
typedef union {
    unsigned all;
    unsigned char part[4];
} bits;
typedef struct {
    int key;
    struct {
        short low;
        bits of;
    } in[2];
} nested;

static void within(nested *a, int *out, int n)
{
    enum { PARTS = 3 };
    typedef struct {
        int left;
    } rest;
    struct {
        struct {
            rest of[PARTS];
        } in;
        int last;
    } held = { { { { 1 }, { 2 }, { 3 } } }, 4 };
#pragma acc parallel loop copy(a[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        a[i].in[1].of.all += held.in.of[i % PARTS].left;
        out[i] = a[i].in[0].of.part[1] + held.last;
    }
}

static void inside(int *out, int n)
{
    typedef struct {
        int key;
    } *entry, entries[3];
    entries made = { { 1 }, { 2 }, { 3 } };
    entry first = made;
    colour colours[3] = { BLUE, RED, GREEN };
    colour_pointer seen = colours;
#pragma acc parallel loop copyin(first[0:3], seen[0:3]) copy(out[0:n])
    for (int i = 0; i < n; ++i) {
        entry found = first + i % 3;
        colour_pointer painted = seen;
        out[i] += found->key + (painted[i % 3] == GREEN ? BLUE : RED);
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300), *out = new_ints(n, 1);
    box_pointer b = malloc(n * sizeof *b);
    box_pair pair = { { { 1, 2, 3, 4 } }, { { 5, 6, 7, 8 } } };
    point_pointer points = malloc(n * sizeof *points);
    word words = malloc(n * sizeof *words);
    short ends[2] = { 400, 7 };
    weights by = { { 0.5 }, { 1.5 }, { 2.5 } };
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 4; ++k)
            b[i].cell[k] = noise(i, k);
        points[i].x = points[i].y = i;
        words[i].whole = noise(i, 5);
    }
    boxes(b, pair, out, n);
    SHOW("boxes", out, n);
    others(points, words, (limits)ends, by, out, n);
    inside(out, n);
    SHOW("others", out, n);
    SHOW("points", points, n);
    nested *a = calloc(n, sizeof *a);
    for (int i = 0; i < n; ++i)
        a[i].in[0].of.all = a[i].in[1].of.all = noise(i, 6);
    within(a, out, n);
    SHOW("within", out, n);
    for (int i = 0; i < n; ++i)
        out[i] = a[i].in[1].of.all;
    SHOW("within", out, n);
    return 0;
}
