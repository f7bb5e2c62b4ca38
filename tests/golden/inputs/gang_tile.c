/* A tile of the gang: its subarray follows the gang loop, and the vector loops inside share it.
 *
 * A gang owns 66 elements. The last one nobody writes, and the next gang reads it.
 */
#include "show.h"

void gang_tile(float *a, float *b, int n)
{
#pragma acc parallel loop gang vector_length(64) independent copy(a[0:66*n]) copy(b[0:66*n])
    for (int g = 1; g < n; ++g) {
#pragma acc cache(a[66*g-1:66])
        {
#pragma acc loop vector independent
            for (int k = 0; k < 65; ++k)
                b[66*g + k] += a[66*g + k - 1] + a[66*g + k];
#pragma acc loop vector independent
            for (int k = 0; k < 65; k += 2)
                a[66*g + k] = b[66*g + 64 - k] - a[66*g + k];
#pragma acc loop vector independent
            for (int k = 1; k < 64; ++k)
                b[66*g + k] += a[66*g + k - 1];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 3);
    float *a = filled(66 * n), *b = filled(66 * n);
    gang_tile(a, b, n);
    show("a", a, 66 * n);
    show("b", b, 66 * n);
    return 0;
}
