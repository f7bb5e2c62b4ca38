/* Tiles that are written: who owns which element, and what has to be loaded before and stored afterwards. */
#include "show.h"

#define WIDTH 48

/* Each iteration owns one element, but it is not the one of its subarray. */
void beside_the_range(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop copy(a[0:n+1]) copyin(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1]) /* auto: rbc block */
        {
            a[i + 1] = b[i] * 2;
            a[i + 1] -= b[i];
        }
    }
}

/* Two copies of an element in two tiles would not know of each other's writes. */
void copied_twice(float *restrict a, float *restrict b, int n)
{
#pragma acc parallel loop copy(a[0:n], b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1]) /* auto: none ACC402 inside caches the same array */
        {
            a[i] = b[i] + 1;
            for (int t = 0; t < 2; ++t) {
#pragma acc cache(a[i:1]) /* auto: rbi block */
                b[i] += a[i] * a[i];
            }
        }
    }
}

/* Every element of the block's range is written, so all of it goes back without a mask. */
void filled_in_chunks(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop copy(a[0:3*n+1]) copyin(b[0:n])
    for (int i = n - 1; i >= 0; --i) {
#pragma acc cache(a[3*i+1:3]) /* auto: rbi block */
        {
            for (int k = 3 * i + 1; k < 3 * i + 4; ++k)
                a[k] = b[i] - k;
            if (b[i] > 100)
                a[3 * i + 2] = a[3 * i + 1] * 2;
        }
    }
}

/* Some elements keep their values: the mask tells which. */
void filled_in_part(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop copy(a[0:3*n]) copyin(b[0:n])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[3*i:3]) /* auto: rbc block */
        for (int k = 0; k < i % 4; ++k)
            a[3 * i + k] += b[i];
    }
}

/* A gang writes its row, and its threads read what others of them wrote. */
void filled_by_gangs(float *restrict a, const float *restrict b, int n)
{
#pragma acc parallel loop gang vector_length(32) copy(a[0:WIDTH*n]) copyin(b[0:n])
    for (int g = 0; g < n; ++g) {
#pragma acc cache(a[WIDTH*g:WIDTH]) /* auto: rbi block */
        {
#pragma acc loop vector
            for (int k = 0; k < WIDTH; ++k)
                a[WIDTH * g + k] = b[g] + k;
            for (int t = 0; t < 2; ++t) {
#pragma acc loop vector
                for (int k = 0; k < WIDTH / 2; ++k)
                    a[WIDTH * g + k] -= a[WIDTH * g + WIDTH - 1 - k];
            }
        }
    }
}

/* Two dimensions of a variable-length array, two elements by one in each iteration. */
void filled_in_pairs(int n, float a[n][n], const float *restrict b)
{
#pragma acc parallel loop collapse(2) copy(a[0:n][0:n]) copyin(b[0:n])
    for (int i = 0; i < n / 2; ++i)
        for (int j = 0; j < n; ++j) {
#pragma acc cache(a[2*i:2][j:1]) /* auto: rbi block */
            {
                a[2 * i][j] = b[j] - i;
                a[2 * i + 1][j] = a[2 * i][j] * 2;
            }
        }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 700);
    float *a = new_floats(n * WIDTH, 1), *b = new_floats(n, 2), *square = new_floats(n * n, 3);
    beside_the_range(a, b, n);
    SHOW("beside_the_range", a, n + 1);
    copied_twice(a, b, n);
    SHOW("copied_twice", b, n);
    filled_in_chunks(a, b, n);
    SHOW("filled_in_chunks", a, 3 * n + 2);
    filled_in_part(a, b, n);
    SHOW("filled_in_part", a, 3 * n + 1);
    filled_by_gangs(a, b, n);
    SHOW("filled_by_gangs", a, WIDTH * n);
    filled_in_pairs(n, (float (*)[n])square, b);
    SHOW("filled_in_pairs", square, n * n);
    return 0;
}
