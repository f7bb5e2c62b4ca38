/* Columns of an image weighted with 17 taps; rows beyond the edges are taken to be the first and the last one. */
#include "problem.h"
#define R 8

static void blur(int rows, int columns, const float *restrict image, const float *restrict weight, float *restrict out)
{
#pragma acc parallel loop gang copyin(image[0:rows*columns], weight[0:2*R+1]) copyout(out[0:rows*columns])
    for (int i = 0; i < rows; ++i)
#pragma acc loop vector
        for (int j = 0; j < columns; ++j) {
#pragma acc cache(weight[0:2*R+1])
            float sum = 0;
            for (int k = -R; k <= R; ++k) {
                int row = i + k;
                if (row < 0)
                    row = 0;
                if (row > rows - 1)
                    row = rows - 1;
                sum += weight[k + R] * image[row * columns + j];
            }
            out[i * columns + j] = sum;
        }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512);
    ALLOCATE(float, image, n * n);
    ALLOCATE(float, weight, 2 * R + 1);
    ALLOCATE(float, out, n * n);
    FILL(image, n * n);
    FILL(weight, 2 * R + 1);
    blur(n, n, image, weight, out);
    REPORT(out, n * n, (long)n * n);
    return 0;
}
