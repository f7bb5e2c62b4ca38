/* Two-dimensional subarrays: of flat pointers, whose row length the references tell, and of real matrices. */
#include "show.h"

#define COLUMNS 37

/* The lower bounds are computed just above. */
void temporaries(const float *restrict b, float *restrict a, int n, int m)
{
#pragma acc kernels loop independent copyin(b[0:n*m]) copy(a[0:n*m])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc loop independent
        for (int j = 1; j < m - 1; ++j) {
            int im1 = i - 1, jm1 = j - 1;
            float sum = 0;
#pragma acc cache(b[im1:3][jm1:3]) /* auto: rbi block */
            for (int p = -1; p <= 1; ++p)
                for (int q = -1; q <= 1; ++q)
                    sum += b[(i + p) * m + j + q];
            a[i * m + j] = sum / 9;
        }
    }
}

void direct(const float *restrict b, float *restrict a, int n, int m)
{
#pragma acc parallel loop collapse(2) copyin(b[0:n*m]) copy(a[0:n*m])
    for (int i = 1; i < n - 1; ++i)
        for (int j = 1; j < m - 1; ++j) {
#pragma acc cache(b[i-1:3][j-1:3]) /* auto: rbi block */
            a[i * m + j] = b[(i - 1) * m + j] + b[(i + 1) * m + j] + b[i * m + j - 1] + b[i * m + j + 1];
        }
}

void corner_out_of_range(const float *restrict b, float *restrict a, int n, int m)
{
#pragma acc parallel loop collapse(2) copyin(b[0:n*m]) copy(a[0:n*m])
    for (int i = 1; i < n - 1; ++i)
        for (int j = 1; j < m - 2; ++j) {
#pragma acc cache(b[i-1:3][j-1:3]) /* auto: none ACC419 256 global loads */
            a[i * m + j] = b[(i - 1) * m + j] + b[(i + 1) * m + j + 2];
        }
}

void matrix(int n, float b[restrict][COLUMNS], float a[restrict][COLUMNS])
{
#pragma acc parallel loop collapse(2) copyin(b[0:n]) copy(a[0:n])
    for (int i = 1; i < n - 1; ++i)
        for (int j = 1; j < COLUMNS - 1; ++j) {
#pragma acc cache(b[i-1:3][j-1:3]) /* auto: rbi block */
            a[i][j] = b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1];
        }
}

void variable_length(int n, int m, float b[restrict n][m], float a[restrict n][m])
{
#pragma acc parallel loop collapse(2) copyin(b[0:n][0:m]) copy(a[0:n][0:m])
    for (int i = 1; i < n - 1; ++i)
        for (int j = 1; j < m - 1; ++j) {
#pragma acc cache(b[i-1:3][j-1:3]) /* auto: rbi block */
            a[i][j] = b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1];
        }
}

/* With one row length the second reference wanders through the columns: it is checked. */
void two_pitches(const float *restrict b, float *restrict a, int n, int m)
{
#pragma acc parallel loop collapse(2) copyin(b[0:n*m]) copy(a[0:n*m])
    for (int i = 0; i < n - 1; ++i)
        for (int j = 0; j < m - 1; ++j) {
#pragma acc cache(b[i:2][j:2]) /* auto: any */
            a[i * m + j] = b[i * m + j] + b[i * (m - 1) + j];
        }
}

/* One row a gang, three of its elements a thread. */
void row_of_a_gang(const float *restrict b, float *restrict a, int n, int m)
{
#pragma acc parallel loop gang copyin(b[0:n*m]) copy(a[0:n*m])
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector
        for (int j = 1; j < m - 1; ++j) {
#pragma acc cache(b[i:1][j-1:3]) /* auto: rbi block */
            a[i * m + j] = b[i * m + j - 1] - b[i * m + j + 1];
        }
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 50);
    int m = COLUMNS, count = n * m;
    float *b = new_floats(count, 1), *a = new_floats(count, 2);
    temporaries(b, a, n, m);
    SHOW("temporaries", a, count);
    direct(b, a, n, m);
    SHOW("direct", a, count);
    corner_out_of_range(b, a, n, m);
    SHOW("corner_out_of_range", a, count);
    matrix(n, (float(*)[COLUMNS])b, (float(*)[COLUMNS])a);
    SHOW("matrix", a, count);
    variable_length(n, m, (float(*)[m])b, (float(*)[m])a);
    SHOW("variable_length", a, count);
    two_pitches(b, a, n, m);
    SHOW("two_pitches", a, count);
    row_of_a_gang(b, a, n, m);
    SHOW("row_of_a_gang", a, count);
    return 0;
}
