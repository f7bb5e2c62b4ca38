/* Compute constructs whose clauses name a part of one row, of arrays whose rows are of constant length and of others. */
#include "show.h"

enum { R = 6, C = 300, D = 3 };

static int table[R][C];
static double box[R][C][D];

static void of_constant_length(int r, int c, int *out)
{
#pragma acc parallel loop copy(table[r][2:5])
    for (int j = 2; j < 7; ++j)
        table[r][j] *= 2;
#pragma acc parallel loop copy(table[4][1:3])
    for (int j = 1; j < 4; ++j)
        table[4][j] *= 3;
#pragma acc parallel loop copy(box[2][1:3]) copyin(table[r - 1:1][1:3])
    for (int j = 1; j < 4; ++j)
        for (int k = 0; k < D; ++k)
            box[2][j][k] += table[r - 1][j];
#pragma acc parallel loop copy(box[r - 1][c][1:2])
    for (int k = 1; k < D; ++k)
        box[r - 1][c][k] += 3;
#pragma acc enter data copyin(table[4][c:])
#pragma acc parallel loop present(table[4][c:])
    for (int j = c; j < C; ++j)
        table[4][j] -= j;
#pragma acc exit data copyout(table[4][c:])
#pragma acc parallel loop copyin(table[3:1][20:100]) copyout(out[0:100])
    for (int j = 20; j < 120; ++j) {
#pragma acc cache(table[3][0:C])
        int sum = 0;
        for (int k = -2; k < 3; ++k)
            if (j + k >= 20 && j + k < 120)
                sum += table[3][j + k];
        out[j - 20] = sum;
    }
    SHOW("cached", out, 100);
}

static void of_variable_length(int n, int m, int r, float (*p)[m], float q[n][m])
{
#pragma acc parallel loop copy(p[r][1:m - 2]) copyin(q[r:1][1:])
    for (int j = 1; j < m - 1; ++j)
        p[r][j] += q[r][j];
#pragma acc parallel loop copy(p[r][m / 2:1])
    for (int j = m / 2; j < m / 2 + 1; ++j)
        p[r][j] += 5;
    SHOW("variable", &p[0][0], n * m);
}

int main(void)
{
    int out[100];
    for (int i = 0; i < R; ++i)
        for (int j = 0; j < C; ++j) {
            table[i][j] = noise(i, j);
            for (int k = 0; k < D; ++k)
                box[i][j][k] = noise(j, i) * 0.5 + k;
        }
    of_constant_length(3, 5, out);
    SHOW("table", &table[0][0], R * C);
    SHOW("box", &box[0][0][0], R * C * D);
    float *p = new_floats(7 * 13, 1), *q = new_floats(7 * 13, 2);
    of_variable_length(7, 13, 4, (float(*)[13])p, (float(*)[13])q);
    free(p);
    free(q);
    return 0;
}
