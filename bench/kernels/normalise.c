/* Rows with mean 0 and variance 1; the row is kept on chip by a cache directive of the gang. */
#include "problem.h"
#define WIDTH 256

static void normalise(int rows, const float *restrict in, float *restrict out)
{
#pragma acc parallel loop gang vector_length(64) copyin(in[0:rows*WIDTH]) copyout(out[0:rows*WIDTH])
    for (int r = 0; r < rows; ++r) {
#pragma acc cache(in[r*WIDTH:WIDTH])
        float mean = 0, variance = 0;
#pragma acc loop vector reduction(+:mean)
        for (int j = 0; j < WIDTH; ++j)
            mean += in[r * WIDTH + j];
        mean /= WIDTH;
#pragma acc loop vector reduction(+:variance)
        for (int j = 0; j < WIDTH; ++j)
            variance += (in[r * WIDTH + j] - mean) * (in[r * WIDTH + j] - mean);
        variance /= WIDTH;
#pragma acc loop vector
        for (int j = 0; j < WIDTH; ++j)
            out[r * WIDTH + j] = (in[r * WIDTH + j] - mean) / sqrtf(variance + 1e-5f);
    }
}

int main(int argc, char **argv)
{
    const int rows = (int)size_of(argc, argv, 256);
    ALLOCATE(float, in, rows * WIDTH);
    ALLOCATE(float, out, rows * WIDTH);
    FILL(in, rows * WIDTH);
    normalise(rows, in, out);
    REPORT(out, rows * WIDTH, rows * WIDTH);
    return 0;
}
