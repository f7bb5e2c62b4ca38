/* The peer of bench/kernels/covariance.c: 64 x 64 elements a block, 4 x 4 a thread, as of a product whose first factor lies
   transposed; blocks below the diagonal end at once, and those on it leave out what the others store. */
#include "peer.h"
#define SIDE 64
#define DEPTH 16

static __global__ void __launch_bounds__(256)
    covariance(int m, int n, const float *__restrict__ data, float *__restrict__ symmat)
{
    __shared__ __align__(16) float left[DEPTH][SIDE], right[DEPTH][SIDE];
    const int t = threadIdx.x, row = SIDE * blockIdx.y, column = SIDE * blockIdx.x;
    const int i = t / 16 * 4, j = t % 16 * 4;
    if (column < row)
        return;
    float sum[4][4] = {};
    for (int k = 0; k < n; k += DEPTH) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int d = t / SIDE + 4 * e, x = t % SIDE;
            left[d][x] = k + d < n && row + x < m ? data[(size_t)(k + d) * m + row + x] : 0;
            right[d][x] = k + d < n && column + x < m ? data[(size_t)(k + d) * m + column + x] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; ++d) {
            float u[4], v[4];
            *(float4 *)u = *(const float4 *)&left[d][i];
            *(float4 *)v = *(const float4 *)&right[d][j];
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
        for (int x = 0; x < 4; ++x)
            if (row + i + y <= column + j + x && column + j + x < m) {
                symmat[(size_t)(row + i + y) * m + column + j + x] = sum[y][x];
                symmat[(size_t)(column + j + x) * m + row + i + y] = sum[y][x];
            }
}

int main(int argc, char **argv)
{
    const int m = (int)size_of(argc, argv, 768), n = m / 4;
    ALLOCATE(float, data, m * n);
    ALLOCATE(float, symmat, m * m);
    FILL(data, m * n);
    float *device_data = on_device(data, m * n), *device_symmat = on_device<float>(NULL, m * m);
    covariance<<<dim3(blocks_of(m, SIDE), blocks_of(m, SIDE)), 256>>>(m, n, device_data, device_symmat);
    to_host(symmat, device_symmat, m * m);
    REPORT(symmat, m * m, (long)m * (m + 1) / 2 * n);
    return 0;
}
