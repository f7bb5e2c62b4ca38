/* N-body simulation: every body is attracted by every other one.
 *
 * All threads read all bodies, in the same order. So the bodies are taken in chunks: the threads
 * of a block load a chunk together, each uses all of it, then they take the next. The chunk's
 * lower bound t does not depend on the body i, hence the whole block shares one copy.
 *
 * fmaf(a, b, c) is a*b + c rounded once. Written as a call it is the same on every processor;
 * written as a*b + c, a GPU may fuse it and a CPU may not, and the last bits would differ.
 *
 * usage: nbody [n] [steps] [seed]                 (link with -lm)
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK 256
#define SOFTENING 0.01f
#define TIME_STEP 0.001f

/* Move n bodies of mass m, position (x, y, z) and velocity (u, v, w) on by some time steps. */
void nbody(float *x, float *y, float *z, float *u, float *v, float *w, const float *m, int n, int steps)
{
#pragma acc data copy(x[0:n], y[0:n], z[0:n], u[0:n], v[0:n], w[0:n]) copyin(m[0:n])
    for (int step = 0; step < steps; ++step) {
#pragma acc parallel loop independent
        for (int i = 0; i < n; ++i) {
            float xi = x[i], yi = y[i], zi = z[i];
            float ax = 0, ay = 0, az = 0;
            for (int t = 0; t < n; t += CHUNK) {
                int end = t + CHUNK < n ? t + CHUNK : n;
#pragma acc cache(x[t:CHUNK], y[t:CHUNK], z[t:CHUNK], m[t:CHUNK])
                for (int j = t; j < end; ++j) {
                    float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
                    float inverse = 1 / sqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, SOFTENING))));
                    float pull = m[j] * inverse * inverse * inverse;
                    ax = fmaf(pull, dx, ax);
                    ay = fmaf(pull, dy, ay);
                    az = fmaf(pull, dz, az);
                }
            }
            u[i] = fmaf(ax, TIME_STEP, u[i]);
            v[i] = fmaf(ay, TIME_STEP, v[i]);
            w[i] = fmaf(az, TIME_STEP, w[i]);
        }
#pragma acc parallel loop independent
        for (int i = 0; i < n; ++i) {
            x[i] = fmaf(u[i], TIME_STEP, x[i]);
            y[i] = fmaf(v[i], TIME_STEP, y[i]);
            z[i] = fmaf(w[i], TIME_STEP, z[i]);
        }
    }
}

/* The same computation without any directive. */
static void nbody_plain(float *x, float *y, float *z, float *u, float *v, float *w, const float *m, int n, int steps)
{
    for (int step = 0; step < steps; ++step) {
        for (int i = 0; i < n; ++i) {
            float ax = 0, ay = 0, az = 0;
            for (int j = 0; j < n; ++j) {
                float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
                float inverse = 1 / sqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, SOFTENING))));
                float pull = m[j] * inverse * inverse * inverse;
                ax = fmaf(pull, dx, ax);
                ay = fmaf(pull, dy, ay);
                az = fmaf(pull, dz, az);
            }
            u[i] = fmaf(ax, TIME_STEP, u[i]);
            v[i] = fmaf(ay, TIME_STEP, v[i]);
            w[i] = fmaf(az, TIME_STEP, w[i]);
        }
        for (int i = 0; i < n; ++i) {
            x[i] = fmaf(u[i], TIME_STEP, x[i]);
            y[i] = fmaf(v[i], TIME_STEP, y[i]);
            z[i] = fmaf(w[i], TIME_STEP, z[i]);
        }
    }
}

/* A random float in [0, 1); the same seed gives the same numbers on every machine. */
static float uniform(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) * (1.0f / 16777216);
}

/* FNV-1a over all bits of a result. */
static uint64_t hash(const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    uint64_t value = 14695981039346656037u;
    for (size_t i = 0; i < bytes; ++i)
        value = (value ^ byte[i]) * 1099511628211u;
    return value;
}

/* Compare bit by bit, print the checksum, and return main's exit status. */
static int check(const float *result, const float *expected, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        if (memcmp(&result[i], &expected[i], sizeof(float)) != 0) {
            fprintf(stderr, "wrong: element %zu is %.9g, expected %.9g\n", i, result[i], expected[i]);
            return 1;
        }
        sum += result[i];
    }
    printf("checksum %016" PRIx64 ", mean %.9g\n", hash(result, count * sizeof(float)), sum / count);
    return 0;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 600;
    int steps = argc > 2 ? atoi(argv[2]) : 2;
    unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
    if (n < 1 || steps < 0) {
        fprintf(stderr, "usage: nbody [n] [steps] [seed]\n");
        return 2;
    }
    /* One allocation holds positions, then velocities, then masses: seven parts of n floats. */
    size_t count = (size_t)7 * n;
    float *bodies = malloc(count * sizeof(float)), *plain = malloc(count * sizeof(float));
    for (size_t i = 0; i < count; ++i)
        bodies[i] = plain[i] = uniform(&seed);

    float *p = bodies, *q = plain;
    nbody(p, p + n, p + 2*n, p + 3*n, p + 4*n, p + 5*n, p + 6*n, n, steps);
    nbody_plain(q, q + n, q + 2*n, q + 3*n, q + 4*n, q + 5*n, q + 6*n, n, steps);

    int status = check(bodies, plain, count);
    free(bodies);
    free(plain);
    return status;
}
