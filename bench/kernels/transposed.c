/* A matrix transposed, by tiles of the gangs' own. */
#include "problem.h"
#define TILE 32

static void transpose(int n, const float *restrict a, float *restrict b)
{
#pragma acc parallel loop gang collapse(2) vector_length(256) copyin(a[0:n*n]) copyout(b[0:n*n])
    for (int r = 0; r < n; r += TILE)
        for (int c = 0; c < n; c += TILE) {
            float tile[TILE][TILE];
#pragma acc cache(tile)
#pragma acc loop vector collapse(2)
            for (int i = 0; i < TILE; ++i)
                for (int j = 0; j < TILE; ++j)
                    tile[i][j] = a[(r + i) * n + c + j];
#pragma acc loop vector collapse(2)
            for (int i = 0; i < TILE; ++i)
                for (int j = 0; j < TILE; ++j)
                    b[(c + i) * n + r + j] = tile[j][i];
        }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 256) / TILE * TILE;
    ALLOCATE(float, a, n * n);
    ALLOCATE(float, b, n * n);
    FILL(a, n * n);
    transpose(n, a, b);
    REPORT(b, n * n, n * n);
    return 0;
}
