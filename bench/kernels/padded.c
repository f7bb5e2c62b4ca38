/* A convolution of 5 x 5 taps with zeros beyond the edges, which conditions in the innermost loop stand for. */
#include "problem.h"
#define R 2

static void filter(int rows, int columns, const float *restrict image, const float *restrict weight, float *restrict out)
{
#pragma acc parallel loop gang copyin(image[0:rows*columns], weight[0:25]) copyout(out[0:rows*columns])
    for (int i = 0; i < rows; ++i)
#pragma acc loop vector
        for (int j = 0; j < columns; ++j) {
#pragma acc cache(image[i-R:2*R+1][j-R:2*R+1], weight[0:25])
            float sum = 0;
            for (int r = -R; r <= R; ++r)
                for (int c = -R; c <= R; ++c)
                    if (i + r >= 0 && i + r < rows && j + c >= 0 && j + c < columns)
                        sum += weight[(r + R) * 5 + c + R] * image[(i + r) * columns + j + c];
            out[i * columns + j] = sum;
        }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512);
    ALLOCATE(float, image, n * n);
    ALLOCATE(float, weight, 25);
    ALLOCATE(float, out, n * n);
    FILL(image, n * n);
    FILL(weight, 25);
    filter(n, n, image, weight, out);
    REPORT(out, n * n, (long)n * n);
    return 0;
}
