/* Three dimensions, as variable-length arrays. */
#include "show.h"

void solid(int n, int m, int l, const float a[n][m][l], float b[n][m][l])
{
#pragma acc parallel loop independent copyin(a[0:n][0:m][0:l]) copy(b[0:n][0:m][0:l])
    for (int i = 1; i < n; ++i) {
#pragma acc loop independent
        for (int j = 0; j < m - 1; ++j) {
#pragma acc loop independent
            for (int k = 1; k < l - 1; ++k) {
#pragma acc cache(a[i-1:2][j:2][k-1:3])
                b[i][j][k] = a[i-1][j][k] + 2*a[i][j+1][k] + 3*a[i][j][k-1] + 4*a[i][j][k+1];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 5), m = argument(argc, argv, 2, 6), l = argument(argc, argv, 3, 7);
    long size = (long)n * m * l;
    float *a = filled(size), *b = filled(size);
    solid(n, m, l, (const float (*)[m][l])a, (float (*)[m][l])b);
    show("b", b, size);
    return 0;
}
