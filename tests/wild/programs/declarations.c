/* What is declared in and beside cached regions: initial values, names, types of elements, counters and lengths. */
#include "show.h"

typedef struct {
    int a;
    float b[2];
} Pair;

/* The fetch has to wait for what stands in front of it, so the variables are declared apart from their values. */
void initial_values(float *restrict x, float *restrict w, float *restrict v, float *restrict u, int n)
{
#pragma acc parallel loop copy(x[0:n], w[0:n], v[0:n], u[0:n])
    for (int i = 0; i < n; ++i) {
        float t[3] = {1, 2}, g[2][2] = {{x[i]}, {3, x[i] / 2}};
        Pair one = {2, {3, x[i]}}, two[2] = {{(int)x[i], {1}}, {4, {x[i], 2}}}, fixed = {1, {2, 3}};
        x[i] += 1;
#pragma acc cache(x[i:1]) /* auto: rbi block */
        for (int k = 0; k < 3; ++k)
            t[k] += x[i] * x[i];
        w[i] = t[0] + t[1] + t[2] + g[0][0] + g[1][1] * g[1][0] + g[0][1];
        v[i] = one.b[1] + one.a + fixed.b[0];
        u[i] = two[0].a + two[1].b[0];
    }
}

/* The routines that fetch, read and write have variables of these names, too. */
typedef short element;
typedef int value;
struct row {
    float v;
    int w;
};

void names(element *restrict a, value *restrict b, const struct row *restrict c, const int *restrict at, int n)
{
#pragma acc parallel loop copyin(at[0:n], c[0:n]) copy(a[0:n], b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1], b[i:1], c[i:1]) /* auto: rbc, rbc, none ACC419 */
        {
            a[at[i]] += 1 + a[at[i]] * a[i];
            b[at[i]] += b[i] + c[at[i]].w * c[at[i]].w;
        }
    }
}

void numbered_names(const int (*restrict pitch1)[6][20], int *restrict b, int n)
{
#pragma acc parallel loop gang copyin(pitch1[0:n+2]) copy(b[0:n*100])
    for (int x = 1; x <= n; ++x)
#pragma acc loop worker
        for (int y = 1; y < 5; ++y)
#pragma acc loop vector
            for (int z = 1; z < 19; ++z) {
#pragma acc cache(pitch1[x-1:3][y-1:3][z-1:3]) /* auto: rbi block */
                b[(x - 1) * 100 + y * 20 + z] += pitch1[x - 1][y][z] + pitch1[x + 1][y][z] + pitch1[x][y - 1][z]
                                                 + pitch1[x][y + 1][z] + pitch1[x][y][z - 1] + pitch1[x][y][z + 1];
            }
}

/* The width of a tile is not computed in a char, nor in the type of two sides. */
void narrow_counters(const int *restrict a, int *restrict b, int *restrict c, int *restrict d, int n)
{
    long limit = n < 250 ? n : 250;
#pragma acc parallel loop copyin(a[0:256]) copy(b[0:256]) vector_length(256)
    for (unsigned char i = 1; i < 200; i++) {
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
        b[i] = a[i - 1] + a[i] + a[i + 1];
    }
#pragma acc parallel loop copyin(a[0:256]) copy(c[0:256]) vector_length(128)
    for (signed char i = 1; i < 100; i++) {
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
        c[i] = a[i - 1] + a[i] + a[i + 1];
    }
#pragma acc parallel loop copyin(a[0:256]) copy(d[0:256])
    for (int i = 1; i < limit; i++) {
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
        d[i] = a[i - 1] + a[i] + a[i + 1];
    }
}

/* What a counter starts from says that a difference does not wrap below zero. */
void unsigned_counters(const int *restrict a, int *restrict b, int *restrict c, unsigned n)
{
#pragma acc parallel loop copyin(a[0:n+1]) copy(b[0:n])
    for (unsigned i = 1; i < n; i++) {
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
        b[i] = a[i - 1] + a[i] + a[i + 1];
    }
#pragma acc parallel loop copyin(a[0:n+1]) copy(c[0:n])
    for (unsigned i = 0; i < n; i++) {
#pragma acc cache(a[i-1:3]) /* auto: none ACC402 not a polynomial */
        c[i] = (i > 0 ? a[i - 1] : 0) + a[i] + a[i + 1];
    }
}

