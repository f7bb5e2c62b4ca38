/* A batch of 6 x 6 matrices, each factored in place by its own iteration: the lower and the upper part. */
#include "problem.h"
#define N 6

static void factor(int batch, float *restrict m)
{
#pragma acc parallel loop copy(m[0:batch*N*N])
    for (int b = 0; b < batch; ++b) {
#pragma acc cache(m[b*N*N:N*N])
        for (int k = 0; k < N; ++k)
            for (int i = k + 1; i < N; ++i) {
                m[(b * N + i) * N + k] /= m[(b * N + k) * N + k];
                for (int j = k + 1; j < N; ++j)
                    m[(b * N + i) * N + j] -= m[(b * N + i) * N + k] * m[(b * N + k) * N + j];
            }
    }
}

int main(int argc, char **argv)
{
    const int batch = (int)size_of(argc, argv, 2048), n = batch * N * N;
    ALLOCATE(float, m, n);
    for (int i = 0; i < n; ++i)
        m[i] = (float)input(i) + (i % (N * N) % (N + 1) == 0) * N;
    factor(batch, m);
    REPORT(m, n, n);
    return 0;
}
