/* Ways in which a translated program is another than the sequential one; the argument chooses. */
#include <stdio.h>
#include <stdlib.h>

struct point { char tag; double at[2]; };

int main(int argc, char **argv)
{
    int way = argc > 1 ? atoi(argv[1]) : 0, left = 5, c;
    static struct point points[4];
    static double grid[6][8], *row = grid[0];
    static int all[64];
    float sum = 0;
    while ((c = getchar()) != EOF)
        left += c == 'x';
    if (way == 0) {
#pragma acc data copy(all) copyin(grid)
        {
#pragma acc parallel loop
            for (int i = 0; i < 64; i++)
                all[i] = i;
#pragma acc parallel loop
            for (int i = 0; i < 64; i++)
                all[i] += i * left;
        }
    }
    if (way == 1) {
#pragma acc parallel loop reduction(+:sum)
        for (int i = 1; i < 100000; i++)
            sum += 1.0f / i;
    }
    if (way == 2) {
#pragma acc parallel num_gangs(3) copy(points)
        points[1].at[1] += 2;
    }
    if (way == 3) {
#pragma acc data copy(grid)
        {
#pragma acc parallel loop collapse(2)
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 8; j++)
                    grid[i][j] = i;
#pragma acc parallel num_gangs(2)
            { grid[2][5] += 1; grid[4][1] += 1; }
#pragma acc parallel loop
            for (int i = 0; i < 6; i++)
                grid[i][0] = 7;
        }
    }
    if (way == 4 || way == 5) {
#pragma acc parallel loop private(left) copy(all)
        for (int i = 0; i < 64; i++) {
            left = i;
            all[i] = left;
        }
    }
    if (way == 5 && left == 63) {
#pragma acc parallel loop copy(row[0:8])
        for (int i = 0; i < 8; i++)
            row[i] = i;
    }
    if (way == 6) {
        int bits = 0;
#pragma acc parallel num_gangs(4) reduction(+:bits)
        bits += 1;
        all[0] = bits;
    }
    printf("%d %g %g %d\n", all[63], sum, grid[2][5], left);
    if (way == 7) {
#pragma acc parallel loop copy(all)
        for (int i = 0; i < 64; i++)
            all[i] = i;
        puts("here");
        fflush(stdout);
        abort();
    }
    return way == 4 ? left : 0;
}
