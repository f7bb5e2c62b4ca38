/* collapse, tile and gang dimensions: every case gives what the sequential program gives. */
#include "show.h"

static int box[9][7][5][3];
static int plane[40][50];

void collapse_four(int n)
{
#pragma acc parallel loop collapse(4) copy(box)
    for (int i = 0; i < n; ++i)
        for (int j = 6; j >= 0; --j)
            for (int k = 1; k < 5; k += 2)
                for (int l = 0; l <= 2; ++l)
                    box[i][j][k][l] += i * 1000 + j * 100 + k * 10 + l;
}

void collapse_four_unknown(int rows, int columns, int depth)
{
#pragma acc parallel loop collapse(2 * 2) copy(box)
    for (int i = 0; i < 9; ++i)
        for (int j = 0; j < rows; ++j)
            for (int k = columns - 1; k > -1; k -= 3)
                for (int l = 1; l < depth; ++l)
                    box[i][j][k][l] += i + j - k * l;
}

void collapse_forced(int n)
{
#pragma acc parallel loop gang vector collapse(force:2) copy(plane)
    for (int i = 0; i < n; ++i) {
        int twice = 2 * i;
        for (int j = 0; j < 50; ++j)
            plane[i][j] += twice + j;
    }
}

/* what stands between runs once in each iteration of the outer loop */
void collapse_not_forced(int n)
{
#pragma acc parallel loop collapse(force:2) copy(plane)
    for (int i = 0; i < n; ++i) {
        plane[i][0] += 7;
        for (int j = 40; j < n; ++j)
            plane[i][j] += 2 * i;
    }
#pragma acc parallel loop collapse(force:2) copy(plane)
    for (int i = 0; i < n; ++i) {
        for (int j = 1; j < 30; ++j) {
            if ((i + j) % 3)
                continue;
            plane[i][j] += i;
        }
        plane[i][30] *= 3;
    }
#pragma acc parallel loop collapse(force:2) copy(plane)
    for (int i = 0; i < n; ++i) {
        int before = plane[i][0];
        for (int j = 0; j < 50; ++j)
            plane[i][j] += before;
    }
#pragma acc parallel loop collapse(force:2) copy(plane)
    for (int i = 0; i < n; ++i) {
        int end = i % 9;
        for (int j = 0; j < end; ++j)
            plane[i][j] += 5;
    }
}

void tiles(int n)
{
#pragma acc parallel loop tile(8, 16) copy(plane)
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 50; ++j)
            plane[i][j] = 3 * plane[i][j] + i - j;
#pragma acc parallel loop tile(4, *) copy(plane)
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 50; ++j)
            plane[i][j] += i * j;
#pragma acc parallel loop gang tile(4096) copy(plane)
    for (int i = 0; i < n; ++i)
        plane[i][1] += i;
}

void gang_dimensions(int n)
{
#pragma acc parallel num_gangs(3, 2, 2) copy(box)
#pragma acc loop gang(dim:3)
    for (int i = 0; i < n; ++i) {
#pragma acc loop gang(dim:2)
        for (int j = 0; j < 7; ++j) {
#pragma acc loop gang(dim:1) vector
            for (int k = 0; k < 5; ++k)
                box[i][j][k][0] += i + j + k;
        }
    }
}

void gang_dimensions_without_sizes(int n)
{
#pragma acc parallel copy(plane)
#pragma acc loop gang(dim:2)
    for (int i = 0; i < n; ++i) {
#pragma acc loop gang(dim:1, static:*) vector
        for (int j = 0; j < 50; ++j)
            plane[i][j] ^= i + j;
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 9);
    collapse_four(n < 9 ? n : 9);
    SHOW("collapse_four", &box[0][0][0][0], 9 * 7 * 5 * 3);
    collapse_four_unknown(n % 7, n % 5, 3);
    collapse_four_unknown(-1, -1, 3);
    SHOW("collapse_four_unknown", &box[0][0][0][0], 9 * 7 * 5 * 3);
    collapse_forced(n);
    SHOW("collapse_forced", &plane[0][0], 40 * 50);
    collapse_not_forced(n);
    SHOW("collapse_not_forced", &plane[0][0], 40 * 50);
    tiles(n);
    SHOW("tiles", &plane[0][0], 40 * 50);
    gang_dimensions(n < 9 ? n : 9);
    SHOW("gang_dimensions", &box[0][0][0][0], 9 * 7 * 5 * 3);
    gang_dimensions_without_sizes(n);
    SHOW("gang_dimensions_without_sizes", &plane[0][0], 40 * 50);
    return 0;
}
