/* Two dimensions on flat pointers: a tile that is read, and one whose elements are also changed.
 *
 * There are more rows than the loops visit: what no iteration asks for must not be fetched.
 */
#include "show.h"

void plane(const float *a, float *b, int n, int m)
{
#pragma acc parallel loop independent copyin(a[0:(n+3)*m]) copy(b[0:n*m])
    for (int i = 1; i < n - 1; ++i) {
#pragma acc loop independent
        for (int j = 0; j < m - 2; ++j) {
#pragma acc cache(a[i-1:3][j:3], b[i:1][j:1])
            {
                b[i*m + j] += a[(i-1)*m + j] + a[i*m + j + 1];
                if (b[i*m + j] > 0)
                    b[i*m + j] = a[(i+1)*m + j + 2];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 20), m = argument(argc, argv, 2, 20);
    float *a = filled((n + 3L) * m), *b = filled((long)n * m);
    plane(a, b, n, m);
    show("b", b, (long)n * m);
    return 0;
}
