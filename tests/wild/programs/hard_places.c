/* Cache directives where a barrier or a shared tile is not a matter of course. */
#include "show.h"

#define WIDTH 40

/* Two blocks walk over all iterations: each round needs its own tile. */
void fewer_blocks_than_work(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop gang vector num_gangs(2) vector_length(32) copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
        b[i] = a[i - 1] + a[i + 1];
    }
}

/* Some threads skip the region. */
void under_a_condition(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
        if (b[i] > 100) {
#pragma acc cache(a[i-1:3]) /* auto: none ACC419 cannot be shared */
            b[i] = a[i - 1] + a[i + 1];
        }
    }
}

/* All threads of the launch take the same way. */
void under_a_uniform_condition(const float *restrict a, float *restrict b, int n, int yes)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
        if (yes) {
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
            b[i] = a[i - 1] + a[i + 1];
        }
    }
}

void skipped_by_continue(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
        if (b[i] < 100)
            continue;
#pragma acc cache(a[i-1:3]) /* auto: any */
        b[i] = a[i - 1] * 2 + a[i + 1];
    }
}

void left_by_break(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n+8]) copy(b[0:n])
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 4; ++k) {
            if (b[i] > 200)
                break;
#pragma acc cache(a[i:8]) /* auto: any */
            b[i] += a[i + 2 * k];
        }
    }
}

void with_a_reduction(const float *restrict a, float *restrict b, int n)
{
    int above = 0;
#pragma acc parallel loop reduction(+:above) copyin(a[0:n]) copy(b[0:n])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
        {
            b[i] = a[i - 1] + a[i] + a[i + 1];
            above += a[i] > a[i - 1];
        }
    }
    b[0] = above;
}

void decreasing(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = n - 2; i > 0; i -= 3) {
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
        b[i] = a[i - 1] * a[i] + a[i] * a[i + 1];
    }
}

void mirrored(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n+2]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[n-i-1:3]) /* auto: rbi block */
        b[i] = a[n - i - 1] - a[n - i + 1];
    }
}

/* The vector loop is shorter than the block, and the gang's row is shared by all of it. */
void short_rows(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop gang vector_length(64) copyin(a[0:n*WIDTH]) copyout(b[0:n*WIDTH])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i*WIDTH:WIDTH]) /* auto: rbi block */
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            b[i * WIDTH + j] = a[i * WIDTH + (WIDTH - 1 - j)] + a[i * WIDTH];
    }
}

/* One region in another. */
void nested(const float *restrict a, const float *restrict c, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n], c[0:WIDTH]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(c[0:WIDTH]) /* auto: rbi block */
        {
            float sum = 0;
            for (int k = 0; k < WIDTH; ++k) {
#pragma acc cache(a[i:1]) /* auto: none ACC419 */
                sum += a[i] * c[k];
            }
            b[i] = sum;
        }
    }
}

/* Written and read by its own thread, twice over. */
void accumulated(float *restrict a, const float *restrict c, int n, int m)
{
#pragma acc parallel loop copy(a[0:n]) copyin(c[0:m])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1]) /* auto: rbi block */
        for (int k = 0; k < m; ++k) {
            a[i] += c[k];
            a[i]++;
            a[i] *= 0.5f;
        }
    }
}

/* Every other element is written, the others are read only. */
void half_written(float *restrict a, int n)
{
#pragma acc parallel loop copy(a[0:2*n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[2*i:2]) /* auto: rbi block */
        {
            a[2 * i] = a[2 * i + 1] * 3;
            a[2 * i] += a[2 * i + 1];
        }
    }
}

void written_by_some(float *restrict a, int n)
{
#pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1]) /* auto: rbi block */
        if (i % 5 == 2)
            a[i] = -a[i] * a[i];
    }
}

/* The array's own names for what the tile may be called. */
void names(const float *restrict a_tile, float *restrict a, const float *restrict a_start, int n)
{
#pragma acc parallel loop copyin(a_tile[0:n], a_start[0:n]) copy(a[0:n])
    for (int i = 1; i < n - 1; ++i) {
        float active = 2, thread = 3;
#pragma acc cache(a_tile[i-1:3], a[i:1], a_start[i:1]) /* auto: rbi block, rbi block, rbi block */
        {
            a[i] = a_tile[i - 1] * active + a_tile[i + 1] * thread + a_start[i];
            a[i] += a_start[i];
        }
    }
}

