/* Tiles that a sequential loop moves along. */
#include "show.h"

#define TILE 16

void product(const float *restrict a, const float *restrict b, float *restrict c, int n, int m)
{
#pragma acc kernels loop independent copyin(a[0:n*m], b[0:m*n]) copyout(c[0:n*n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop independent
        for (int j = 0; j < n; ++j) {
            float sum = 0;
#pragma acc loop seq
            for (int l = 0; l < m; l += TILE) {
#pragma acc cache(a[i:1][l:TILE], b[l:TILE][j:1]) /* auto: rbi block, rbi block */
                for (int k = 0; k < TILE; ++k)
                    sum += a[i * m + l + k] * b[(l + k) * n + j];
            }
            c[i * n + j] = sum;
        }
    }
}

/* The rows of a follow i, those of b follow j: contrary mappings in one directive. */
void product_with_transposed(const float *restrict a, const float *restrict b, float *restrict c, int n, int m)
{
#pragma acc parallel loop copyin(a[0:n*m], b[0:n*m]) copyout(c[0:n*n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < m; l += TILE) {
#pragma acc cache(a[i:1][l:TILE], b[j:1][l:TILE]) /* auto: rbi block, rbi block */
                for (int k = 0; k < TILE; ++k)
                    sum += a[i * m + l + k] * b[j * m + l + k];
            }
            c[i * n + j] = sum;
        }
    }
}

void gang_and_vector(const float *restrict a, const float *restrict b, float *restrict c, int n, int m)
{
#pragma acc parallel loop gang vector_length(32) copyin(a[0:n*m], b[0:m*n]) copyout(c[0:n*n])
    for (int i = 0; i < n; ++i) {
#pragma acc loop vector
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < m; l += TILE) {
#pragma acc cache(a[i:1][l:TILE]) /* auto: rbi block */
                for (int k = l; k < l + TILE; ++k)
                    sum += a[i * m + k] * b[k * n + j];
            }
            c[i * n + j] = sum;
        }
    }
}

void sliding_window(const float *restrict x, const float *restrict y, float *restrict z, int n, int m)
{
#pragma acc parallel loop copyin(x[0:n], y[0:m]) copyout(z[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int t = 0; t < m; t += TILE) {
#pragma acc cache(y[t:TILE]) /* auto: rbi block */
            for (int k = 0; k < TILE; ++k)
                sum += x[i] * y[t + k];
        }
        z[i] = sum;
    }
}

/* The number of rounds differs between threads: a barrier inside would never be met by all. */
void uneven_rounds(const float *restrict y, const int *restrict rounds, float *restrict z, int n, int m)
{
#pragma acc parallel loop copyin(y[0:m], rounds[0:n]) copyout(z[0:n])
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int t = 0; t < rounds[i] % (m / TILE); ++t) {
#pragma acc cache(y[t*TILE:TILE]) /* auto: none ACC419 cannot be shared */
            for (int k = 0; k < TILE; ++k)
                sum += y[t * TILE + k];
        }
        z[i] = sum;
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 40), m = 3 * TILE;
    float *a = new_floats(n * m, 1), *b = new_floats(n * m, 2), *c = new_floats(n * n, 3);
    float *x = new_floats(n, 4), *y = new_floats(m, 5), *z = new_floats(n, 6);
    int *rounds = new_ints(n, 7);
    product(a, b, c, n, m);
    SHOW("product", c, n * n);
    product_with_transposed(a, b, c, n, m);
    SHOW("product_with_transposed", c, n * n);
    gang_and_vector(a, b, c, n, m);
    SHOW("gang_and_vector", c, n * n);
    sliding_window(x, y, z, n, m);
    SHOW("sliding_window", z, n);
    uneven_rounds(y, rounds, z, n, m);
    SHOW("uneven_rounds", z, n);
    return 0;
}
