/* Loops and sums in narrow types, enumerations and bit-fields, of far steps and without elements: as C computes them. */
#include <stdio.h>
#include <stdlib.h>

enum color { RED, GREEN, BLUE, COLORS };
typedef enum { LOW = -2, ZERO, HIGH = 9 } level;

/* a step leads past the limit and the end of the type, where C goes on from the other end */
static void past_the_end(int *a, int *b)
{
#pragma acc kernels copy(a[0:256], b[0:256])
    {
        for (unsigned char i = 0; i < 250; i += 100)
            a[i]++;
        for (signed char i = 100; i > -120; i -= 30)
            b[i + 128]++;
    }
}

/* the number of iterations is small, the sum that it comes from is not */
static void far_steps(int *a, int n)
{
#pragma acc parallel loop copy(a[0:8])
    for (int i = 0; i < n; i += 500000000)
        a[i / 500000000]++;
#pragma acc parallel loop copy(a[0:8])
    for (int i = n; i > 0; i -= 500000000)
        a[i / 500000000]++;
#pragma acc parallel loop copy(a[0:8])
    for (int i = -2000000000; i < n; i += 1000000000)
        a[(i + 2000000000u) / 1000000000]++;
}

#pragma acc routine seq
static int behind(enum color c)
{
    return c + 1;
}

static void enumerations(int *a, int *b)
{
#pragma acc parallel loop copyin(a[0:8]) copy(b[0:16])
    for (enum color e = RED; e < COLORS; e++)
        for (int k = 0; k < 4; k++)
            b[e] += a[e + k] * behind(e);
    int s = 0;
#pragma acc parallel loop gang vector_length(32) copy(b[0:16]) reduction(+:s)
    for (level e = LOW; e <= HIGH; e += 2) {
        level same = e;
        b[e + 2] += same;
        s += e;
    }
#pragma acc kernels copy(b[0:16])
    for (level e = HIGH; e > ZERO; e--)
        b[e + 2] += e + s;
}

struct fields {
    enum color e : 2;
    unsigned u : 5;
    int i : 4;
    unsigned long l : 20;
    unsigned w : 32;
    enum color f;
    _Bool b : 1;
};

/* narrow ones are promoted to int, whatever their type */
static void bit_fields(struct fields s, long *r, int *a, int n)
{
#pragma acc parallel num_gangs(1) copyin(s) copyout(r[0:16]) copyin(n)
    {
        r[0] = s.u - 5;
        r[1] = s.l - 9;
        r[2] = s.w - 6;
        r[3] = s.e - 2 < 0;
        r[4] = s.f - 3 < 0;
        r[5] = s.u > n;
        r[6] = s.w > n;
        r[7] = n < s.e;
        r[8] = ~s.u;
        r[9] = -s.e;
        r[10] = n ? s.u : -4;
        r[11] = n ? s.w : -4;
        r[12] = (s.u - 8) / 2;
        r[13] = (s.u - 8) >> 1;
        r[14] = s.e << 3;
        r[15] = s.b - 2;
    }
#pragma acc parallel loop copy(a[0:8]) copyin(s)
    for (int i = -3; i < s.u; i++)
        a[i + 3] += s.u - 5 < i;
#pragma acc kernels copy(a[0:8]) copyin(s)
    for (int i = 0; i < s.u - 1; i++) {
        int t = s.u - 5;
        a[i] += t < 0;
    }
}

/* nothing is mapped where n is 0, and nothing is missing */
static void without_elements(float *a, float *b, int n, int low)
{
#pragma acc data copyin(a[low:n]) copy(b[low:n])
    {
#pragma acc parallel loop
        for (int i = 0; i < n; i++)
            b[low + i] += a[low + i];
#pragma acc parallel loop present(a[low:n], b[low:n])
        for (int i = 0; i < n; i++)
            b[low + i] += a[low + i];
    }
#pragma acc enter data copyin(a[low:n]) copyin(b[low:n])
#pragma acc kernels
    for (int i = 0; i < n; i++)
        b[low + i] += a[low + i];
#pragma acc exit data copyout(b[low:n]) delete(a[low:n])
}

typedef const float weight;
static weight of_const[3] = {1, 2, 1};
typedef float three[3];
static const three const_three = {1, 2, 1};
typedef const struct {
    float v;
} cell;
static cell cells[3] = {{1}, {2}, {3}};

/* nothing is copied back to what is const, by whatever name */
static void constants(float *b, int n)
{
#pragma acc parallel loop copy(b[0:n])
    for (int i = 0; i < n; i++)
        b[i] += of_const[i % 3] + const_three[i % 3] + cells[i % 3].v;
}

/* C compares what is below zero as an unsigned number beside one: these inner loops never run, the last one does */
static void never_starts(int *w, int *r, int n)
{
#pragma acc parallel loop copy(w[0:4*n], r[0:n])
    for (int i = 0; i < n; i++) {
#pragma acc cache(w[4*i:4])
        {
            for (int k = -1; k < 3u; k++)
                w[4*i + k + 1] = k;
            for (int k = 0; k < 4; k++)
                r[i] += w[4*i + k] * (k + 1);
        }
    }
#pragma acc parallel loop gang vector_length(32) copy(w[0:4*n], r[0:n])
    for (int i = 0; i < n; i++) {
#pragma acc cache(w[4*i:4])
        {
#pragma acc loop vector
            for (int k = -1; k <= 2ul; k++)
                w[4*i + k + 1] = k;
            int sum = 0;
#pragma acc loop vector reduction(+:sum)
            for (int k = 0; k < 4; k++)
                sum += w[4*i + k] * w[4*i + 3 - k];
            r[i] += sum;
        }
    }
#pragma acc parallel loop collapse(4) copy(w[0:4*n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 1u; j++)
            for (int l = 0; l < 1; l++)
                for (int k = -1; k < 3u; k++)
                    w[4*i + j + l + k + 1] = k;
#pragma acc parallel loop copy(w[0:4*n], r[0:n])
    for (int i = 0; i < n; i++) {
#pragma acc cache(w[4*i:4])
        {
            for (long k = -1; k < 3u; k++)
                w[4*i + k + 1] = k + r[i];
            for (int k = 0; k < 4; k++)
                r[i] += w[4*i + k] * (k + 1);
        }
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 300, *a = calloc(256, sizeof *a), *b = calloc(256, sizeof *b);
    long r[16];
    float *x = calloc(n + 9, sizeof *x), *y = calloc(n + 9, sizeof *y);
    past_the_end(a, b);
    far_steps(a + 1, 1700000000);
    enumerations(a, b);
    bit_fields((struct fields){GREEN, 3, -2, 7, 5, BLUE, 1}, r, a, -1);
    for (int i = 0; i < n + 9; i++)
        x[i] = i % 7;
    without_elements(x, y, n, 0);
    without_elements(x, y, 0, 0);
    without_elements(x, y, 0, 5);
    without_elements(x, y, n, 5);
    constants(y, n);
    int *w = calloc(4*n, sizeof *w), *s = calloc(n, sizeof *s);
    for (int i = 0; i < 4*n; i++)
        w[i] = i % 7;
    never_starts(w, s, n);
    for (int i = 0; i < 256; i++)
        printf("%d %d ", a[i], b[i]);
    for (int i = 0; i < 16; i++)
        printf("%ld ", r[i]);
    for (int i = 0; i < n + 9; i++)
        printf("%g ", y[i]);
    for (int i = 0; i < n; i++)
        printf("%d %d ", s[i], w[4*i + 3]);
    printf("\n");
    return 0;
}
