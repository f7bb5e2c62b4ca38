/* A tile of the gang: its subarray follows the gang loop, and the vector loops inside share it. */
#include "show.h"

void gang_tile(float *a, float *b, int n)
{
#pragma acc parallel loop gang vector_length(64) independent copy(a[0:65*n]) copy(b[0:65*n])
    for (int g = 0; g < n; ++g) {
#pragma acc cache(a[65*g:65])
        {
#pragma acc loop vector independent
            for (int k = 0; k < 64; ++k)
                b[65*g + k] += a[65*g + k] + a[65*g + k + 1];
#pragma acc loop vector independent
            for (int k = 0; k < 65; k += 2)
                a[65*g + k] = b[65*g + 64 - k] - a[65*g + k];
#pragma acc loop vector independent
            for (int k = 1; k < 64; ++k)
                b[65*g + k] += a[65*g + k - 1];
        }
    }
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 3);
    float *a = filled(65 * n), *b = filled(65 * n);
    gang_tile(a, b, n);
    show("a", a, 65 * n);
    show("b", b, 65 * n);
    return 0;
}
