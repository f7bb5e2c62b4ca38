/* Arrays of two and three dimensions, the row of one rewritten, in caches that are shorter than what a thread uses. */
#include "show.h"

#define COLUMNS 24
#define DEPTH 3
#define STEPS 6

void grid(int n, const int column[n][STEPS], float (*restrict a)[COLUMNS], const float table[][COLUMNS][DEPTH])
{
#pragma acc parallel loop independent copyin(column[0:n][0:STEPS], table[0:n][0:COLUMNS][0:DEPTH]) copy(a[0:n][0:COLUMNS])
    for (int i = 0; i < n; ++i) {
#pragma acc cache(a[i:1][1:10], table[i:1][0:4][0:DEPTH], column[i:1][0:STEPS])
        for (int k = 0; k < STEPS; ++k) {
            int own = column[i][k];
            a[i][own] = a[i][k] + table[i][own][k % DEPTH] + table[i][k][2];
            if (a[i][own] > 0)
                a[i][11 - k] += table[i][own][0] + column[i][STEPS - 1 - k];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 100);
    float *a = filled((long)n * COLUMNS);
    float *table = filled((long)n * COLUMNS * DEPTH);
    int *column = filled_int((long)n * STEPS, 12);
    grid(n, (const int (*)[STEPS])column, (float (*)[COLUMNS])a, (const float (*)[COLUMNS][DEPTH])table);
    show("a", a, (long)n * COLUMNS);
    return 0;
}
