/* Const variables whose values are known: integers stand for numbers in kernels, arrays of numbers for tables there. */
#include <stdio.h>
#include <stdlib.h>

typedef float real;
enum { RED = 3 };
const int N = 64;
static const unsigned long MANY = 1ul << 20;
static const short BELOW = -3;
static const char LETTER = 'a';
static const unsigned char BYTE = 255;
static const _Bool YES = 5;
static const long long FAR = -5000000000;
static const int DERIVED = RED + sizeof(int) * 2, LEAST = -2147483647 - 1;
static const real WEIGHTS[] = {.1f, .2f, 0, .4f, .2f, 1};
const int LIMITS[3] = {5, 40, 100};
static const unsigned char MASK[2][4] = {{1, 0, 1, 1}, {(unsigned char)-1}};
static const char TEXT[4] = "abc";
static const int COLOURS[2] = {RED, -RED + 1};
struct pair { int x, y; };
static const struct pair PAIRS[2] = {{1, 2}, {3, 4}};

#pragma acc routine seq
static int weigh(int k)
{
    return COLOURS[k & 1] + MASK[0][k % 4] + DERIVED;
}

#pragma acc routine seq
static float first(const float *p)
{
    return p[0] + p[1];
}

static void rows(int n, const float a[n][N], float b[n][N])
{
#pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < N; ++j)
            b[i][j] = 2 * a[i][j] + BELOW + LETTER + BYTE + YES + (float)FAR + (int)sizeof(BELOW) + (BELOW >> 1)
                + (MANY > 3u) + (LEAST < 0);
}

static void tables(int n, const float *restrict a, float *restrict b, int here)
{
    const float w[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
    const int shift[4] = {0, 2, -1, 1};
#pragma acc parallel loop copyin(a[0:n], WEIGHTS, w) copy(b[0:n]) default(none)
    for (int i = 4; i < n - 4; ++i) {
#pragma acc cache(a[i-2:5], w[0:3][0:3])
        float s = 0;
        for (int j = -2; j <= 2; ++j)
            s += WEIGHTS[j + 2] * a[i + j];
        for (int j = 0; j < 3; ++j)
            s += w[j][1] * a[i + j - 1] + w[i % 3][j];
        b[i] = s;
    }
#pragma acc parallel loop copy(b[0:n])
    for (int i = 4; i < n - 4; ++i) {
        b[i] += LIMITS[1] + TEXT[i % 3] + MASK[i & 1][i % 4] + weigh(i) + PAIRS[i & 1].y;
        const int WEIGHTS = i, N = 3;
        b[i] += WEIGHTS % N;
    }
#pragma acc parallel loop copy(b[0:n]) copyin(a[0:n])
    for (int i = 0; i < LIMITS[1]; ++i)
        for (int k = 0; k < LIMITS[0]; ++k)
            if (i < n)
                b[i] += first(WEIGHTS) + a[(i + k) % n];
#pragma acc parallel loop copy(b[0:n]) copyin(a[0:n]) if(here)
    for (int i = 0; i < n; ++i)
        b[i] += w[i % 3][0] + shift[i & 3];
#pragma acc parallel loop gang copy(b[0:n]) copyin(a[0:n]) vector_length(32)
    for (int g = 0; g < n / 32; ++g) {
        int k = shift[g & 3];
        float t[32];
#pragma acc loop vector
        for (int i = 0; i < 32; ++i) {
#pragma acc cache(a[32*g+i+shift[0]:1])
            t[i] = a[32*g + i + shift[0]] + k + WEIGHTS[(i + g) % 5];
        }
#pragma acc loop vector
        for (int i = 0; i < 32; ++i)
            b[32*g + i] += t[31 - i] * shift[(g + 1) & 3];
    }
#pragma acc kernels copy(b[0:n])
    {
        for (int i = 0; i < n; ++i)
            b[i] += WEIGHTS[i % 5];
        b[0] += WEIGHTS[1];
        for (int i = 0; i < n; ++i)
            b[i] += shift[i % 4];
    }
#pragma acc serial copy(b[0:n])
    for (int i = 1; i < n; ++i)
        b[i] += 0.5f * b[i - 1] * WEIGHTS[0];
#pragma acc data copyin(WEIGHTS, w)
    {
#pragma acc parallel loop present(WEIGHTS, w) copy(b[0:n])
        for (int i = 0; i < n; ++i) {
            const int k = i % 5;
            const float *p = &WEIGHTS[1];
            b[i] += WEIGHTS[k] * w[k % 3][k / 2] + p[i & 1];
        }
    }
}

static int kept[4] = {1, 2, 3, 4}, counted[4] = {1, 2, 3, 4};
int seen_elsewhere[4] = {1, 2, 3, 4};

/* Arrays that are not const, and that nothing changes, are tables, too; the others are not. */
static void filters(int n, const float *a, float *b)
{
    int across[3] = {-1, 0, 1};
    float w[5] = {1, 2, 3, 2, 1}, x[2] = {1, 2}, y[2] = {1, 2}, z[2] = {1, 2}, v[2] = {3, 4}, *p = y;
    x[1] = 7;
    p[0] = 3;
    counted[2]++;
#pragma acc parallel copy(z)
    z[0] = 9;
#pragma acc data copy(v)
    {
#pragma acc parallel loop copyin(a[0:n], across) copy(b[0:n])
        for (int i = 1; i < n - 1; ++i) {
            float s = 0;
            for (int k = -1; k <= 1; ++k)
                s += across[k + 1] * a[i + k];
            b[i] += s * w[i % 5] + x[i & 1] + y[i & 1] + z[i & 1] + v[i & 1] + kept[i & 3] + counted[i & 3] + seen_elsewhere[i & 3];
        }
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 300, half = 16, more = half / 2 + 1;
    float *a = malloc((n + 8) * sizeof *a), *b = malloc((n + 8) * sizeof *b);
    float (*c)[N] = malloc(n * sizeof *c), (*d)[N] = malloc(n * sizeof *d), e[N];
    const int *p = &N;
    for (int k = 0; k < n; ++k)
        a[k] = k % 17, b[k] = k % 3;
    for (int k = 0; k < n * N; ++k)
        c[0][k] = k % 19;
    tables(n, a, b, 1);
    tables(n, a, b, 0);
    filters(n, a, b);
    filters(n, a, b);
    rows(n, c, d);
#pragma acc parallel loop copyout(e) copyin(c[0:n])
    for (int i = 0; i < N; ++i) {
        const int half = 1;
        e[i] = c[half % n][i] + half + more;
        for (int N = 0; N < half; ++N)
            e[i] += N;
    }
    int t = 0;
#pragma acc parallel loop reduction(+:t) firstprivate(half) vector_length(more - 1)
    for (int i = 0; i < n; ++i)
        t += half;
    double s = 0;
    for (int k = 0; k < n; ++k)
        s += b[k] * (1 + k % 7);
    for (int k = 0; k < n * *p; ++k)
        s += d[0][k] * (k % 5);
    for (int k = 0; k < *p; ++k)
        s += e[k];
    printf("%.9g %d\n", s, t);
    return 0;
}
