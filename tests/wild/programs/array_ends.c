/* Tiles at the ends of arrays: what the device does not hold must not be loaded, whoever says how much it holds. */
#include "show.h"

#define COUNT 300

/* The device has the middle of the array only. */
void part_of_a_declared_array(const float *restrict in, float *restrict out, int from, int count)
{
    float own[COUNT];
    for (int k = 0; k < COUNT; ++k)
        own[k] = in[k];
#pragma acc parallel loop copyin(own[from:count]) copy(out[0:COUNT])
    for (int i = from; i < from + count; ++i) {
#pragma acc cache(own[i-1:3]) /* auto: rbi block */
        {
            out[i] += own[i] * own[i];
            if (i > from)
                out[i] -= own[i - 1];
            if (i + 1 < from + count)
                out[i] *= own[i + 1];
        }
    }
}

/* The device has the array from an element on that the loop begins with, in rows. */
void part_of_rows(const float (*restrict a)[8], float (*restrict b)[8], int from, int n)
{
#pragma acc parallel loop copyin(a[from:n-from]) copy(b[0:n])
    for (int i = from; i < n; ++i) {
#pragma acc cache(a[i-1:3][0:8]) /* auto: rbi block */
        for (int k = 0; k < 8; ++k) {
            b[i][k] += a[i][7 - k] * a[i][k] * a[i][0];
            if (i > from && i + 1 < n)
                b[i][k] -= a[i - 1][k] * a[i + 1][k] - a[i - 1][7 - k] * a[i + 1][7 - k];
        }
    }
}

/* Two names for one array, one of which begins where nothing is mapped. */
void under_two_names(float *a, float *part, float *out, int from, int n)
{
#pragma acc parallel loop copy(a[from:n-from], part[0:n-from]) copy(out[0:n])
    for (int i = from; i < n; ++i) {
#pragma acc cache(a[i:1]) /* auto: rbi block */
        {
            out[i] = a[i] * a[i];
            part[i - from] += 1;
            out[i] -= a[i];
        }
    }
}

/* The length that the clause named is not the length that the loop counts to. */
void length_changed_in_the_kernel(const float *restrict a, float *restrict b, int n)
{
#pragma acc parallel copyin(a[0:n]) copy(b[0:n])
    {
        int have = n;
        n += 3;
#pragma acc loop gang vector
        for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
            if (i + 1 < have)
                b[i] += a[i - 1] * a[i] - a[i + 1] + a[i];
        }
    }
}

/* The names change places, and the arrays are not equally long. */
void exchanged(float *a, float *b, float *c, int n, int less)
{
    int have = n;
#pragma acc data copy(a[0:n], b[0:n-less]) copy(c[0:n])
    for (int k = 0; k < 2; ++k) {
#pragma acc parallel loop
        for (int i = 1; i < n - 1; ++i) {
#pragma acc cache(a[i-1:3]) /* auto: rbi block */
            if (i + 1 < have)
                c[i] += a[i - 1] + a[i] - 2 * a[i + 1];
        }
        float *other = a;
        a = b;
        b = other;
        have = n - less;
    }
}

/* Three dimensions on a flat pointer. */
void solid(const float *a, float *b, int n, int m, int l)
{
#pragma acc data copyin(a[0:n*m*l]) copy(b[0:n*m*l])
    {
#pragma acc parallel loop collapse(3)
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < m - 1; ++j)
                for (int k = 1; k < l - 1; ++k) {
#pragma acc cache(a[i-1:3][j-1:3][k-1:3]) /* auto: rbi block */
                    for (int d = -1; d < 2; ++d)
                        b[i*m*l + j*l + k] += a[(i + d)*m*l + j*l + k] + a[i*m*l + (j + d)*l + k] * a[i*m*l + j*l + k + d];
                }
    }
}

/* The rows below the last one are not there, and the last row is not complete. */
void incomplete_plane(const float *a, float *b, int n, int m)
{
#pragma acc data copyin(a[0:n*m-m/2]) copy(b[0:n*m])
    {
#pragma acc parallel loop
        for (int i = 1; i < n; ++i)
#pragma acc loop
            for (int j = 1; j < m - 1; ++j) {
#pragma acc cache(a[i-1:3][j-1:3]) /* auto: rbi block */
                for (int d = -1; d < 2; ++d) {
                    b[i*m + j] += a[(i - 1)*m + j + d] - a[(i - 1)*m + j] * 2;
                    if (i + 1 < n - 1)
                        b[i*m + j] -= a[(i + 1)*m + j + d];
                }
            }
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 290);
    float *a = new_floats(COUNT + n, 1), *b = new_floats(COUNT + n, 2), *c = new_floats(COUNT + n, 3);
    part_of_a_declared_array(a, b, 5, n < COUNT - 10 ? n : COUNT - 10);
    SHOW("part_of_a_declared_array", b, COUNT);
    if (n > 10) {
        part_of_rows((const float (*)[8])a, (float (*)[8])b, n / 80, n / 8);
        SHOW("part_of_rows", b, n);
        under_two_names(a, a + 7, b, 7, n);
        SHOW("under_two_names", b, n);
    }
    length_changed_in_the_kernel(a, b, n);
    SHOW("length_changed_in_the_kernel", b, n);
    exchanged(a, b, c, n, 0);
    SHOW("exchanged", c, n);
    exchanged(a, b, c, n, n / 3);
    SHOW("exchanged, one shorter", c, n);
    int m = n % 20 + 1, l = n % 40 + 1, rows = n % 30 + 1;
    float *volume = new_floats(rows * m * l, 4), *sums = new_floats(rows * m * l, 5);
    solid(volume, sums, rows, m, l);
    SHOW("solid", sums, rows * m * l);
    incomplete_plane(volume, sums, rows, m);
    SHOW("incomplete_plane", sums, rows * m);
    return 0;
}
