/* Variables of all types in compute constructs: local types, enumerations, members without names, small integers. */
#include "show.h"
#include <float.h>
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

/* In the compiler's header these are casts of long double. */
static void limits_of_double(double *least, int n)
{
#pragma acc parallel loop gang copy(least[0:n])
    for (int g = 0; g < n; ++g) {
        double found = DBL_MAX;
#pragma acc loop vector reduction(min : found)
        for (int k = 0; k < 40; ++k)
            found = fmin(found, (g * 7 + k * 11) % 31 + (1 + DBL_EPSILON) * (k + DBL_MIN));
        least[g] = found == DBL_MAX ? -DBL_MAX : found;
    }
}

enum far { FAR = 1LL << 40, FARTHER };
enum unsigned_far { FARTHEST = 0xFFFFFFFF };

/* Strings are arrays where they are measured, arrays behind a comma are not; constants may be wider than int. */
void sizes(uint64_t *restrict out, int n)
{
    enum { NEAR = 3, BEYOND = 1LL << 35 };
    long r[32] = {0};
#pragma acc parallel num_gangs(1) copy(r)
    {
        char own[6] = "local", spelled[] = "h\u00e9\x41\101\n", accented[] = "\u00e9";
        int k = 1, counted[sizeof("abc")];
        enum far first = FAR;
        r[0] = sizeof "abc";
        r[1] = sizeof("wide"
                      "r") - 1;
        r[2] = sizeof("abc" + 0);
        r[3] = sizeof(*"abc") + "\x41z"[1];
        r[4] = sizeof(k ? "abc" : "d");
        r[5] = sizeof(k, own);
        r[6] = sizeof(k, "abc");
        r[7] = (k, own)[1];
        r[8] = sizeof spelled;
        r[9] = sizeof accented;
        r[10] = sizeof L"ab" + sizeof "";
        r[11] = sizeof u"ab";
        r[12] = sizeof U"ab";
        r[13] = sizeof counted;
        r[14] = sizeof(FAR);
        r[15] = sizeof(FARTHEST);
        r[16] = FAR - (1LL << 41) < 0;
        r[17] = FARTHEST + 1;
        r[18] = (first == FAR) + (first + 1 == FARTHER);
        r[19] = sizeof BEYOND;
        r[20] = BEYOND / 2;
        r[21] = BLUE - 7u;
    }
#pragma acc parallel loop copyin(r) copyout(out[0:n])
    for (int i = 0; i < n; ++i)
        out[i] = r[i % 32];
    long count = 0;
#pragma acc parallel loop reduction(+:count)
    for (int i = 0; i < (int)sizeof("abcdef") - 1; ++i)
        count += "abcdef"[i];
    out[n / 2] += count;
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
    double *least = (double *)calloc(n, sizeof(double));
    limits_of_double(least, n);
    SHOW("limits_of_double", least, n);
    sizes(wide, n);
    SHOW("sizes", wide, n);
    return 0;
}
