/* Types that functions declare: kernels and launch stubs stand outside of the functions and know none of them. */
#include "show.h"

enum size { WIDTH = 6, HEIGHT = WIDTH / 2 };
struct window {
    int cell[HEIGHT];
};
static struct {
    int low, high;
} limits[64];

/* The same tag as in the function after it, another layout. */
void wide_points(int *out, int n)
{
    struct point {
        double weight;
        int x;
    };
    struct point *points = malloc((n + 1) * sizeof *points);
    for (int i = 0; i < n; ++i)
        points[i] = (struct point){.weight = 1, .x = noise(i, 1)};
#pragma acc parallel loop copyin(points[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        struct point moved = points[i];
        moved.x += (int)sizeof(struct point);
        out[i] = moved.x;
    }
    free(points);
}

void narrow_points(int *out, int n)
{
    struct point {
        char x;
    };
    struct point points[64];
    for (int i = 0; i < 64; ++i)
        points[i].x = i;
#pragma acc parallel loop copy(points) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        if (i < 64)
            points[i].x += 1;
        out[i] = (int)sizeof(points[0]);
    }
    show("narrow", points, sizeof points);
}

/* One tag twice in a function, each with its own meaning. */
void inner_blocks(int *out, int n)
{
    {
        struct pair {
            int a, b;
        } pairs[8];
        for (int i = 0; i < 8; ++i)
            pairs[i].a = pairs[i].b = i;
#pragma acc parallel loop copyin(pairs) copyout(out[0:n])
        for (int i = 0; i < n; ++i)
            out[i] = pairs[i % 8].a + pairs[i % 8].b;
    }
    {
        struct pair {
            short b;
            struct pair *next;
        } pairs[8];
        for (int i = 0; i < 8; ++i)
            pairs[i].b = 3 * i;
#pragma acc parallel loop copyin(pairs) copy(out[0:n])
        for (int i = 0; i < n; ++i)
            out[i] += pairs[i % 8].b;
    }
}

/* Types without a tag, of variables here and of the file, with and without a typedef. */
void nameless(int *out, int n)
{
    struct {
        int scale;
        struct window window;
    } setting = {3, {{1, 2, 4}}};
    typedef struct {
        short key;
        union {
            int value;
            unsigned bits;
        } of;
    } entry;
    entry *table = malloc((n + 1) * sizeof(entry));
    for (int i = 0; i < n; ++i)
        table[i].key = i % WIDTH;
#pragma acc parallel loop copy(setting, limits) copy(table[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        table[i].of.value = setting.scale * table[i].key + setting.window.cell[i % HEIGHT];
        if (i < 64)
            limits[i].high = limits[i].low + (int)table[i].of.bits;
        out[i] = table[i].of.value;
    }
    show("limits", limits, sizeof limits);
    free(table);
}

/* A typedef of a plain type, as an element, a scalar and a reduction's result. */
int sums(const int *in, int n)
{
    typedef long long total;
    typedef int number;
    total sum = 0;
    number *copy = malloc((n + 1) * sizeof(number)), offset = 2;
#pragma acc parallel loop reduction(+:sum) copyin(in[0:n]) copyout(copy[0:n])
    for (int i = 0; i < n; ++i) {
        number twice = (number)2 * in[i];
        copy[i] = twice + offset;
        sum += twice;
    }
    for (int i = 0; i < n; ++i)
        sum += copy[i];
    free(copy);
    return (int)(sum % 1000000007);
}

/* Enumerations, one with a constant that another function has with another value. */
void colours(int *out, int n)
{
    enum colour { RED = 2, GREEN, BLUE = 7 };
    enum { COUNT = 5 };
    enum colour wanted = n % 2 ? GREEN : RED, palette[COUNT] = {RED, GREEN, BLUE, GREEN, RED};
#pragma acc parallel loop copyin(palette[0:COUNT]) copyout(out[0:n]) if(n > COUNT - 5)
    for (int i = 0; i < n; ++i) {
        switch (palette[i % COUNT]) {
        case RED:
            out[i] = 1;
            break;
        case BLUE:
            out[i] = BLUE;
            break;
        default:
            out[i] = palette[i % COUNT] == wanted;
        }
    }
}

void other_colours(int *out, int n)
{
    enum colour { BLUE = 1, RED };
#pragma acc parallel loop copyout(out[0:n])
    for (int i = 0; i < n; ++i)
        out[i] = i % 2 ? BLUE : RED;
}

/* Rows of variable length, a tile, and data directives, of a function's own types. */
void rows(int *out, int n)
{
    struct cell {
        int value;
        short weight;
    };
    struct cell cells[n + 1][WIDTH + n % 2], line[300];
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j < WIDTH; ++j)
            cells[i][j] = (struct cell){noise(i, j), j};
    for (int i = 0; i < 300; ++i)
        line[i] = (struct cell){i, 1};
#pragma acc enter data copyin(line)
#pragma acc data copyin(cells)
    {
#pragma acc parallel loop copyout(out[0:n])
        for (int i = 0; i < n; ++i) {
            out[i] = 0;
            for (int j = 0; j < WIDTH; ++j)
                out[i] += cells[i][j].value * cells[i][j].weight;
        }
#pragma acc parallel loop copy(out[0:n])
        for (int i = 1; i < n; ++i) {
#pragma acc cache(line[i - 1:2])
            out[i] += i < 300 ? line[i].value - line[i - 1].value : 0;
        }
    }
#pragma acc exit data delete(line)
}

/* Typedef names of arrays whose lengths are variables, or sizes of a function's own types: rows, planes, a cast. */
void named_rows(int *out, int n)
{
    int m = WIDTH + n % 2;
    typedef struct {
        int value, weight;
    } pair;
    typedef int row[m], two[sizeof(pair) / sizeof(int)];
    typedef row *rows;
    typedef const row plane[n + 1];
    int *all = calloc((n + 1) * m, sizeof(int));
    row *first = (row *)all;
    rows second = first;
    plane *third = (plane *)all;
    two last = {1, 2};
#pragma acc parallel loop collapse(2) copyout(first[0:n])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
            first[i][j] = noise(i, j);
#pragma acc kernels copy(second[0:n])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
            second[i][j] += 1;
#pragma acc parallel loop copyin(third[0:1], last) copyout(out[0:n])
    for (int i = 0; i < n; ++i)
        out[i] = (*third)[i][m - 1] + last[i % 2] + sizeof(row) / sizeof(int) + sizeof(two);
#pragma acc parallel loop copy(out[0:n]) copyin(all[0:n * m])
    for (int i = 0; i < n; ++i)
        out[i] += ((row *)all)[i][1];
    free(all);
}

int main(int argc, char **argv)
{
    const int n = size_argument(argc, argv, 200);
    int *out = calloc(n + 1, sizeof(int)), *in = new_ints(n, 5);
    void (*const functions[])(int *, int) = {wide_points, narrow_points, inner_blocks, nameless,
                                             colours,     other_colours, rows,         named_rows};
    const char *const names[] = {"wide", "narrow", "inner", "nameless", "colours", "other", "rows", "named rows"};
    for (int k = 0; k < 8; ++k) {
        functions[k](out, n);
        SHOW(names[k], out, n);
    }
    printf("sums %d\n", sums(in, n));
    free(out);
    free(in);
    return 0;
}