enum color { RED, GREEN, BLUE, COLORS };

void enumerated(const int *restrict a, int *restrict b)
{
#pragma acc parallel loop copyin(a[0:8]) copy(b[0:8])
    for (enum color e = RED; e < COLORS; e++) {
#pragma acc cache(a[e:4]) /* auto: any */
        for (int k = 0; k < 4; k++)
            b[e] += a[e + k] * a[e + 3];
    }
}

/* Only the directive names the length. */
void length_in_the_directive(const int *restrict a, int *restrict b, int length)
{
#pragma acc parallel loop gang copyin(a[0:128]) copy(b[0:128])
    for (int r = 0; r < 2; ++r) {
#pragma acc cache(a[r*64:length]) /* auto: any */
#pragma acc loop vector
        for (int j = 0; j < 64; ++j)
            for (int k = 0; k < 64; ++k)
                b[r * 64 + j] += a[r * 64 + k] * (j + k % 3);
    }
}

/* Each thread has an array of its own, which a reduction combines. */
void reduced(const int *restrict a, int *h, int *g, int n)
{
    int sums[4] = {0}, gang_sums[4] = {0};
#pragma acc parallel loop copyin(a[0:n]) reduction(+:sums)
    for (int i = 0; i < n; ++i) {
#pragma acc cache(sums[0:4]) /* auto: local ACC405 */
        for (int k = 0; k < 3; k++)
            sums[a[i] & 3] += a[i];
    }
#pragma acc parallel loop gang copyin(a[0:n]) reduction(+:gang_sums)
    for (int i = 0; i < n; ++i) {
#pragma acc cache(gang_sums[0:4]) /* auto: local ACC405 */
        {
#pragma acc loop vector reduction(+:gang_sums)
            for (int k = 0; k < n; k++)
                gang_sums[a[k] & 3] += a[k] * i;
        }
    }
    for (int k = 0; k < 4; ++k)
        h[k] = sums[k], g[k] = gang_sums[k];
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    float *x = new_floats(n, 1), *w = new_floats(n, 2), *v = new_floats(n, 3), *u = new_floats(n, 4);
    initial_values(x, w, v, u, n);
    SHOW("initial_values", w, n);
    SHOW("initial_values", v, n);
    SHOW("initial_values", u, n);
    element *a = calloc(n, sizeof *a);
    struct row *c = calloc(n, sizeof *c);
    int *b = new_ints(n, 5), *at = new_ints(n, 6), *cube = new_ints((n + 2) * 120, 7), *r = new_ints(n * 100 + 256, 8);
    for (int i = 0; i < n; ++i)
        at[i] = i, a[i] = i, c[i].w = 2 * i;
    names(a, b, c, at, n);
    SHOW("names", b, n);
    for (int i = 0; i < n; ++i)
        at[i] = a[i];
    SHOW("names", at, n);
    numbered_names((void *)cube, r, n);
    SHOW("numbered_names", r, n * 100);
    int *s = new_ints(256, 9), *t = new_ints(256, 10), *d = new_ints(256, 11), *e = new_ints(256, 12);
    narrow_counters(s, t, d, e, n);
    SHOW("narrow_counters", t, 256);
    SHOW("narrow_counters", d, 256);
    SHOW("narrow_counters", e, 256);
    unsigned_counters(s, t, d, n < 255 ? n : 255);
    SHOW("unsigned_counters", t, 256);
    SHOW("unsigned_counters", d, 256);
    enumerated(s, t);
    SHOW("enumerated", t, 8);
    length_in_the_directive(s, t, 64);
    SHOW("length_in_the_directive", t, 128);
    reduced(b, t, d, n);
    SHOW("reduced", t, 4);
    SHOW("reduced", d, 4);
    return 0;
}
