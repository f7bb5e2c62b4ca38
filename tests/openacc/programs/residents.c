/* Variables of the file in routines: kernels, data directives and routines see one copy on the device. */
#include <stdio.h>
#include <stdlib.h>

#define SIZE 8
#define LONG 300

typedef struct {
    int length;
    double *data;
} vector;

struct point {
    double x;
    int v[4];
};

static int count = 100;
double scale = 2.5, table[SIZE];
static int grid[4][4];
struct point one;
double *moving;
vector held;
float linked[16];
double t[LONG], u[LONG];
unsigned char flag;
#pragma acc declare create(one, moving, held) copyin(scale, table, count, flag) device_resident(grid)
#pragma acc declare link(linked) create(t, u)

#pragma acc routine seq
static double sum(int i)
{
    int scale_of = 3, table_device = scale_of;  /* names that look like those of the copies */
    return table[i % SIZE] * scale + one.x + one.v[i & 3] + grid[i & 3][1] + *(table + 1) + table_device;
}

#pragma acc routine seq
static void add(int i, double scale)
{
#pragma acc atomic update
    count += i * (scale > 0);
}

#pragma acc routine seq
static void put(int i, float v)
{
    int *row = grid[i & 3];
    struct point *p = &one;
    linked[i] += v;
    moving[i] = linked[i] * 2 + held.data[i] * held.length;
    if (i < 4)
        row[3] = sizeof grid + sizeof table + sizeof one + sizeof(*linked) + ((*&grid)[i] == row ? 1 : 2);
    if (i == 5)
        p->v[0] = 40;
}

#pragma acc routine vector
static void fill(int n)
{
#pragma acc loop vector
    for (int i = 0; i < n; i++)
        table[i] += i;
    scale += 1;
    flag = !flag;
}

#pragma acc routine seq
static void set(int i, double v) { t[i] = v; }

#pragma acc routine seq
static double get(int i) { return t[i] * 2; }

#pragma acc routine seq
static int next(void) { return count++; }

static void one_copy(int n)
{
    double out[16], buffer[16], data[16];
    for (int i = 0; i < SIZE; i++)
        table[i] = i;
    for (int i = 0; i < 16; i++) {
        grid[i / 4][i % 4] = linked[i] = data[i] = i;
        buffer[i] = -1;
    }
    one = (struct point){0.5, {1, 2, 7, 3}};
    scale = n;
    held.length = 2;
    held.data = data;
    moving = buffer;
#pragma acc update device(table, one, grid, scale, held.length)
#pragma acc enter data copyin(moving[0:16], linked, held.data[0:16])
#pragma acc parallel loop copyout(out)
    for (int i = 0; i < 16; i++) {
        out[i] = sum(i);
        add(i, 1);
    }
#pragma acc parallel loop async(1)
    for (int i = 0; i < 16; i++)
        put(i, i);
#pragma acc parallel num_gangs(1) vector_length(32) async(1)
    {
        fill(SIZE);
        scale *= 2;
    }
#pragma acc exit data copyout(moving[0:16], linked) delete(held.data[0:16]) async(1)
#pragma acc wait
#pragma acc update host(count, grid, table, scale, one, flag)
    for (int i = 0; i < 16; i++)
        printf("%g %g %g\n", out[i], buffer[i], linked[i]);
    printf("%d %d %g %g %d %d\n", count, grid[3][3], table[5], scale, one.v[0], flag);
}

static void what_routines_change(int n)
{
    double out[LONG];
    int s[8] = {0};
    for (int i = 0; i < LONG; i++)
        t[i] = i, u[i] = 3 * i, out[i] = 0;
#pragma acc update device(t, u)
#pragma acc parallel loop vector_length(32) copy(out)
    for (int i = 0; i < n; i++) {
#pragma acc cache(t[i:1])
        double before = t[i];
        set(i, 7.0 + i);
        out[i] = t[i] + before;
    }
#pragma acc kernels
    for (int i = 1; i < n; i++)
        t[i] = get(i - 1) * 0.5 + 1;
#pragma acc kernels
    for (int i = 0; i < 20; i++)
        set(i % 10, i);
#pragma acc parallel num_gangs(1) vector_length(64) copy(s)
    for (int k = 0; k < 4; k++) {
        int v = next();
        s[k] = v;
        if (next() % 4 == 1)
            s[4 + k] = count;
#pragma acc loop vector
        for (int j = 0; j < LONG; j++)
            u[j] += v;
        t[k] = 5;
        set(k + 1, t[k] + 1);
        u[k] = get(k + 1);
#pragma acc loop vector
        for (int j = 0; j < 64; j++)
            t[100 + j] += v;
        u[200 + k] = get(163 - k);
#pragma acc loop vector
        for (int j = 0; j < 64; j++)
            t[100 + j] *= 0.5;
    }
#pragma acc update host(t, u, count)
    double x = 0;
    for (int i = 0; i < LONG; i++)
        x = x * 0.99 + t[i] + 2 * u[i] + 3 * out[i];
    printf("%.10g %d %d %d %g\n", x, count, s[2], s[6], out[n - 1]);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : LONG;
    one_copy(n);
    what_routines_change(n);
    one_copy(n + 1);
    return 0;
}
