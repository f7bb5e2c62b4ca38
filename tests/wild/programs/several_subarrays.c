/* Several subarrays of one array: each serves the references that are proved to lie in it. */
#include "show.h"

#define WIDTH 40

/* Rows of a flat array, each with a tile; one loop fetches them. */
void three_rows(const float *restrict a, float *restrict b, int n, int m)
{
#pragma acc parallel loop gang copyin(a[0:n*m]) copy(b[0:n*m])
    for (int j = 1; j < n - 1; ++j) {
#pragma acc loop vector
        for (int i = 1; i < m - 1; ++i) {
#pragma acc cache(a[(j-1)*m+i-1:3], a[j*m+i-1:3], a[(j+1)*m+i-1:3]) /* auto: rbi block 3 of, rbi block 3 of, rbi block 2 of */
            {
                float up = a[(j - 1) * m + i - 1] + 2 * a[(j - 1) * m + i] - a[(j - 1) * m + i + 1];
                float down = 5 * a[(j + 1) * m + i] - a[(j + 1) * m + i + 1];
                b[j * m + i] = up + down + a[j * m + i - 1] + 3 * a[j * m + i] + a[j * m + i + 1];
            }
        }
    }
}

/* What lies in no subarray, or where only the data know, is read where it is. */
void elsewhere_too(const float *restrict a, const int *restrict where, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:2*n+8], where[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:4], a[n+i:3]) /* auto: rbi block 5 of, rbi block 3 of */
        {
            float sum = a[i] + a[i + 3] * a[n + i + 2] - a[n + i] + a[2 * i] + a[where[i]];
            for (int k = 0; k < 3; ++k)
                sum += a[i + k + 1] * a[n + i + k];
            for (int k = 0; k < 5; ++k)
                sum -= a[i + k];
            b[i] = sum + a[i] * a[i + 1];
        }
    }
}

/* In two directives; planes of an array with rows. */
void planes(float a[][WIDTH], float b[][WIDTH], int n)
{
#pragma acc parallel loop gang copyin(a[0:n+2]) copyout(b[0:n])
    for (int j = 0; j < n; ++j) {
#pragma acc loop vector
        for (int i = 1; i < WIDTH - 1; ++i) {
#pragma acc cache(a[j:1][i-1:3]) /* auto: rbi block 3 of */
#pragma acc cache(a[j+2:1][i-1:3]) /* auto: rbi block 3 of */
            b[j][i] = a[j][i - 1] + a[j][i] + a[j][i + 1] - a[j + 2][i - 1] - a[j + 2][i] - a[j + 2][i + 1];
        }
        b[j][0] = b[j][WIDTH - 1] = j;
    }
}

/* Subarrays that overlap: an element may be in two tiles while nobody writes it. */
void overlapping(const long *restrict a, long *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:n+6]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i+2:4], a[i:4]) /* auto: rbi block 4 of, rbi block 2 of */
        b[i] = a[i] * 3 - a[i + 1] + a[i + 2] * 5 + a[i + 3] * 7 + a[i + 4] - a[i + 5];
    }
}

/* Where no reference is proved to lie in one, the first serves all, and checks them. */
void nothing_proved(const float *restrict a, const int *restrict where, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:2*n], where[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:2], a[n+i:2]) /* auto: rbc block ACC409, none ACC402 serve all references */
        b[i] = a[where[i]] * 2 + a[where[i] + n / 2];
    }
}

/* What no earlier subarray serves is checked in a later one. */
void rest_in_the_second(const float *restrict a, const int *restrict where, float *restrict b, int n)
{
#pragma acc parallel loop copyin(a[0:2*n+2], where[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:3], a[n+i:2]) /* auto: rbi block 3 of, rbc block ACC409 */
        b[i] = a[i] + 2 * a[i + 1] + 3 * a[i + 2] + a[n + where[i]] * a[where[i]];
    }
}

/* An element that is written has one place. */
void written(float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copy(a[0:2*n]) copyout(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1], a[n+i:1]) /* auto: any, any */
        {
            a[i] = a[n + i] + 1;
            a[n + i] = a[i] * 2;
            b[i] = a[i] + a[n + i];
        }
    }
}

int main(int argc, char **argv)
{
    const int n = size_argument(argc, argv, 300);
    float *a = new_floats((n + 8) * WIDTH, 3), *b = calloc((n + 8) * WIDTH, sizeof *b);
    long *c = calloc(n + 6, sizeof *c), *d = calloc(n + 6, sizeof *d);
    int *where = calloc(n, sizeof *where);
    for (int i = 0; i < n; ++i)
        where[i] = i * 7 % n;
    for (int i = 0; i < n + 6; ++i)
        c[i] = i * i % 101;
    three_rows(a, b, 5, n);
    SHOW("three rows", b, 5 * n);
    elsewhere_too(a, where, b, n);
    SHOW("elsewhere too", b, n);
    planes((float (*)[WIDTH])a, (float (*)[WIDTH])b, n);
    SHOW("planes", b, n *WIDTH);
    overlapping(c, d, n);
    SHOW("overlapping", d, n);
    nothing_proved(a, where, b, n);
    SHOW("nothing proved", b, n);
    rest_in_the_second(a, where, b, n);
    SHOW("rest in the second", b, n);
    written(a, b, n);
    SHOW("written", a, 2 * n);
    free(a);
    free(b);
    free(c);
    free(d);
    free(where);
    return 0;
}