/* Functions without an effect in subscripts. */
static inline int place(int i, int k) { return i + k; }

void called_in_subscripts(const float *restrict a, const float *restrict c, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n], c[0:8]) copy(b[0:n])
    for (int i = 4; i < n - 4; ++i) {
#pragma acc cache(a[i-4:9], c[0:5]) /* auto: rbc block, rbc block ACC409 */
        for (int k = -4; k <= 4; ++k)
            b[i] += a[place(i, k)] * c[abs(k)];
    }
#pragma acc parallel loop copy(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(b[i:1]) /* auto: rbc block ACC409 */
        {
            b[place(i, 0)] += 3;
            b[i] *= 2;
        }
    }
}

/* Types and constants have the names that the kernel would choose. */
typedef float b_tile;
enum { active = 3, i_width = 50, b_start = 7 };

void names_of_constants(const b_tile *restrict b, b_tile *restrict a, int n)
{
#pragma acc parallel loop copyin(b[0:n]) copy(a[0:n])
    for (int i = 1; i < n - 1; ++i) {
        typedef int i_first;
#pragma acc cache(b[i-1:3]) /* auto: rbi block */
        {
            i_first k = active * i;
            b_tile sum = b[i - 1] * active + b[i + 1] * i_width;
            a[i] = sum + b_start + k;
        }
    }
}

/* Narrow and wide numbers in one index: what is unsigned must not wrap before it meets what is wide. */
void of_two_widths(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])
    for (int i = 2; i < n - 2; ++i) {
#pragma acc cache(a[i-2:5]) /* auto: rbi block */
        for (int x = -1; x <= 1; ++x)
            for (long y = -1; y <= 1; ++y)
                b[i] += a[i + x + y] * (x + 3);
    }
}

void written_by_two_widths(float *restrict a, int n, int m)
{
#pragma acc parallel loop copy(a[0:n])
    for (long i = 24; i < n - 10; i += 25) {
#pragma acc cache(a[i-20:25]) /* auto: rbc block ACC409 */
        {
            for (int u = 0; u <= m; ++u)
                a[i - u] = u;
            for (int u = 0; u <= m; ++u)
                for (long v = 0; v <= 3; ++v)
                    a[i - u + v] += a[i - u];
        }
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 700);
    float *a = new_floats(n * WIDTH + 8, 1), *b = new_floats(n * WIDTH, 2), *c = new_floats(n + WIDTH, 3);
    fewer_blocks_than_work(a, b, n);
    SHOW("fewer_blocks_than_work", b, n);
    under_a_condition(a, b, n);
    SHOW("under_a_condition", b, n);
    under_a_uniform_condition(c, b, n, 1);
    SHOW("under_a_uniform_condition 1", b, n);
    under_a_uniform_condition(a, b, n, 0);
    SHOW("under_a_uniform_condition 0", b, n);
    skipped_by_continue(a, b, n);
    SHOW("skipped_by_continue", b, n);
    left_by_break(a, b, n);
    SHOW("left_by_break", b, n);
    with_a_reduction(a, b, n);
    SHOW("with_a_reduction", b, n);
    decreasing(a, b, n);
    SHOW("decreasing", b, n);
    mirrored(a, b, n);
    SHOW("mirrored", b, n);
    short_rows(a, b, n);
    SHOW("short_rows", b, n * WIDTH);
    nested(a, c, b, n);
    SHOW("nested", b, n);
    accumulated(b, c, n, 10);
    SHOW("accumulated", b, n);
    half_written(b, n);
    SHOW("half_written", b, 2 * n);
    written_by_some(b, n);
    SHOW("written_by_some", b, n);
    names(a, b, c, n);
    SHOW("names", b, n);
    called_in_subscripts(a, c, b, n);
    SHOW("called_in_subscripts", b, n);
    names_of_constants(a, b, n);
    SHOW("names_of_constants", b, n);
    of_two_widths(a, b, n);
    SHOW("of_two_widths", b, n);
    written_by_two_widths(b, n, 19);
    SHOW("written_by_two_widths", b, n);
    return 0;
}
