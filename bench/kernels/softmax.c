/* Softmax of rows: a maximum, a sum, and a division, each a walk along the row. */
#include "problem.h"

static void softmax(int rows, int n, const float *restrict in, float *restrict out)
{
#pragma acc parallel loop gang copyin(in[0:rows*n]) copyout(out[0:rows*n])
    for (int r = 0; r < rows; ++r) {
        float top = in[r * n], sum = 0;
#pragma acc loop vector reduction(max:top)
        for (int j = 0; j < n; ++j)
            top = fmaxf(top, in[r * n + j]);
#pragma acc loop vector reduction(+:sum)
        for (int j = 0; j < n; ++j)
            sum += expf(in[r * n + j] - top);
#pragma acc loop vector
        for (int j = 0; j < n; ++j)
            out[r * n + j] = expf(in[r * n + j] - top) / sum;
    }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512), rows = 128;
    ALLOCATE(float, in, rows * n);
    ALLOCATE(float, out, rows * n);
    FILL(in, rows * n);
    softmax(rows, n, in, out);
    REPORT(out, rows * n, rows * n);
    return 0;
}
