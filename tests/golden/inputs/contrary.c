/* Contrary mappings: the row of a follows i, that of b and c follows j, and neighbouring threads differ in j. */
#include "show.h"

#define TILE 16

void contrary(const float *a, const float *b, float *c, int n, int m)
{
#pragma acc parallel loop independent copyin(a[0:n*m], b[0:n*m]) copy(c[0:n*n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop independent
        for (int j = 0; j < n; ++j) {
#pragma acc cache(c[j:1][i:1])
            {
                c[j*n + i] = 1;
                for (int l = 0; l < m; l += TILE) {
#pragma acc cache(a[i:1][l:TILE], b[j:1][l:TILE])
                    for (int k = l; k < l + TILE && k < m; ++k)
                        c[j*n + i] += a[i*m + k] - b[j*m + k];
                }
            }
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 20), m = argument(argc, argv, 2, 20);
    float *a = filled((long)n * m), *b = filled((long)n * m), *c = filled((long)n * n);
    contrary(a, b, c, n, m);
    show("c", c, (long)n * n);
    return 0;
}
