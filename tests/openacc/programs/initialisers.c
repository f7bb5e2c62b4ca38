/* Initialisers and compound literals: designators, braces left out, numbers made smaller, lengths by counting. */
#include "show.h"

typedef struct later_defined later_defined;
typedef const struct later_defined fixed;
struct later_defined {
    int a;
    float b;
};
struct point {
    int x, y;
};
enum colour { RED, GREEN = 5, BLUE };
struct cell {
    enum colour colour;
    struct point at;
    float weight[3];
    unsigned char low : 3;
    unsigned : 5;
    unsigned char high;
};
union number {
    int whole;
    float part;
};
static struct point points[] = {1, 2, 3, 4};
static int rows[][2] = {1, 2, 3, 4, 5};
static int far[] = {[3] = 1, 2};
static struct cell cells[] = {[1].at.y = 3, 4, 5, [0] = {GREEN, {1, 2}, {1, 2, 3}, 5, 7}};
static char words[][4] = {"ab", {"cd"}, {'x', 'y'}};
extern int later[];
static int again[4];
extern int again[];

/* A structure goes to a part of its own type only; values given before stay where braces are left out. */
struct inner {
    int a, b;
};
struct outer {
    struct inner in;
    int c;
};

static void nested(int *out, int n)
{
    struct inner in = {3, 4};
    struct outer pairs[] = {in, 1, in, 2, in, 3};
#pragma acc parallel loop copyin(pairs) copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        struct outer x = {in, 16777217 + 2 * i}, more[] = {in, 5, in, i, {in, 7}};
        int a[2][3] = {[1][2] = 9, [0][1] = 5, 6, 7}, b[2][2] = {{1, 2}, {3, 4}, [0] = 7};
        out[i] = x.c + pairs[i % 2].c + pairs[i % 2].in.b + sizeof pairs + 2 * a[0][1] + 3 * a[0][2] + 4 * a[1][0];
        out[i] += more[1].c + more[2].c + more[1].in.b + sizeof more;
        out[i] += 5 * a[1][2] + 6 * b[0][0] + 7 * b[0][1] + 8 * b[1][1];
    }
}

#pragma acc routine seq
static struct point sum(struct point a, struct point b)
{
    return (struct point){a.x + b.x, .y = a.y + b.y};
}

#pragma acc routine seq
static struct cell made(double d, long l)
{
    struct cell c = {.weight = {d, [2] = l}, .at = {.y = l}, .colour = BLUE, .high = l};
    return c;
}

static void in_kernels(long *out, int n, double d, long l, int wide)
{
#pragma acc parallel loop copyout(out[0:n])
    for (int i = 0; i < n; ++i) {
        static const int table[] = {3, [3] = 5};
        struct point a = {.y = d, .x = l}, b = {wide}, line[] = {[2] = {1, 2}, 5, 6, {.y = 9}};
        float t[3] = {d, i, l}, u[2][2] = {1, 2, 3}, v[4] = {[1] = 0.1, 0.2f};
        unsigned char bytes[2] = {wide, -1};
        unsigned all[2] = {-1, [1] = ~0};
        union number number = {7};
        later_defined whole = {1, 2.5}, other = (later_defined){.b = i}, pair[2] = {[1] = {5, 6}};
        fixed constant = {1, i};
        _Bool yes[2] = {i, 2};
        struct cell c = {1, a, .weight[1] = 4, 5, .low = 9};
        char s[8] = {"hey"}, e[2][3] = {"a", "bc"};
        int one = {4};
        long cut[2] = {1.5, d};
        b = (struct point){.x = b.x + 1, .y = i};
        struct point r = sum(a, (struct point){i, (int){3}});
        struct cell m = made(d * i, i);
        out[i] = a.x + 2 * a.y + 3 * b.x + 4 * b.y + 5 * line[2].y + 6 * line[3].x + 7 * line[3].y + 8 * line[4].y;
        out[i] += line[0].x + t[0] + t[1] + t[2] + u[0][1] + u[1][0] + u[1][1] + 100 * v[1] + 100 * v[2] + v[3];
        out[i] += bytes[0] + bytes[1] + (all[0] > 5) + (all[1] == all[0]) + number.whole + yes[0] + 2 * yes[1];
        out[i] += c.colour + c.at.x + c.weight[0] + c.weight[1] + 7 * c.weight[2] + c.low + c.high + s[1] + e[1][1];
        out[i] += one + cut[0] + cut[1] + r.x + 3 * r.y + m.weight[0] + m.weight[1] + m.weight[2] + m.at.y + m.at.x;
        out[i] += whole.a + whole.b + other.b + pair[1].b + pair[0].a + constant.b;
        out[i] += table[i % 4] + m.colour + m.high + (struct point){i, 2}.x + sizeof(line) / sizeof(line[0]);
    }
}

/* Arrays of a gang, which its threads share. */
static void of_gangs(long *out, int n)
{
#pragma acc parallel copyout(out[0:n])
    {
        struct point corners[3] = {{1, 2}, [2].y = 5}, shift = {.y = 2};
        enum colour colours[2][2] = {{RED, GREEN}, BLUE};
#pragma acc loop gang
        for (int i = 0; i < n; ++i) {
            struct cell two[2] = {{.at = corners[2], .colour = colours[0][1], .weight = {[1] = i}}};
            shift = (struct point){i, shift.y};
            long sum = 0;
#pragma acc loop vector reduction(+:sum)
            for (int j = 0; j < 4; ++j)
                sum += two[j % 2].at.y + two[j % 2].colour + two[j / 2].weight[1] + corners[j % 3].x * colours[1][j % 2];
            out[i] = sum + shift.x + shift.y;
        }
    }
}

/* The initialiser of an array tells how much of it is copied. */
static void counted(int n)
{
#pragma acc parallel loop copy(points, rows, far, cells, words, again)
    for (int i = 0; i < n; ++i) {
        if (i < 4)
            again[i] = i;
        if (i < 2) {
            points[i].x += 1;
            rows[i][1] += 3;
            far[i + 3] += i + 1;
            cells[i].at.x += cells[i].weight[0] + cells[i].high;
            words[i][0] += 1;
        }
    }
#pragma acc parallel loop
    for (int i = 0; i < 4; ++i)
        later[i] += i;
#pragma acc data copy(later[0:5])
    {
#pragma acc parallel loop
        for (int i = 0; i < 5; ++i)
            later[i] += 1;
    }
}

int later[] = {[4] = 8};

int main(int argc, char **argv)
{
    const int n = size_argument(argc, argv, 300);
    long *out = calloc(n, sizeof *out);
    in_kernels(out, n, 3.7, 5, 300);
    SHOW("in kernels", out, n);
    of_gangs(out, n);
    SHOW("of gangs", out, n);
    nested((int *)out, n);
    SHOW("nested", (int *)out, n);
    counted(n);
    SHOW("again", again, 4);
    SHOW("points", points, 2);
    SHOW("rows", rows, 3);
    SHOW("far", far, 5);
    SHOW("later", later, 5);
    printf("%d %d %d %g %s %s\n", (int)sizeof cells, cells[0].at.x, cells[1].at.x, cells[1].weight[1], words[0], words[1]);
    free(out);
    return 0;
}
