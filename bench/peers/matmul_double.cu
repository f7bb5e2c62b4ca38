/* The peer of bench/kernels/matmul_double.c: 64 x 64 elements a block, 4 x 4 a thread, strips of 16 in shared memory. */
#include "peer.h"
#define SIDE 64
#define DEPTH 16

static __global__ void __launch_bounds__(256)
    multiply(int n, const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ c)
{
    __shared__ __align__(16) double left[DEPTH][SIDE + 2], right[DEPTH][SIDE];
    const int t = threadIdx.x, row = SIDE * blockIdx.y, column = SIDE * blockIdx.x;
    const int i = t / 16 * 2, j = t % 16 * 2;
    double sum[4][4] = {};
    for (int k = 0; k < n; k += DEPTH) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int y = row + t / DEPTH + 16 * e, x = k + t % DEPTH, z = k + t / SIDE + 4 * e, w = column + t % SIDE;
            left[t % DEPTH][t / DEPTH + 16 * e] = y < n && x < n ? a[(size_t)y * n + x] : 0;
            right[t / SIDE + 4 * e][t % SIDE] = z < n && w < n ? b[(size_t)z * n + w] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; ++d) {
            double u[4], v[4];
            *(double2 *)&u[0] = *(const double2 *)&left[d][i];
            *(double2 *)&u[2] = *(const double2 *)&left[d][i + 32];
            *(double2 *)&v[0] = *(const double2 *)&right[d][j];
            *(double2 *)&v[2] = *(const double2 *)&right[d][j + 32];
#pragma unroll
            for (int y = 0; y < 4; ++y)
#pragma unroll
                for (int x = 0; x < 4; ++x)
                    sum[y][x] += u[y] * v[x];
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 4; ++y)
#pragma unroll
        for (int x = 0; x < 4; ++x) {
            const int r = row + y / 2 * 32 + i + y % 2, s = column + x / 2 * 32 + j + x % 2;
            if (r < n && s < n)
                c[(size_t)r * n + s] = sum[y][x];
        }
}

int main(int argc, char **argv)
{
    const int n = (int)size_of(argc, argv, 512);
    ALLOCATE(double, a, n * n);
    ALLOCATE(double, b, n * n);
    ALLOCATE(double, c, n * n);
    FILL(a, n * n);
    FILL(b, n * n);
    double *left = on_device(a, n * n), *right = on_device(b, n * n), *product = on_device<double>(NULL, n * n);
    multiply<<<dim3(blocks_of(n, SIDE), blocks_of(n, SIDE)), 256>>>(n, left, right, product);
    to_host(c, product, n * n);
    REPORT(c, n * n, (long)n * n * n);
    return 0;
}
