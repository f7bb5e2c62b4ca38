/* Variables of all types in compute constructs: local types, enumerations, members without names, small integers. */
#include "show.h"
#include <limits.h>
#include <math.h>
#include <stdbool.h>

typedef float real;

typedef struct {
    real x, y, z;
} Vector;

enum Color { RED, GREEN = 5, BLUE };

static Vector origin = {1, 2, 3};

void structures(Vector *restrict v, int n)
{
#pragma acc parallel loop copy(v[0:n])
    for (int i = 0; i < n; ++i) {
        Vector sum = {0, 0, 0}, old = v[i];
        for (int k = 0; k < 3; ++k) {
            sum.x += old.x * k;
            sum.y += origin.y;
        }
        sum.z = fmaxf(old.z, sum.y);
        v[i] = sum;
    }
}

void local_types(int *restrict out, int n)
{
    struct Particle {
        int id;
        struct {
            short cell[3];
        } place;
        union {
            int whole;
            unsigned char bytes[4];
        } tag;
    } particles[40];
    enum Side { LEFT, RIGHT = 7 } side = RIGHT;
    for (int i = 0; i < 40; ++i) {
        particles[i].id = i;
        particles[i].place.cell[1] = (short)(3 * i);
        particles[i].tag.whole = 258;
    }
#pragma acc parallel loop copy(particles, out[0:n])
    for (int i = 0; i < 40; ++i) {
        particles[i].id += particles[i].place.cell[1];
        particles[i].place.cell[2] = (short)(particles[i].tag.bytes[1] + (side == RIGHT ? LEFT : RIGHT));
        if (i < n)
            out[i] = particles[i].place.cell[2] + side;
    }
    for (int i = 0; i < n && i < 40; ++i)
        out[i] += particles[i].id * 100;
}

void enumerations(enum Color *restrict colors, int n)
{
#pragma acc parallel loop copy(colors[0:n])
    for (int i = 0; i < n; ++i)
        colors[i] = colors[i] == RED ? GREEN : i % 2 ? BLUE : RED;
}

void small_integers(unsigned char *restrict bytes, short *restrict words, int n)
{
#pragma acc parallel loop copy(bytes[0:n], words[0:n])
    for (int i = 0; i < n; ++i) {
        bytes[i] += 200;
        bytes[i] ^= 0x55;
        words[i] = (short)(words[i] * 3 - bytes[i] + sizeof(short) + 'a');
        words[i] >>= 1;
    }
}

void wide_integers(uint64_t *restrict w, int32_t *restrict s, int n)
{
    long long big = 1LL << 40;
#pragma acc parallel loop copyout(w[0:n], s[0:n])
    for (int i = 0; i < n; ++i) {
        w[i] = (uint64_t)i << 33 | (unsigned)i;
        w[i] += big / (i + 1);
        s[i] = INT_MAX - i;
    }
}

void booleans(_Bool *restrict flags, int n)
{
    _Bool all = 1;
    bool any = false;
#pragma acc parallel loop copy(flags[0:n]) reduction(&&:all) reduction(||:any)
    for (int i = 0; i < n; ++i) {
        all = all && flags[i];
        any = any || flags[i];
        flags[i] = i & 2;
    }
    _Bool one = 0;
#pragma acc parallel num_gangs(1) copy(one)
    one = n > 0;
    flags[0] = all || any;
    flags[n - 1] = one;
}

static void not_finite(float *x, int *kinds, int n)
{
#pragma acc parallel loop copyout(x[0:n], kinds[0:n])
    for (int i = 0; i < n; ++i) {
        double wide = i % 5 == 4 ? -HUGE_VAL : i;
        x[i] = i % 3 == 0 ? INFINITY : i % 3 == 1 ? -1.0f * i : HUGE_VALF;
        float odd = i % 2 ? NAN : 1.0f;
        kinds[i] = !!isinf(x[i]) + 2 * !!isnan(odd) + 4 * !!isfinite(wide) + 8 * !!signbit(x[i]) + 16 * isless(odd, x[i]) +
                   32 * isgreaterequal(wide, x[i]);
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 300);
    Vector *v = (Vector *)malloc(n * sizeof(Vector));
    enum Color *colors = (enum Color *)malloc(n * sizeof(enum Color));
    unsigned char *bytes = (unsigned char *)malloc(n);
    short *words = (short *)malloc(n * sizeof(short));
    uint64_t *wide = (uint64_t *)malloc(n * sizeof(uint64_t));
    int32_t *out = (int32_t *)malloc(n * sizeof(int32_t));
    _Bool *flags = (_Bool *)malloc(n);
    for (int i = 0; i < n; ++i) {
        v[i].x = v[i].y = v[i].z = noise(i, 1);
        colors[i] = noise(i, 2) % 2 ? RED : BLUE;
        bytes[i] = (unsigned char)noise(i, 3);
        words[i] = (short)noise(i, 4);
        flags[i] = noise(i, 5) % 2;
        out[i] = 0;
    }
    structures(v, n);
    SHOW("structures", v, n);
    local_types(out, n);
    SHOW("local_types", out, n);
    enumerations(colors, n);
    SHOW("enumerations", colors, n);
    small_integers(bytes, words, n);
    SHOW("small_integers bytes", bytes, n);
    SHOW("small_integers words", words, n);
    wide_integers(wide, out, n);
    SHOW("wide_integers wide", wide, n);
    SHOW("wide_integers", out, n);
    booleans(flags, n);
    SHOW("booleans", flags, n);
    float *x = new_floats(n, 6);
    not_finite(x, out, n);
    SHOW("not_finite", x, n);
    SHOW("not_finite kinds", out, n);
    return 0;
}
