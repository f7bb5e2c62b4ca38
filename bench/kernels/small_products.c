/* A batch of products of 4 x 4 matrices. */
#include "problem.h"

typedef struct {
    float v[4][4];
} matrix;

static void multiply(int n, const matrix *restrict a, const matrix *restrict b, matrix *restrict c)
{
#pragma acc parallel loop collapse(3) copyin(a[0:n], b[0:n]) copyout(c[0:n])
    for (int s = 0; s < n; ++s)
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                float sum = 0;
                for (int k = 0; k < 4; ++k)
                    sum += a[s].v[i][k] * b[s].v[k][j];
                c[s].v[i][j] = sum;
            }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 2048);
    ALLOCATE(float, a, 16 * n);
    ALLOCATE(float, b, 16 * n);
    ALLOCATE(float, c, 16 * n);
    FILL(a, 16 * n);
    FILL(b, 16 * n);
    multiply(n, (const matrix *)a, (const matrix *)b, (matrix *)c);
    REPORT(c, 16 * n, 16 * n);
    return 0;
}
