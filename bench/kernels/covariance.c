/* Sums of products of the columns of a matrix, of pairs in the upper triangle: each is stored in its mirror's place, too. */
#include "problem.h"

static void covariance(int m, int n, const float *restrict data, float *restrict symmat)
{
#pragma acc parallel loop gang copyin(data[0:m*n]) copyout(symmat[0:m*m])
    for (int i = 0; i < m; ++i) {
#pragma acc loop vector
        for (int j = i; j < m; ++j) {
            float sum = 0;
            for (int k = 0; k < n; ++k)
                sum += data[k * m + i] * data[k * m + j];
            symmat[i * m + j] = sum;
            symmat[j * m + i] = sum;
        }
    }
}

int main(int argc, char **argv)
{
    const int m = (int)size_of(argc, argv, 768), n = m / 4;
    ALLOCATE(float, data, m * n);
    ALLOCATE(float, symmat, m * m);
    FILL(data, m * n);
    covariance(m, n, data, symmat);
    REPORT(symmat, m * m, (long)m * (m + 1) / 2 * n);
    return 0;
}
