/* Conditions and bounds that are read through a pointer by all threads of a gang, also where the gang changes them. */
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 6, COLUMNS = 70 };

int main(int argc, char **argv)
{
    const int seed = argc > 1 ? atoi(argv[1]) : 1;
    int limit[ROWS], left[ROWS];
    float a[ROWS][COLUMNS];
    for (int i = 0; i < ROWS; i++) {
        limit[i] = (i * seed) % 6;
        left[i] = (7 - i * seed) % 11;
        for (int j = 0; j < COLUMNS; j++)
            a[i][j] = i + j;
    }
#pragma acc parallel loop gang copy(a, left) copyin(limit)
    for (int i = 0; i < ROWS; i++) {
        const int *first = &limit[i];
        int *rest = &left[i];
        if (*first > 2) {
#pragma acc loop vector
            for (int j = 0; j < COLUMNS; j++)
                a[i][j] += *first;
        }
        for (int k = *first; k < 5; k++) {
#pragma acc loop vector
            for (int j = 1; j < COLUMNS; j++)
                a[i][j] += k;
        }
        while (*rest > 0) {
#pragma acc loop vector
            for (int j = 0; j < COLUMNS; j++)
                if (j == *rest)
                    a[i][j] *= 2;
            *rest -= 1;
        }
#pragma acc loop vector
        for (int j = 0; j < COLUMNS; j++)
            if (j == 3)
                *rest = (int)a[i][j];
        for (int k = 0; k < *rest; k += 5) {
#pragma acc loop vector
            for (int j = 0; j < COLUMNS; j++)
                a[i][j] += 1;
        }
    }
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum += a[i][j] * (i + 2 * j + 1);
    printf("%.1f %d %d %g\n", sum, left[0], left[5], a[4][3]);
    return 0;
}
